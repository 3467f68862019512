"""Questions of a file, asked of other relations."""

import re
from itertools import islice
from random import Random

import pytest
from groundwalk.agent.kg.terms import Triple
from groundwalk.training.asked.lesson_stream import Forms, Retold, forms_of, lesson_stream
from groundwalk.training.asked.lessons import Lesson
from groundwalk.training.questions.graph import Graph, Move, build_graph, execute
from groundwalk.training.questions.questioner import make_questioner
from groundwalk.training.wording.english import OTHER, TOPIC, load_english
from groundwalk.training.wording.phrasebook import make_phrasebook
from hypothesis import given
from hypothesis import strategies as st

RELATIONS = (
    "music.album.artist",
    "music.artist.label",
    "people.person.place_of_birth",
    "base.family.kin",
)
FACTS = [
    Triple(f"<n{n}>", f"<{name}>", f"<n{(n * 3 + place + 1) % 12}>")
    for n in range(12)
    for place, name in enumerate(RELATIONS)
]


def graph(*, returns: bool = False) -> Graph:
    terms = {term for fact in FACTS for term in (fact.head, fact.tail)}
    return build_graph(
        FACTS,
        names={term: term.strip("<>") for term in terms},
        kinds=dict.fromkeys(terms, ""),
        labels={f"<{name}>": name for name in RELATIONS},
        returns=returns,
    )


GRAPH = graph()
NUMBER = {label: place for place, label in enumerate(GRAPH.labels)}


def lesson(text: str, *path: str) -> Lesson:
    moves = tuple(Move(NUMBER[own.removeprefix("^")], own.startswith("^")) for own in path)
    return Lesson(text, 0, (), (moves,), frozenset((1,)))


ARTIST, LABEL, BORN, KIN = RELATIONS
SPELLED = [
    lesson(f"what is the label of {TOPIC} 's artist ?", ARTIST, LABEL),
    lesson(f"what is the place of birth of {TOPIC} 's Artist ?", ARTIST, BORN),
    lesson(f"what is the kin of {TOPIC} 's label ?", LABEL, KIN),
]
PLAIN = [
    lesson(f"who sings on {TOPIC} ?", ARTIST),
    lesson(f"whence comes the singer of {TOPIC} ?", ARTIST, BORN),
    lesson(f"who pays the singer of {TOPIC} ?", ARTIST, LABEL),
    lesson(f"who is like {TOPIC} ?", KIN),
]


def test_what_is_drawn_is_a_question_about_a_walk_of_the_graph() -> None:
    forms = forms_of(GRAPH, SPELLED)
    assert forms
    seen = set[Move]()
    for seed in range(300):
        told = forms.draw(Random(seed))
        assert told and told.walk[-1] in execute(GRAPH, told.walk[0], told.moves)
        first, second = (GRAPH.labels[m.relation].split(".")[-1] for m in told.moves)
        wanted = f"what is the {second} of {TOPIC} 's {first} ?"
        assert told.text == wanted.replace("_", " ")
        assert told.walk[0] not in told.walk[1:]
        seen |= {*told.moves}
    assert seen == {move for move in GRAPH.edges if not move.inverse}


def test_names_are_spelled_as_the_file_does() -> None:
    raw = [
        own._replace(text=own.text.replace("place of birth", "place_of_birth")) for own in SPELLED
    ]
    forms = forms_of(GRAPH, raw)
    assert forms and any("place_of_birth" in told.text for told in drawn(forms))
    assert not any("place of birth" in told.text for told in drawn(forms))


def test_of_two_orders_the_one_that_is_met_most_is_kept() -> None:
    turned = [
        lesson(f"what is the {first} of {TOPIC} 's {second} ?", one, two)
        for first, one in (("artist", ARTIST), ("label", LABEL), ("kin", KIN))
        for second, two in (("artist", ARTIST), ("label", LABEL), ("kin", KIN))
        if one != two
    ]
    forms = forms_of(GRAPH, [*SPELLED, *turned])
    assert forms and len(forms.counts) == 1
    for told in drawn(forms):
        assert told.text.index(name(told.moves[0])) < told.text.index(TOPIC)


def name(move: Move) -> str:
    return GRAPH.labels[move.relation].split(".")[-1].replace("_", " ")


def drawn(forms: Forms, count: int = 50) -> list[Retold]:
    return [told for seed in range(count) if (told := forms.draw(Random(seed)))]


@pytest.mark.parametrize(
    "lessons",
    [
        PLAIN,
        [*PLAIN, *SPELLED],
        SPELLED[:2],
        [own._replace(text=f"{own.text} {OTHER}") for own in SPELLED],
        [lesson(f"kin kin of {TOPIC}", KIN, KIN)] * 5,
        [],
    ],
    ids=["other words", "mostly other words", "too few", "two topics", "one name twice", "none"],
)
def test_there_are_no_forms(lessons: list[Lesson]) -> None:
    assert forms_of(GRAPH, lessons) is None


@given(st.integers(0, 1_000_000))
def test_directions_are_those_of_the_lessons(seed: int) -> None:
    back = [
        lesson(f"the artist of {TOPIC} 's label", "^" + LABEL, ARTIST),
        lesson(f"the kin of {TOPIC} 's label", "^" + LABEL, KIN),
        lesson(f"the kin of {TOPIC} 's artist", "^" + ARTIST, KIN),
    ]
    returning = graph(returns=True)
    forms = forms_of(returning, back)
    assert forms
    told = forms.draw(Random(seed))
    assert told and [move.inverse for move in told.moves] == [True, False]
    assert told.walk[-1] in execute(returning, told.walk[0], told.moves)


def test_walks_come_back_only_where_the_graph_returns() -> None:
    back = [
        lesson(f"the {name} of {TOPIC} 's label", "^" + LABEL, path)
        for name, path in (("artist", ARTIST), ("kin", KIN), ("place of birth", BORN))
    ]
    for returns in (True, False):
        forms = forms_of(graph(returns=returns), back)
        assert forms
        assert any(told.walk[0] in told.walk[1:] for told in drawn(forms, 300)) == returns


def test_directions_are_kept_apart() -> None:
    turned = [
        lesson(own.text, *(f"^{name}" for name in names))
        for own, names in zip(SPELLED, ((ARTIST, LABEL), (ARTIST, BORN), (LABEL, KIN)), strict=True)
    ]
    forms = forms_of(GRAPH, [*SPELLED, *turned])
    assert forms and {form.inverse for form in forms.counts} == {(False, False), (True, True)}
    assert forms.draw(Random(7)) == forms.draw(Random(7))


def test_lessons_that_spell_their_relations_come_with_others_that_do() -> None:
    questioner = make_questioner(
        GRAPH, make_phrasebook(GRAPH, load_english()), load_english(), hops=2, seed=0
    )
    stream = lesson_stream(SPELLED, questioner, noise=0.0, unanswerable=0.0, seed=0)
    asked = [sample for sample in islice(stream, 400)]
    form = re.compile(r"what is the ([\w ]+) of (\w+) 's ([\w ]+) \?", re.IGNORECASE)
    told = [(own, found) for own in asked if (found := form.fullmatch(own.question))]
    assert len(told) == len(asked)
    assert len({own.moves for own, _ in told}) > len(SPELLED) + 3
    for own, found in told:
        (mention,) = own.mentions
        assert own.moves and own.question[mention.start : mention.end] == found[2]
        assert name(own.moves[1]) == found[1].lower()
