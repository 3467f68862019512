"""Longer questions that are made of questions of one relation."""

from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.reader.lexicon import words_of
from groundwalk.training.reader.composed import COMPOSED, composed
from groundwalk.training.reader.examples import Example, with_words
from groundwalk.training.reader.sources import Hop, SchemaLabels


def asked(question: str, thing: str, relation: str, *, inverse: bool = False) -> Example:
    start = question.index(thing)
    words = words_of(question, [Numbered(start, start + len(thing), "")])
    actions = (Action("pointer", number=0), Action("step", relation, inverse), Action("end"))
    return with_words("films", "toy", words, actions)


QUESTIONS = [
    asked("what is the sequel of Alba ?", "Alba", "sequel"),
    asked("what is the mother of Nora", "Nora", "mother"),
    asked("what is a film by Tim", "Tim", "director", inverse=True),
    asked("who wrote Alba", "Alba", "screenwriter"),
    asked("in what year did Nora come here", "Nora", "arrival"),
]
SCHEMA = SchemaLabels(
    (
        Hop("sequel", "film", "film"),
        Hop("mother", "person", "person"),
        Hop("director", "film", "person"),
        Hop("screenwriter", "film", "person"),
        Hop("arrival", "person", "year"),
    )
)
ANSWERS = {
    ("sequel", False): "film",
    ("mother", False): "person",
    ("director", True): "film",
    ("screenwriter", False): "person",
    ("arrival", False): "year",
}


def made(count: int, seed: int) -> list[Example]:
    return composed(QUESTIONS, {"films": SCHEMA}, count, seed)


def kinds(own: Example) -> list[str]:
    return [action.kind for action in own.actions]


def text(own: Example) -> str:
    return " ".join(word.text for word in own.words)


def test_what_is_asked_about_stands_for_the_mention() -> None:
    several = {
        (text(own), tuple(a.name for a in own.actions if a.name)) for own in made(4_000, seed=1)
    }
    assert ("who wrote the sequel of alba", ("sequel", "screenwriter")) in several
    assert ("who wrote a film by tim", ("director", "screenwriter")) in several
    assert ("who wrote nora ' s arrival", ("arrival", "screenwriter")) in several
    assert (
        "who wrote a film by the mother of nora",
        ("mother", "director", "screenwriter"),
    ) in several


def test_each_is_a_walk_of_its_schema_from_the_one_thing_it_names() -> None:
    for own in made(500, seed=2):
        assert (own.source, own.schema) == (COMPOSED, "films")
        assert len(own.legal) == len(own.actions) == len(own.may_end)
        if "and" in kinds(own):
            continue
        assert [word.mention for word in own.words if word.mention is not None] == [0]
        hops = len(own.actions) - 2
        assert kinds(own) == ["pointer", *["step"] * hops, "end"]
        assert hops >= 2
        assert own.may_end[2]


def test_an_inverse_hop_is_said_in_the_words_of_people_alone() -> None:
    """How a label reads the other way is not known, but where two have it in common."""
    for own in made(1_000, seed=3):
        names = [action.name for action in own.actions if action.name]
        if "and" not in kinds(own) and len(set(names)) == len(names):
            assert any(action.inverse for action in own.actions) == ("film by" in text(own))


def test_what_has_something_in_common_is_there_and_back() -> None:
    several = {
        (text(own), tuple((a.name, a.inverse) for a in own.actions if a.name))
        for own in made(4_000, seed=4)
    }
    assert (
        "who wrote what has the same sequel as alba",
        (("sequel", False), ("sequel", True), ("screenwriter", False)),
    ) in several


def test_two_things_lead_to_the_same_class_and_the_query_ends_there() -> None:
    several = [own for own in made(2_000, seed=5) if "and" in kinds(own)]
    assert several
    for own in several:
        count = kinds(own).count("and")
        inner = ["and", "pointer", "step", "end"] * count
        assert kinds(own) == ["pointer", "step", *inner, "end"]
        numbers = [word.mention for word in own.words if word.mention is not None]
        assert numbers == list(range(count + 1))
        assert [a.number for a in own.actions if a.kind == "pointer"] == numbers
        hops = [(action.name, action.inverse) for action in own.actions if action.name]
        assert len({ANSWERS[hop] for hop in hops}) == 1
        things = [word.text for word in own.words if word.mention is not None]
        assert len(set(things)) == len(things)
        assert ("arrival", False) not in hops, "years are no things"


def test_two_questions_are_joined_in_the_words_of_people_in_those_of_labels_and_in_none() -> None:
    several = {text(own) for own in made(8_000, seed=6)}
    assert "who wrote alba and is the mother of nora" in several
    assert "what is a film by tim and the sequel of alba" in several
    assert "what is the sequel of alba and a film by tim" in several
    assert "what is tim the sequel of alba" in several


def test_other_questions_are_left_out() -> None:
    two = Example(
        "toy", "films", QUESTIONS[0].words, (*QUESTIONS[0].actions, Action("count")), (), ()
    )
    assert composed([two], {}, 10, seed=0) == []
