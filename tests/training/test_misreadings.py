"""A query that is wrong in one thing keeps the rest, and says which of it is kept."""

from itertools import islice
from random import Random

from groundwalk.agent.query.actions import Action
from groundwalk.training.fitting.alignment import misread
from groundwalk.training.queries.typed import typed_question

from .asking import WORLD, asking

COAST, LENGTH = "coast", "length"
LAKES = (
    Action("pointer", number=0),
    Action("step", "flows", inverse=True),
    Action("where", LENGTH),
    Action("greater"),
    Action("value"),
    Action("pointer", number=1),
    Action("step", LENGTH),
    Action("end"),
    Action("not"),
    Action("pointer", number=2),
    Action("step", "mouth", inverse=True),
    Action("end"),
    Action("most", LENGTH),
    Action("place"),
    Action("pointer", number=2),
    Action("end"),
)
RELATIONS = (("flows", False), (COAST, False), (COAST, True))


def test_one_thing_of_a_query_goes_or_is_turned() -> None:
    made = {own.actions for seed in range(300) if (own := misread(LAKES, RELATIONS, Random(seed)))}
    assert LAKES not in made
    where, left_out, most = LAKES[2:8], LAKES[8:12], LAKES[12:15]
    assert (*LAKES[:2], *left_out, *most, LAKES[-1]) in made
    assert (*LAKES[:2], *where, *most, LAKES[-1]) in made
    assert (*LAKES[:2], *where, *left_out, LAKES[-1]) in made
    assert (*LAKES[:2], *where, *left_out, most[0], LAKES[-1]) in made, "without its place"
    assert (*LAKES[:8], Action("and"), *LAKES[9:]) in made
    assert (*LAKES[:12], Action("least", LENGTH), *LAKES[13:]) in made
    assert (*LAKES[:3], Action("less"), *LAKES[4:]) in made
    assert (LAKES[0], Action("step", COAST), *LAKES[2:]) in made


def test_what_is_asked_of_each_is_misread_as_asked_of_any() -> None:
    pointer, length = Action("pointer", number=0), Action("where", LENGTH)
    rivers, end, yes = Action("step", "flows", inverse=True), Action("end"), Action("yesno")
    sea = (Action("pointer", number=1), Action("step", "mouth", inverse=True), end)
    longer = (length, Action("greater"), Action("pointer", number=1))
    each = (pointer, rivers, yes, Action("all"))
    of_sets, of_values = (*each, *sea, end), (*each, Action("has", LENGTH), *longer, end, end)
    made = [
        {own.actions for seed in range(200) if (own := misread(one, RELATIONS, Random(seed)))}
        for one in (of_sets, of_values)
    ]
    assert (pointer, rivers, Action("and"), *sea, yes, end) in made[0]
    assert (pointer, rivers, *longer, yes, end) in made[1]


def test_a_query_of_one_thing_has_nothing_to_lose() -> None:
    alone = (Action("pointer", number=0), Action("end"))
    assert all(misread(alone, RELATIONS, Random(seed)) is None for seed in range(20))


def test_what_is_kept_stands_where_it_is_said_to() -> None:
    rng, world = Random(0), asking(WORLD, skeletons=True)
    relations = [(own, True) for own in world.graph.relations]
    found = (own for own in map(typed_question, world.questioner.stream(8)) if own and own.actions)
    wrong = 0
    for own in islice(found, 400):
        actions = own.actions or ()
        made = misread(actions, relations, rng)
        if made is None:
            continue
        wrong += 1
        assert len(made.actions) == len(made.origins)
        kept = [(new, old) for new, old in enumerate(made.origins) if old is not None]
        assert [made.actions[new] for new, _ in kept] == [actions[old] for _, old in kept]
        in_order = [old for _, old in kept if actions[old].kind != "yesno"]  # which stands last
        assert in_order == sorted(in_order)
        assert made.actions != actions and made.actions[-1:] == actions[-1:] == (Action("end"),)
        openings = ("and", "not", "any", "among", "value", "to", "all")
        depth = [
            sum((a.kind in openings) - (a.kind == "end") for a in one)
            for one in (actions, made.actions)
        ]
        assert depth[0] == depth[1], "what is opened is closed"
    assert wrong > 300
