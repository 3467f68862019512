"""Questions are linked to what they name: not to everyday words, and homonyms by context."""

from contextlib import closing
from pathlib import Path

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker, Mention, is_ambiguous
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .films import BASE, films


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return films(tmp_path_factory.mktemp("films"))


@pytest.fixture(scope="module")
def linker(kg: KnowledgeGraph) -> LabelLinker:
    return LabelLinker(kg.labels)


def linked(linker: LabelLinker, question: str) -> list[tuple[str, str]]:
    """The mentions' texts and the keys of their best candidates."""
    return [
        (mention.text, mention.candidates[0].term[1:-1].removeprefix(BASE))
        for mention in linker.link(question)
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who directed Some Mother's Son?", [("Some Mother's Son", "mothers")]),
        ("who is stanley kubrick", [("stanley kubrick", "kubrick")]),
        ("Kubrick's films", [("Kubrick", "kubrick")]),
        ("Kubrick\u2019s films", [("Kubrick", "kubrick")]),
        ("films from 1917", [("1917", "seventeen")]),
        ("save that to kubrick.csv", []),
        ("who is kubrick.thanks", [("kubrick", "kubrick")]),
        ("Who is Kubrick.And what did he direct?", [("Kubrick", "kubrick")]),
        ("Who directed THE FALL?", [("THE FALL", "fall")]),
        ("Which films did Kubrick direct together?", [("Kubrick", "kubrick")]),
        ("what genres do films of Kubrick fall under", [("Kubrick", "kubrick")]),
        ("France and Texas", [("France", "france"), ("Texas", "texas")]),
        ("France, france and FRANCE", [("France", "france")]),
        ("the USA (United States)", [("USA", "us")]),
        ("where do kings of Sweden live", [("kings of Sweden", "sweden")]),
        ("who directed Schindlers List?", [("Schindlers List", "schindler")]),
        ("who directed the game", [("the game", "game")]),
    ],
)
def test_questions_are_linked_to_their_names(
    linker: LabelLinker, question: str, expected: list[tuple[str, str]]
) -> None:
    assert linked(linker, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is it", []),
        ("Is it in France?", [("France", "france")]),
        ("It is in France", [("France", "france")]),
        ("Who directed It?", [("It", "it")]),
        ("who directed [It]", [("It", "it")]),
        ('who directed "it"', [("it", "it")]),
        ("Who directed What Is It?", [("What Is It", "what")]),
        ("Who Directed It", []),
        ("Who directed M?", [("M", "m")]),
        ("who directed m", []),
        ("who is starring", []),
        ("Who was cast in Starring?", [("Starring", "starring-film")]),
        ("who directed All of Me", [("All of Me", "all")]),
        ("who directed The Lives of Others", [("The Lives of Others", "lives")]),
        ("which words describe Love", [("Love", "love")]),
        ("which words describe it", [("words", "words")]),
    ],
)
def test_everyday_words_are_names_only_where_capitals_or_marks_say_so(
    linker: LabelLinker, question: str, expected: list[tuple[str, str]]
) -> None:
    assert linked(linker, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which films did the US make?", [("US", "us")]),
        ("Tell us about France", [("France", "france")]),
        ("tell us about it", []),
        ("films of the us", [("us", "us")]),
        ("films of the U.S. please", [("U.S.", "us")]),
        ("films from usa", [("usa", "us")]),
        ("which car is from France", [("France", "france")]),
        ("Which films did the CAR make?", [("CAR", "car")]),
        ("WHAT CAR IS FROM FRANCE", [("FRANCE", "france")]),
    ],
)
def test_case_counts_for_acronyms(
    linker: LabelLinker, question: str, expected: list[tuple[str, str]]
) -> None:
    assert linked(linker, question) == expected


