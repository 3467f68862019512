"""Questions of several hops that are made of questions of one."""

from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.reader.words import words_of
from groundwalk.training.reader.composed import COMPOSED, composed
from groundwalk.training.reader.examples import Example, with_words


def asked(question: str, thing: str, relation: str, *, inverse: bool = False) -> Example:
    start = question.index(thing)
    words = words_of(question, [Numbered(start, start + len(thing), "")])
    actions = (Action("pointer", number=0), Action("step", relation, inverse), Action("end"))
    return with_words(Example("toy", "films", words, actions, (), ()), "toy", words, actions)


QUESTIONS = [
    asked("what is the sequel of Alba ?", "Alba", "sequel"),
    asked("what is the mother of Nora", "Nora", "mother"),
    asked("what is a film by Tim", "Tim", "director", inverse=True),
    asked("who wrote Alba", "Alba", "screenwriter"),
    asked("in what year did Nora come here", "Nora", "arrival"),
]


def test_what_is_asked_about_stands_for_the_mention() -> None:
    made = {
        (" ".join(word.text for word in own.words), tuple(a.name for a in own.actions if a.name))
        for own in composed(QUESTIONS, 2_000, seed=1)
    }
    assert ("who wrote the sequel of alba", ("sequel", "screenwriter")) in made
    assert ("who wrote a film by tim", ("director", "screenwriter")) in made
    assert ("who wrote nora ' s arrival", ("arrival", "screenwriter")) in made
    assert (
        "who wrote a film by the mother of nora",
        ("mother", "director", "screenwriter"),
    ) in made


def test_each_is_a_walk_of_its_schema_from_the_one_thing_it_names() -> None:
    for own in composed(QUESTIONS, 200, seed=2):
        assert (own.source, own.schema) == (COMPOSED, "films")
        assert [word.mention for word in own.words if word.mention is not None] == [0]
        kinds = [action.kind for action in own.actions]
        assert kinds in (["pointer", *["step"] * hops, "end"] for hops in (2, 3))
        assert len(own.legal) == len(own.actions) == len(own.may_end)
        assert own.may_end[2]


def test_an_inverse_hop_is_said_in_the_words_of_people_alone() -> None:
    """How a label reads the other way is not known."""
    for own in composed(QUESTIONS, 500, seed=3):
        text = " ".join(word.text for word in own.words)
        if any(action.inverse for action in own.actions):
            assert "film by" in text


def test_other_questions_are_left_out() -> None:
    two = Example(
        "toy", "films", QUESTIONS[0].words, (*QUESTIONS[0].actions, Action("count")), (), ()
    )
    assert composed([two], 10, seed=0) == []
