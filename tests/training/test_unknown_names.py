"""A name that nobody has is no mention, and a query that is right for it there is none."""

from itertools import islice
from random import Random

from groundwalk.agent.query.actions import Action
from groundwalk.training.queries.question import Named, QueryQuestion, sign, words_of
from groundwalk.training.queries.typed import typed_question
from groundwalk.training.queries.variation import invented_name, with_unknown_name

from .asking import WORLD, asking

NAMES = ("Rhine", "Lake Constance", "Mount Elbrus", "Danube", "Bodrog", "1230")
TERMS = {"river": "urn:river"}


def capital(kind: str) -> QueryQuestion:
    words = words_of(f"which cities lie on the {sign(0)}, please")
    actions = (Action("pointer", number=0), Action("step", "on", inverse=True), Action("end"))
    return QueryQuestion(words, (Named("Rhine", kind),), actions)


def test_a_name_gives_way_to_one_that_is_unread() -> None:
    for seed in range(50):
        made = with_unknown_name(capital("river"), NAMES, TERMS, Random(seed))
        assert made is not None and made.actions
        assert made.actions[0] == Action("class", "urn:river")
        assert made.actions[1:] == capital("river").actions[1:]  # pyright: ignore
        unread = [own.text for own in made.words if own.use == "unread"]
        assert unread and unread[-1].endswith(",") and not any(own.names for own in made.words)
        asked = typed_question(made)
        assert asked is not None and asked.mentions == ()


def test_a_place_is_no_name() -> None:
    actions = (
        Action("pointer", number=1),
        Action("step", "flows through", inverse=True),
        Action("most", "length"),
        Action("place"),
        Action("pointer", number=0),
        Action("and"),
        Action("pointer", number=0),
        Action("end"),
        Action("end"),
    )
    words = words_of(f"is the {sign(0)} first in {sign(1)}")
    named = (Named("Rhine", "river"), Named("1230", "number"))
    made = with_unknown_name(QueryQuestion(words, named, actions), NAMES, TERMS, Random(0))
    assert made is not None and made.actions is not None
    changed = [i for i, (a, b) in enumerate(zip(made.actions, actions, strict=True)) if a != b]
    assert changed == [6]


def test_a_question_without_a_name_stays() -> None:
    assert with_unknown_name(capital("number"), NAMES, TERMS, Random(0)) is None
    none = capital("river")._replace(actions=None)
    assert with_unknown_name(none, NAMES, TERMS, Random(0)) is None


def test_invented_names_are_new() -> None:
    made = {invented_name("Lake Constance", NAMES, Random(seed)) for seed in range(200)}
    assert len(made) > 60 and not any("1230" in own for own in made)
    old = {own.lower() for own in NAMES}
    assert sum(own.lower() in old for own in made) < 10


def test_the_stream_asks_about_unknown_names() -> None:
    world = asking(WORLD, skeletons=True)
    unknown = 0
    for own in islice(world.questioner.stream(2), 1500):
        unread = any(word.use == "unread" for word in own.words)
        unknown += unread and own.actions is None
    assert 25 < unknown < 150