def test_a_spelling_in_the_same_case_leads(linker: LabelLinker) -> None:
    assert linked(linker, "Who directed Love?") == [("Love", "love")]
    assert linked(linker, "films about love by Kubrick") == [
        ("love", "love-tag"),
        ("Kubrick", "kubrick"),
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who directed the Games", [("Games", "games")]),
        ("who directed The Game", [("The Game", "game")]),
        ("The Secret Ballot, who directed it", [("Secret Ballot", "ballot")]),
        ("the films directed by John Ford", [("John Ford", "ford")]),
        ("who directed Directed by John Ford", [("Directed by John Ford", "about-ford")]),
        ("who directed Taxi! and when", [("Taxi", "taxi-mark")]),
        ("who directed Taxi and when", [("Taxi", "taxi")]),
        ("who directed Taxi! ", [("Taxi", "taxi")]),
    ],
)
def test_words_in_lower_case_are_no_part_of_names_in_capitals(
    linker: LabelLinker, question: str, expected: list[tuple[str, str]]
) -> None:
    assert linked(linker, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who directed [Love]", [("Love", "love")]),
        ("what has [love]", [("love", "love-tag")]),
        ("who directed [$]", [("$", "money")]),
        ("who directed [[REC]] of France", [("[REC]", "rec")]),
        ("who directed [ The Fall ]", [("The Fall", "fall")]),
        ("[France] or [Texas] or [Nowhere At All]", [("France", "france"), ("Texas", "texas")]),
        ("who is [Stanly Kubrik] of France", [("Stanly Kubrik", "kubrick")]),
        ("is [Nowhere At All] in France", []),
        ("France []", [("France", "france")]),
    ],
)
def test_brackets_win(linker: LabelLinker, question: str, expected: list[tuple[str, str]]) -> None:
    assert linked(linker, question) == expected


@pytest.mark.parametrize(
    ("question", "expected", "ambiguous"),
    [
        ("Where is Paris?", "paris", False),
        ("Paris, France", "paris", False),
        ("Paris (Texas)", "paris-texas", False),
        ("Paris, Texas", "paris-texas", False),
        ("the font Paris", "paris-font", False),
        ("Paris, the font", "paris-font", False),
        ("Paris, the place in Texas", "paris-texas", False),
        ("Where is Springfield?", "springfield-a", True),
    ],
)
def test_context_disambiguates_homonyms(
    linker: LabelLinker, question: str, expected: str, ambiguous: bool
) -> None:
    mention = linker.link(question)[0]
    assert mention.candidates[0].term == f"<{BASE}{expected}>"
    assert is_ambiguous(mention) == ambiguous


PARIS = """
@prefix : <https://e.x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a rdfs:label "Paris" ; rdfs:comment "capital of France" ; :population 2 .
:b rdfs:label "Paris" ; rdfs:comment "city in Texas, United States" ; :population 1 .
:c rdfs:label "Paris" ; rdfs:comment "son of Priam" ; :population 0 .
"""


@pytest.mark.parametrize(
    ("question", "text", "meant"),
    [
        ("What is the population of Paris, Texas?", "Paris, Texas", "b"),
        ("How large was Paris, Texas in 1990?", "Paris, Texas", "b"),
        ("What is the population of Paris (Texas)?", "Paris (Texas)", "b"),
        ("What is the population of Paris, the capital of France?", None, "a"),
        (
            "Is Paris (city in Texas, United States) large?",
            "Paris (city in Texas, United States)",
            "b",
        ),
        ("Where is Paris (Texas branch)?", "Paris", "b"),
        ("Who is Paris, son of Priam?", "Paris, son of Priam", "c"),
        ("Is Paris, Texas or Rome larger?", "Paris", "b"),
    ],
)
def test_words_that_only_tell_which_one_is_meant_belong_to_its_name(
    tmp_path: Path, question: str, text: str | None, meant: str
) -> None:
    file = tmp_path / "paris.ttl"
    file.write_text(PARIS, encoding="utf-8")
    with closing(open_kg(str(file), cache=tmp_path / "cache")) as kg:
        (mention,) = LabelLinker(kg.labels).link(question)
    assert mention.candidates[0].term == f"<https://e.x/{meant}>"
    assert mention.text == question[mention.start : mention.end]
    assert mention.text == (text or "Paris, the capital of France")


