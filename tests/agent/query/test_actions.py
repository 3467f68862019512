"""Queries as sequences of actions: both ways, in text, and what may come next."""

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from groundwalk.agent.decoding.wire import MARKERS, POINTERS, QUERY, QUERY_MARKERS, escape
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.actions import Action, Kind, read_text, spell
from groundwalk.agent.query.automaton import MOST_ACTIONS, actions_of, legal, query_of
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import Outcome
from groundwalk.agent.query.normal import MentionValue, normal, values_of
from groundwalk.agent.query.schema import GraphSchema, Reading, Schema
from groundwalk.agent.query.tree import EarlierSet, Query, read_query, write_query
from hypothesis import given, settings
from hypothesis import strategies as st

BASE = "http://e.x/"
LINK, PART, SIZE, BORN, MOTTO = (
    f"<{BASE}{own}>" for own in ("link", "part", "size", "born", "motto")
)
ONE, TWO, THREE = f"<{BASE}One>", f"<{BASE}Two>", f"<{BASE}Three>"
XSD = "http://www.w3.org/2001/XMLSchema#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
THINGS = "abcdef"
MENTIONS = (
    *(Mention(own, f"<{BASE}{own}>") for own in "abc"),
    *map(Mention, ("2", "2000-01-11", "1999", "alp")),
)
NUMBERS, DATES, YEAR, TEXT = (3, 5), (4, 5), 5, 6
ORDER = ("=", "!=", "<", ">", "<=", ">=")

Tree = dict[str, Any]


def graph() -> str:
    """Things of two classes, some of which have each relation, and one of another class."""
    random, lines = Random(0), [f"<{BASE}z> {TYPE} {THREE} .", f"<{BASE}z> {LINK} <{BASE}a> ."]
    for place, thing in enumerate(THINGS):
        head = f"<{BASE}{thing}>"
        lines += [f"{head} {TYPE} {ONE} .", f"{head} {TYPE} {TWO} ."]
        first = place < 2
        for link in (LINK, PART):
            for other in random.sample(THINGS, 2 if first else random.randint(0, 2)):
                lines.append(f"{head} {link} <{BASE}{other}> .")
        for other in "ab":
            lines.append(f"<{BASE}{'ab'[place % 2]}> {LINK} <{BASE}{other}> .")
            lines.append(f"<{BASE}{'ba'[place % 2]}> {PART} <{BASE}{other}> .")
        if thing != "f":
            lines.append(f'{head} {SIZE} "{random.randint(0, 4)}"^^<{XSD}integer> .')
            lines.append(f'{head} {BORN} "200{random.randint(0, 2)}-01-11"^^<{XSD}date> .')
            lines.append(f'{head} {MOTTO} "{random.choice(("Alpha", "beta"))}" .')
    return "\n".join(dict.fromkeys(lines)) + "\n"


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    file = tmp_path_factory.mktemp("things") / "things.nt"
    file.write_text(graph(), encoding="utf-8")
    return open_kg(str(file))


@pytest.fixture(scope="module")
def facts(kg: KnowledgeGraph) -> Facts:
    return Facts(kg)


@pytest.fixture(scope="module")
def schema(facts: Facts) -> GraphSchema:
    return GraphSchema(facts, MENTIONS)


class Anything:
    """A schema that allows whatever the grammar does."""

    mentions = [frozenset[Reading](("thing", "number", "date"))] * len(POINTERS)
    earlier = frozenset[EarlierSet](("answers", "topics"))
    parts = len(POINTERS)

    def relations(self) -> Sequence[str]:
        return (LINK, PART, SIZE, BORN, MOTTO)

    def classes(self, members: Query | None) -> Sequence[str]:
        return (ONE, TWO)

    def hops(self, members: Query) -> Sequence[tuple[str, bool]]:
        return [(own, inverse) for own in self.relations() for inverse in (False, True)]

    def measures(self, members: Query) -> frozenset[Any]:
        return frozenset({"number", "date"})


# Random trees over the graph


def hop(relation: str) -> Tree:
    return {"relation": relation}


def maybe(draw: Callable[..., Any], share: int = 3) -> bool:
    return draw(st.integers(0, share)) == 0


LINKS = st.fixed_dictionaries({"relation": st.sampled_from((LINK, PART)), "inverse": st.booleans()})
SOME_LINKS = st.lists(LINKS, max_size=2)


@st.composite
def starts(draw: Callable[..., Any], depth: int) -> Any:
    kind = draw(st.integers(0, 5 if depth else 3))
    match kind:
        case 0:
            return draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
        case 1:
            return {"class": draw(st.sampled_from((ONE, TWO, "anything", "row")))}
        case 2:
            return {"domain": draw(st.sampled_from((LINK, PART, SIZE, BORN, MOTTO)))}
        case 3:
            number = draw(st.integers(0, 2))
            return draw(st.sampled_from(([number], {"any": [{"start": [number]}]})))
        case 4:
            return {"any": draw(st.lists(things(depth - 1), min_size=1, max_size=3))}
        case _:
            return draw(things(depth - 1))


@st.composite
def things(draw: Callable[..., Any], depth: int) -> Tree:
    tree: Tree = {"start": draw(starts(depth)), "steps": draw(SOME_LINKS)}
    if maybe(draw):
        tree["class"] = draw(st.sampled_from((ONE, TWO, "anything")))
    tree["filters"] = draw(st.lists(filters(depth), max_size=2 if depth else 1))
    if depth and maybe(draw):
        tree[draw(st.sampled_from(("and", "not")))] = [draw(things(depth - 1))]
    if depth and maybe(draw):
        return {**tree, **draw(grouped())}
    if maybe(draw):
        tree["extreme"] = draw(extremes(depth))
    return tree


@st.composite
def grouped(draw: Callable[..., Any]) -> Tree:
    tree: Tree = {"group": draw(st.lists(LINKS, min_size=1, max_size=2))}
    if maybe(draw, 1):
        op, number = draw(st.sampled_from(ORDER)), draw(st.sampled_from(NUMBERS))
        tree["having"] = [{**draw(aggregates()), "op": op, "mention": number}]
    if maybe(draw, 1):
        tree["extreme"] = {**draw(aggregates()), **draw(places())}
    return tree


@st.composite
def aggregates(draw: Callable[..., Any]) -> Tree:
    agg = draw(st.sampled_from(("count", "sum", "avg", "min", "max")))
    if agg == "count":
        return {"agg": agg, "of": draw(SOME_LINKS)}
    return {"agg": agg, "of": [*draw(st.lists(LINKS, max_size=1)), hop(SIZE)]}


@st.composite
def places(draw: Callable[..., Any]) -> Tree:
    rank = draw(st.sampled_from(({}, {"n": 1}, {"n": 3}, {"place": 1}, {"place": 2})))
    return {"most": draw(st.booleans()), **rank}


@st.composite
def extremes(draw: Callable[..., Any], depth: int) -> Tree:
    via = draw(SOME_LINKS)
    if maybe(draw, 1):
        among = {"among": draw(things(0))} if depth and maybe(draw) else {}
        return {**draw(LINKS), "via": via, "count": True, **among, **draw(places())}
    return {**hop(draw(st.sampled_from((SIZE, BORN)))), "via": via, **draw(places())}