def test_what_only_disambiguates_is_no_topic(linker: LabelLinker) -> None:
    assert linked(linker, "Who lives in Paris, France?") == [("Paris, France", "paris")]
    assert linked(linker, "Paris, France and Texas") == [
        ("Paris", "paris"),
        ("France", "france"),
        ("Texas", "texas"),
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who is stanlay kubrik", [("stanlay kubrik", "kubrick")]),
        ("Where is Farnce?", [("Farnce", "france")]),
        ("where is springfeild", [("springfeild", "springfield-a")]),
        ("Where is Narnia?", []),
        ("where are the fonts", []),
        ("where is frnc", []),
    ],
)
def test_typos_are_tried_where_nothing_matches(
    linker: LabelLinker, question: str, expected: list[tuple[str, str]]
) -> None:
    assert linked(linker, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did Michael Wdleigh direct", [("Michael Wdleigh", "wadleigh")]),
        ("what did michael wdleigh direct", [("michael wdleigh", "wadleigh")]),
        ("Is Farnce or Texas larger?", [("Farnce", "france"), ("Texas", "texas")]),
        ("what did Michael Smith direct", [("Michael", "michael")]),
        ("Did the Texan Kubrick live in France?", [("Kubrick", "kubrick"), ("France", "france")]),
        ("who directed the sceret balot", [("sceret balot", "ballot")]),
        ("who directed the film Secret Balolt", [("Secret Balolt", "ballot")]),
        ("which words describe Secret Balolt", [("Secret Balolt", "ballot")]),
        ("who directed Apolo 13", [("Apolo 13", "apollo-13")]),
        ("who directed Apollo 12", []),
        ("who directed [Apollo 12]", []),
        ("Is Texas or fArnce larger?", [("Texas", "texas"), ("fArnce", "france")]),
        ("Is John Ford Rodoe old", [("John Ford", "ford")]),
        ("who directed Ford Rodoe", [("Ford Rodoe", "rodeo")]),
    ],
)
def test_typos_are_tried_where_part_of_a_name_is_missing(
    linker: LabelLinker, question: str, expected: list[tuple[str, str]]
) -> None:
    assert linked(linker, question) == expected


NAMES = [
    "Central African Republic",
    "Directed by John Ford",
    "John Ford",
    "King of Sweden",
    "Michael Wadleigh",
    "Schindler's List",
    "Secret Ballot",
    "Some Mother's Son",
    "Springfield",
    "Stanley Kubrick",
    "The Lives of Others",
    "United States",
]


@st.composite
def slips(draw: st.DrawFn) -> tuple[str, str]:
    """A name, and the same with one edit inside one of its words."""
    name = draw(st.sampled_from(NAMES))
    inner = [i for i in range(2, len(name) - 2) if name[i - 1 : i + 2].isalpha()]
    place = draw(st.sampled_from(inner))
    letter = draw(st.sampled_from("bdklz"))
    before, here, after = name[:place], name[place], name[place + 1 :]
    ways = [before + after, before + letter + here + after, before + letter + after]
    ways.append(before + after[0] + here + after[1:])
    return name, draw(st.sampled_from([way for way in ways if way != name]))


@settings(deadline=None, max_examples=200)
@given(slips(), st.sampled_from(["who knows [{}]", "what did they do to {} in May", "{}"]))
def test_a_name_with_a_slip_is_linked(
    linker: LabelLinker, slip: tuple[str, str], template: str
) -> None:
    name, typed = slip
    (mention,) = linker.link(template.format(typed))
    assert (mention.text, mention.candidates[0].label) == (typed, name)
    assert mention.candidates[0].matched == "fuzzy"


def test_scores_follow_how_a_name_matched(linker: LabelLinker) -> None:
    def best(question: str) -> tuple[float, str]:
        candidate = linker.link(question)[0].candidates[0]
        return candidate.score, candidate.matched

    label, alias, typo = best("Stanley Kubrick"), best("the USA"), best("Stanley Kubrik")
    assert (label, alias) == ((1.0, "label"), (0.9, "alias"))
    assert best("who directed All of Me") == (1.0, "label")
    assert 0.5 < typo[0] < 0.75
    assert typo[1] == "fuzzy"