@st.composite
def filters(draw: Callable[..., Any], depth: int) -> Tree:
    op, via = draw(st.sampled_from(ORDER)), {"via": draw(st.lists(LINKS, max_size=1))}
    match draw(st.integers(0, 9 if depth else 6)):
        case 0:
            return {**hop(SIZE), **via, "op": op, "mention": draw(st.sampled_from(NUMBERS))}
        case 1:
            of = draw(st.sampled_from(("", "year")))
            mention = YEAR if of else draw(st.sampled_from(DATES))
            return {**hop(BORN), **via, "op": op, "mention": mention, "of": of}
        case 2:
            op = draw(st.sampled_from(("starts", "ends", "contains", "=", "!=")))
            return {**draw(st.sampled_from(({}, hop(MOTTO)))), "op": op, "mention": TEXT}
        case 3:
            op = draw(st.sampled_from(("exists", "not exists")))
            return {**hop(draw(st.sampled_from((SIZE, LINK)))), **via, "op": op}
        case 4:
            op = draw(st.sampled_from(("=", "!=")))
            return {**draw(LINKS), **via, "op": op, "mention": draw(st.integers(0, 2))}
        case 5:
            number = draw(st.sampled_from(NUMBERS))
            return {**draw(LINKS), **via, "count": True, "op": op, "mention": number, "of": "year"}
        case 6:
            return {"op": draw(st.sampled_from(("=", "!="))), "mention": draw(st.integers(0, 6))}
        case 7:
            among = {"among": draw(things(depth - 1))}
            return {**draw(LINKS), **among, "count": True, "op": op, "mention": 3}
        case 8:
            value = draw(things(depth - 1))
            return {**draw(LINKS), "count": True, "op": op, "value": {**value, "answer": "count"}}
        case _:
            relation = draw(st.sampled_from((SIZE, BORN)))
            inner = things(depth - 1)
            if relation == BORN:
                # What a union leads to is not known before it is read.
                inner = inner.filter(lambda own: "'any'" not in str(own))
            value = {"start": draw(inner), "steps": [hop(relation)]}
            if relation == SIZE:
                value["answer"] = draw(st.sampled_from(("list", "sum", "avg", "min", "max")))
            return {**hop(relation), "op": op, "value": value}


@st.composite
def trees(draw: Callable[..., Any]) -> Query:
    tree, other = draw(things(2)), things(1)
    match draw(st.integers(0, 6)):
        case 0:
            tree["answer"] = "count"
        case 1:
            tree |= {"answer": "yesno", "all": draw(st.lists(other, max_size=2))}
        case 2:
            tree |= {"answer": "connection", "to": draw(other)}
        case 3:
            agg = draw(st.sampled_from(("sum", "avg", "min", "max")))
            tree = {"start": tree, "steps": [hop(SIZE)], "answer": agg}
        case 4:
            hops = draw(st.lists(LINKS, min_size=1, max_size=2))
            tree["columns"] = [{"steps": hops}, {"agg": "count", "of": hops}]
        case 5 if "group" in tree:
            tree["columns"] = [draw(aggregates()), draw(aggregates())]
        case _:
            tree = {"start": tree, "steps": [hop(SIZE)], "filters": [{"op": ">", "mention": 3}]}
    return read_query(tree)


def sayable(query: Query) -> tuple[Action, ...] | None:
    """The actions of a query; None where it is only too large or too deep."""
    try:
        return actions_of(query)
    except QuestionError as error:
        assert "at most" in str(error) or "cannot stand there" in str(error), error
        return None


def denotation(outcome: Outcome) -> Any:
    return outcome.form, sorted(outcome.members), outcome.value, sorted(map(str, outcome.rows))


# Both ways


@given(trees())
@settings(max_examples=80)
def test_a_query_is_read_back_from_its_actions(query: Query) -> None:
    actions = sayable(query)
    if actions is not None:
        assert query_of(actions, values_of(query)) == normal(query)
        assert actions_of(normal(query)) == actions


@given(trees())
@settings(max_examples=60)
def test_the_normal_form_is_one_and_comes_to_the_same(
    kg: KnowledgeGraph, facts: Facts, query: Query
) -> None:
    form = normal(query)
    assert normal(form) == form == read_query(write_query(form))
    asked = [execute(facts, bind(kg, own, MENTIONS)) for own in (query, form)]
    assert denotation(asked[0]) == denotation(asked[1])


def test_what_is_counted_beside_the_keys_of_a_group_is_not_counted_in_it(
    kg: KnowledgeGraph, facts: Facts
) -> None:
    keys = {"start": {"class": "<http://e.x/One>"}, "group": [{"relation": "<http://e.x/link>"}]}
    counted = {"agg": "count", "of": [{"relation": "<http://e.x/link>"}]}
    query = read_query({"start": keys, "columns": [counted]})
    asked = [execute(facts, bind(kg, own, MENTIONS)) for own in (query, normal(query))]
    assert denotation(asked[0]) == denotation(asked[1])


@given(trees())
@settings(max_examples=25)
def test_each_next_action_of_a_query_is_legal(schema: GraphSchema, query: Query) -> None:
    actions = sayable(query) or ()
    allowing: tuple[Schema, ...] = (Anything(), schema)
    for place, action in enumerate(actions):
        for own in allowing:
            assert action in legal(actions[:place], own), (own, spell(actions, {}), place)
    assert all(legal(actions, own) == [] for own in allowing if actions)


def walk(random: Random, schema: Schema) -> list[Action]:
    """Legal actions at random up to where there is none."""
    actions, ending = list[Action](), random.random() * 0.3
    while options := legal(actions, schema):
        assert len(set(options)) == len(options)
        kinds = sorted({own.kind for own in options})
        kind = "end" if "end" in kinds and random.random() < ending else random.choice(kinds)
        actions.append(random.choice([own for own in options if own.kind == kind]))
    return actions


def check_walk(random: Random, kg: KnowledgeGraph, facts: Facts, schema: Schema) -> int:
    actions = walk(random, schema)
    assert len(actions) <= MOST_ACTIONS
    query = query_of(actions)
    assert read_query(write_query(query)) == query
    assert query_of(actions_of(query)) == query
    execute(facts, bind(kg, query, MENTIONS))
    return len(actions)


def test_legal_walks_are_queries_that_can_be_executed(
    kg: KnowledgeGraph, facts: Facts, schema: GraphSchema
) -> None:
    sizes = [check_walk(Random(seed), kg, facts, schema) for seed in range(25)]
    assert max(sizes) > MOST_ACTIONS // 2 and min(sizes) < 10


@pytest.mark.long
@pytest.mark.slow
def test_many_legal_walks(kg: KnowledgeGraph, facts: Facts, schema: GraphSchema) -> None:
    for seed in range(25, 1_000):
        check_walk(Random(seed), kg, facts, schema)


def test_walks_that_the_grammar_alone_allows_are_queries() -> None:
    for seed in range(15):
        actions = walk(Random(seed), Anything())
        query = query_of(actions)
        assert query_of(actions_of(query)) == query


# Text


def labels(actions: Sequence[Action], draw: Callable[..., Any]) -> dict[str, str]:
    names = sorted({own.name for own in actions if own.name})
    return {
        name: draw(st.text(alphabet=st.characters(codec="utf-8"), max_size=12)) for name in names
    }


@given(trees(), st.data())
@settings(max_examples=40)
def test_the_text_of_a_query_is_read_back_whatever_its_labels(query: Query, data: Any) -> None:
    actions = sayable(query)
    if actions is None:
        return
    hostile = ("</QUERY>", "<END>", "<0>", "^", " -> ", "a\nb", "", "^<STEP>", "‹0›")
    names = labels(actions, data.draw)
    names |= {name: data.draw(st.sampled_from((text, *hostile))) for name, text in names.items()}
    text = spell(actions, names)
    assert text.startswith(QUERY.open) and text.count(QUERY.close) == 1
    assert "\n" not in text
    expected = [own._replace(name=escape(names[own.name]) if own.name else "") for own in actions]
    assert list(read_text(text)) == expected
    assert spell(read_text(text), {}) == text