def test_a_typo_between_equals_is_ambiguous(linker: LabelLinker) -> None:
    assert is_ambiguous(linker.link("where is springfeild")[0])
    assert not is_ambiguous(linker.link("who is stanlay kubrik")[0])


def test_a_candidate_says_what_it_is(linker: LabelLinker) -> None:
    (mention,) = linker.link("Where is Paris?")
    assert (mention.text, mention.start, mention.end) == ("Paris", 9, 14)
    texas = next(c for c in mention.candidates if c.term == f"<{BASE}paris-texas>")
    assert (texas.name, texas.label) == ("Paris (city in Texas)", "Paris")
    assert (texas.description, texas.kind, texas.matched) == ("city in Texas", "place", "label")
    assert [c.score for c in mention.candidates] == sorted(
        (c.score for c in mention.candidates), reverse=True
    )


def test_a_name_of_one_entity_or_none_is_not_ambiguous(linker: LabelLinker) -> None:
    (mention,) = linker.link("Where is Paris?")
    assert not is_ambiguous(Mention("x", 0, 1, mention.candidates[:1]))
    assert not is_ambiguous(Mention("x", 0, 1, ()))


PIECES = st.sampled_from(
    "Paris,the,US,u.s.,It,[,],[Love],(,),.,\",'s,\u2019,Texas,of,not,M,$,é,हिन्दी,１９１७,🙂,and,stanly".split(
        ","
    )
) | st.sampled_from([",", "\n", "  "])
QUESTIONS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60) | st.lists(
    PIECES, max_size=12
).map(" ".join)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(QUESTIONS)
def test_any_text_links_to_stretches_of_itself(linker: LabelLinker, question: str) -> None:
    mentions = linker.link(question)
    assert linker.link(question) == mentions
    ends = [0]
    for mention in mentions:
        assert question[mention.start : mention.end] == mention.text
        assert mention.start >= ends[-1]
        assert mention.candidates
        assert all(0 < candidate.score <= 1 for candidate in mention.candidates)
        assert len({candidate.term for candidate in mention.candidates}) == len(mention.candidates)
        ends.append(mention.end)
    topics = [mention.candidates[0].term for mention in mentions]
    assert len(set(topics)) == len(topics)


def test_a_very_long_question_is_linked(linker: LabelLinker) -> None:
    question = "is France in Texas or not " * 500
    assert [mention.text for mention in linker.link(question)] == ["France", "Texas"]


def test_a_graph_without_entities_links_nothing(tmp_path: Path) -> None:
    from groundwalk.agent.kg import open_kg

    (tmp_path / "kg.nt").write_text('<urn:a> <urn:p> "x" .\n')
    kg = open_kg(str(tmp_path / "kg.nt"), cache=tmp_path / "cache")
    assert LabelLinker(kg.labels).link("what is x") == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How long is the river Jordan?", "Jordan River"),
        ("how long is the river jordan", "Jordan River"),
        ("Which river Jordan shares with its neighbour?", "Jordan"),
        ("How long is the Jordan River?", "Jordan River"),
        ("What borders Jordan?", "Jordan"),
        ("Which river flows through Jordan?", "Jordan"),
    ],
)
def test_a_word_of_class_may_stand_before_its_name(
    question: str, expected: str, tmp_path: Path
) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    kinds = {"Jordan": "country", "Jordan River": "river"}
    lines = [f'<urn:{n}> a <urn:{kind}> ; {label} "{n}" .' for n, kind in kinds.items()]
    lines += [f'<urn:{kind}> {label} "{kind}" .' for kind in kinds.values()]
    file = tmp_path / "g.ttl"
    file.write_text("\n".join(lines).replace("urn:Jordan River", "urn:JordanRiver"))
    with closing(open_kg(str(file))) as kg:
        (mention,) = LabelLinker(kg.labels).link(question)
        assert mention.candidates[0].label == expected