def test_the_text_of_the_example() -> None:
    text = (
        "<QUERY><CLASS>river<WHERE>length<GREATER><VALUE><0><STEP>length<END>"
        "<AND><1><STEP>^continent<END></QUERY>"
    )
    assert write_query(query_of(read_text(text))) == {
        "start": {"class": "river"},
        "filters": [
            {
                "relation": "length",
                "op": ">",
                "value": {"start": [0], "steps": [{"relation": "length"}]},
            }
        ],
        "and": [{"start": [1], "steps": [{"relation": "continent", "inverse": True}]}],
    }


def test_the_markers_of_trained_tokenizers_are_as_they_were() -> None:
    digest = hashlib.sha256("\n".join(MARKERS).encode()).hexdigest()
    assert digest == "cacb0c281ca2a75245b84959ea067946e5c80617cdfde02c94c279cdbba10b01"


def test_each_kind_of_action_has_one_marker_of_its_own() -> None:
    kinds = {f"<{own.upper()}>" for own in get_args(Kind) if own != "pointer"}
    assert {*kinds, *POINTERS, QUERY.open, QUERY.close} == set(QUERY_MARKERS)
    assert len(set(QUERY_MARKERS)) == len(QUERY_MARKERS)
    assert not set(QUERY_MARKERS) & set(MARKERS)
    assert all(escape(own) != own for own in QUERY_MARKERS)


# What cannot be said


@pytest.mark.parametrize(
    ("tree", "line"),
    [
        ({"start": {"entity": "Danube"}}, "'Danube'"),
        ({"start": [0], "filters": [{"relation": "size", "op": ">", "value": 5}]}, "the value 5"),
        ({"start": [32]}, "32 is too large"),
        ({"start": [0], "extreme": {"relation": "size", "most": True, "n": 40}}, "40 is too large"),
        ({"start": [0], "steps": [{"relation": "r"}] * 70}, "at most 64 actions"),
        (
            {
                "start": [0],
                "filters": [
                    {"relation": "r", "op": ">", "mention": 1, "value": 1},
                    {"relation": "r", "op": "<", "mention": 1, "value": 2},
                ],
            },
            "two values",
        ),
        (
            {"start": [0], "filters": [{"count": True, "op": ">", "mention": 1}]},
            "cannot stand there",
        ),
        ({"start": [0], "steps": [{"relation": ""}]}, "cannot stand there"),
    ],
)
def test_what_actions_cannot_say_is_told(tree: Tree, line: str) -> None:
    with pytest.raises(QuestionError, match=line):
        actions_of(read_query(tree))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<0>", "stands between"),
        ("<QUERY>x<0></QUERY>", "sequence of markers"),
        ("<QUERY><0><NONSENSE></QUERY>", "<NONSENSE> is no action"),
        ("<QUERY><0>name</QUERY>", "<0>name is no action"),
        ("<QUERY><STEP>r</QUERY>", "action 1 of the query, <STEP>r, cannot stand there"),
        ("<QUERY><0><STEP></QUERY>", "<STEP>, cannot stand there"),
        ("<QUERY><CLASS>^c</QUERY>", "cannot stand there"),
        ("<QUERY><1><0></QUERY>", "<0>, cannot stand there"),
        ("<QUERY><0><MOST>r<FIRST><1></QUERY>", "<1>, cannot stand there"),
        ("<QUERY><0><WHERE>r</QUERY>", "cannot stand there"),
        ("<QUERY><0><AND><1></QUERY>", "no end"),
    ],
)
def test_what_is_no_query_is_told(text: str, line: str) -> None:
    with pytest.raises(QuestionError, match=line):
        query_of(read_text(text))


def test_values_stand_beside_their_mentions() -> None:
    tree: Tree = {
        "start": {"class": "tower"},
        "filters": [{"relation": "height", "op": ">", "mention": 0, "value": 150, "unit": "m"}],
    }
    query = read_query(tree)
    assert values_of(query) == {0: MentionValue(150, "m")}
    assert write_query(query_of(actions_of(query), values_of(query))) == tree
    assert query_of(actions_of(query)).filters[0].value is None


# The schema of a graph


def hops(schema: GraphSchema, tree: Tree) -> set[str]:
    named = (
        (name.rsplit("/", 1)[1].rstrip(">"), inverse)
        for name, inverse in schema.hops(read_query(tree))
    )
    return {f"^{name}" if inverse else name for name, inverse in named}


ALL = {"link", "part", "size", "born", "motto", "^link", "^part"}


@pytest.mark.parametrize("pinned", [True, False])
def test_members_have_the_relations_of_others_of_their_classes(
    kg: KnowledgeGraph, pinned: bool
) -> None:
    schema = GraphSchema(Facts(replace(kg, pinned=pinned)), MENTIONS)
    assert f"<{BASE}f> {SIZE}" not in graph()
    assert hops(schema, {"start": {"entity": f"<{BASE}f>"}}) == ALL
    assert hops(schema, {"start": [0], "steps": [hop(SIZE)]}) == {"^size"}
    assert schema.classes(read_query({"start": [0]})) == [ONE, TWO]
    assert schema.classes(read_query({"start": [0], "steps": [hop(SIZE)]})) == []
    assert schema.measures(read_query({"start": [0], "steps": [hop(SIZE)]})) == {"number"}
    assert schema.measures(read_query({"start": [0], "steps": [hop(BORN)]})) == {"date"}
    assert not schema.measures(read_query({"start": [0], "steps": [hop(MOTTO)]}))


def test_a_set_that_comes_to_nothing_may_still_be_gone_on_from(schema: GraphSchema) -> None:
    nothing: Tree = {"start": [0], "class": THREE}
    assert hops(schema, nothing) == {"link"}
    assert schema.classes(read_query(nothing)) == [THREE]


def test_mentions_are_things_or_values(facts: Facts, schema: GraphSchema) -> None:
    expected = [{"thing"}] * 3 + [{"number"}, {"date"}, {"number", "date"}, set()]
    assert [set(own) for own in schema.mentions] == expected
    valued = GraphSchema(facts, ["three", "a"], values={0: MentionValue(3, "m")})
    assert [set(own) for own in valued.mentions] == [{"number"}, {"thing"}]
    numbered = [own for own in legal([Action("class")], schema) if own.kind == "pointer"]
    assert numbered == []
    first = [own.number for own in legal([], schema) if own.kind == "pointer"]
    assert first == [0, 1, 2]


def test_earlier_answers_are_starts_where_there_are_any(facts: Facts) -> None:
    schema = GraphSchema(facts, MENTIONS, earlier={"answers": [f"<{BASE}a>"]}, parts=[[SIZE]])
    kinds = {own.kind for own in legal([], schema)}
    assert "answers" in kinds and "part" in kinds and "topics" not in kinds
    assert hops(schema, {"start": {"last": "answers"}}) == ALL
    assert [own.number for own in legal([Action("part")], schema)] == [0]


# The notation


def questions(folder: Path, each: int) -> Iterator[Tree]:
    for file in sorted((folder / "questions").glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["query"] for line in islice(lines, each))


@pytest.mark.data("questions")
def test_trees_of_the_notation_are_read_back(public_data: Path) -> None:
    told = Counter[str]()
    for tree in questions(public_data, 60):
        try:
            query = read_query(tree)
        except QuestionError:
            continue
        try:
            actions = actions_of(query)
        except QuestionError as error:
            assert "no mention" in str(error) or "does not mention" in str(error), error
            told["not said"] += 1
            continue
        assert query_of(actions, values_of(query)) == normal(query)
        told["said"] += 1
    assert told["said"] / told.total() > 0.9, told
