"""A growing index looks up little, all at once, and bears what a remote graph may do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path as Folder
from typing import Any

import pytest
from groundwalk.agent.decoding.chains import ChainTriples
from groundwalk.agent.decoding.constraint import Constraint
from groundwalk.agent.decoding.growing import GrowingIndex
from groundwalk.agent.decoding.growing_tables import GrowingArray
from groundwalk.agent.decoding.growing_units import NameTokens
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.listing import list_paths
from groundwalk.agent.decoding.neighbourhood import StoreNeighbourhood
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plans import RelationPaths
from groundwalk.agent.decoding.search import BeamPlan, Question, beam_search
from groundwalk.agent.decoding.subgraph import ChainLimits
from groundwalk.agent.decoding.units import unit_tokens, wire_tokens
from groundwalk.agent.decoding.wire import PATH, PLAN, TRIPLE, Wire, escape
from groundwalk.agent.errors import NoPathError, ServiceError
from groundwalk.agent.kg import Step, Term, Triple
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, worlds
from .language import TOKENIZERS, facts, language, topics
from .neighbourhoods import Listed, Make, Remote, pair

TOKENIZER = TOKENIZERS["byte-level"]
MODEL = worlds.random_model(len(TOKENIZER))
TOKENS = NameTokens(TOKENIZER)
PROMPT = [5, 9, 30]


def walks(topics: Sequence[Term], limits: PathLimits) -> Make:
    names = [escape(term[1:-1]) for term in topics]
    units = unit_tokens(TOKENIZER, replace(TOKENS.style, lead=""), names)
    return lambda index, _, tags: ReasoningPaths(
        index, dict(zip(topics, units, strict=True)), tags, limits
    )


def plans(topics: Sequence[Term], limits: PathLimits) -> Make:
    return lambda index, openings, tags: RelationPaths(index, openings, topics, tags, limits)


def chains(topics: Sequence[Term], limits: ChainLimits) -> Make:
    return lambda index, openings, tags: ChainTriples(index, openings, topics, tags, limits)


def grown(inner: Any, wire: Wire, make: Make, few: int = 100) -> tuple[Any, GrowingIndex, Remote]:
    """An automaton over a graph of which nothing is known yet."""
    remote = Remote(inner)
    index = GrowingIndex(remote, TOKENS, few=few)
    openings = {PLAN: index.relation_openings, TRIPLE: index.entity_openings}.get(wire)
    return make(index, openings, wire_tokens(TOKENIZER, wire)), index, remote


def search(constraint: Any, beams: int) -> Any:
    (found,) = beam_search(MODEL, [Question(PROMPT, constraint)], BeamPlan(beams))
    return found.hypotheses


def by_steps(constraint: Constraint[Any], requests: Callable[[], int], *, forced: bool) -> set[Any]:
    """All finished states; all running states of a step are prepared at once.

    Fails where preparing takes more than one look-up, or where expanding what is prepared takes
    any; if `forced`, also behind the forced tokens that follow.
    """
    states, finished = [constraint.start()], set[Any]()
    while states:
        before = requests()
        constraint.prepare(states)
        prepared = requests()
        assert prepared <= before + 1
        after = [constraint.advance(s, token) for s in states for token in constraint.allowed(s)]
        for state in states:
            while forced and len(tokens := constraint.allowed(state)) == 1:
                state = constraint.advance(state, tokens[0])
        assert requests() == prepared
        finished.update(state for state in after if constraint.done(state))
        states = [state for state in after if not constraint.done(state)]
    return finished


@settings(max_examples=60, deadline=None)
@given(
    facts=facts(12),
    hops=st.integers(1, 3),
    inverse=st.booleans(),
    revisits=st.sampled_from(["walk", "no-topic", "simple"]),
    excluded=st.frozensets(st.sampled_from([worlds.relation(0)]), max_size=1),
    family=st.sampled_from(sorted(TOKENIZERS)),
    few=st.sampled_from([0, 2, 100]),
    data=st.data(),
)
def test_one_look_up_serves_all_states_of_a_step(
    facts: set[worlds.Fact],
    hops: int,
    inverse: bool,
    revisits: Any,
    excluded: frozenset[Term],
    family: str,
    few: int,
    data: st.DataObject,
) -> None:
    some = topics(data.draw, facts)
    limits = PathLimits(hops, inverse, revisits, excluded)
    reached = replace(limits, revisits="no-topic")
    with pair(facts, family, few) as both:
        units = oracle.topic_units(both.graph.kg, both.tokenizer, both.graph.index, some)
        automata: list[tuple[Wire, Make, str]] = [
            (PATH, lambda index, _, tags: ReasoningPaths(index, units, tags, limits), "path"),
            (PLAN, plans(some, reached), "relations"),
            (TRIPLE, chains(some, ChainLimits(excluded=excluded)), "triple"),
        ]
        wire, make, meaning = data.draw(st.sampled_from(automata))
        made = both.of(wire, make)
        if made is None:
            return
        whole, growing = made
        expected = language(whole)
        meanings = {getattr(whole, meaning)(state) for state in expected.values()}
        prepared = by_steps(growing, lambda: both.growing.requests, forced=few == 100)
        assert {getattr(growing, meaning)(state) for state in prepared} == meanings
        tokens = NameTokens(both.tokenizer, both.graph.index.style)
        fresh = GrowingIndex(both.remote, tokens, few=few)
        openings = {PLAN: fresh.relation_openings, TRIPLE: fresh.entity_openings}.get(wire)
        unprepared = make(fresh, openings, wire_tokens(both.tokenizer, wire))
        words = language(unprepared)
        assert set(words) == set(expected)
        assert {getattr(unprepared, meaning)(state) for state in words.values()} == meanings


@pytest.mark.parametrize("wire", [PATH, TRIPLE])
@pytest.mark.parametrize("few", [0, 100])
def test_names_that_begin_alike_lie_side_by_side(wire: Wire, few: int) -> None:
    star = [
        Triple("<hub>", f"<r{i % 2}>", f"<{i}>") for i in reversed(range(2 * len(worlds.HOSTILE)))
    ]
    names = {triple.tail: worlds.HOSTILE[int(triple.tail[1:-1]) // 2] for triple in star}
    make = walks(["<hub>"], PathLimits(1)) if wire == PATH else chains(["<hub>"], ChainLimits())
    spell = {**names, "<hub>": "hub", "<r0>": "r", "<r1>": "r s"}.__getitem__
    constraint, _, _ = grown(Listed(star, spell), wire, make, few)
    assert len(language(constraint)) == len(star)


def layers(width: int, hops: int) -> list[Triple]:
    """From a topic over full layers, so that there are width ** hops paths and more."""

    def layer(depth: int) -> list[Term]:
        return [f"<e{depth} {i + 10}>" for i in range(width)] if depth else ["<topic>"]

    return [
        Triple(head, f"<r{(i + j) % 3}>", tail)
        for depth in range(hops)
        for i, head in enumerate(layer(depth))
        for j, tail in enumerate(layer(depth + 1))
    ]


@pytest.mark.parametrize("wire", [PATH, PLAN])
@pytest.mark.parametrize("width", [2, 5, 30])
def test_look_ups_grow_with_hops_and_not_with_paths(wire: Wire, width: int) -> None:
    make = walks if wire == PATH else plans
    graph = Listed(layers(width, 5))
    for hops in range(1, 6):
        made = make(["<topic>"], PathLimits(hops, inverse=False))
        constraint, index, remote = grown(graph, wire, made)
        search(constraint, 5)
        assert index.requests == len(remote.asked) < 2 * hops
        assert wire == PLAN or sum(map(len, remote.asked)) <= 1 + (hops - 1) * 32
        assert len(remote.named) <= index.requests


def test_hub_far_from_the_beams_is_never_looked_up() -> None:
    small = layers(12, 3)
    expected = search(grown(Listed(small), PATH, walks(["<topic>"], PathLimits(3)))[0], 2)
    constraint, _, remote = grown(Listed(small), PATH, walks(["<topic>"], PathLimits(3)))
    search(constraint, 2)
    passed = {term for terms in remote.asked for term in terms}
    hub = next(t.tail for t in reversed(small) if t.tail not in passed and "e2" in t.tail)
    large = small + [Triple(hub, f"<r{i % 9}>", f"<leaf {i}>") for i in range(20_000)]
    constraint, index, remote = grown(Listed(large), PATH, walks(["<topic>"], PathLimits(3)))
    found = search(constraint, 2)
    assert found == expected
    assert hub not in {term for terms in remote.asked for term in terms}
    assert len(index.entities) < 100
    again, _, remote = grown(Listed(large), PATH, walks([hub], PathLimits(1)))
    assert len(search(again, 2)) == 2 and remote.asked == [[hub]]


def test_nodes_are_looked_up_when_their_names_are_read() -> None:
    star = [Triple("<topic>", "<r>", f"<leaf {i}>") for i in range(2_000)]
    onward = [Triple(triple.tail, "<s>", f"<end {i % 9}>") for i, triple in enumerate(star)]
    constraint, _, remote = grown(Listed(star + onward), PATH, walks(["<topic>"], PathLimits(2)))
    found = search(constraint, 3)
    asked = {term for terms in remote.asked for term in terms}
    assert {step.source for h in found for step in constraint.path(h.state).steps} <= asked
    assert len(asked) < 100


def test_names_behind_a_hub_are_asked_for_when_a_walk_goes_there() -> None:
    hub = [Triple("<hub>", f"<r{i % 2}>", f"<leaf {i}>") for i in range(2_000)]
    few = [Triple("<hub>", "<other>", f"<few {i}>") for i in range(3)]
    limits = PathLimits(1)
    constraint, index, remote = grown(Listed(hub + few), PATH, walks(["<hub>"], limits))
    assert remote.named == [
        sorted({"<hub>", *(t.relation for t in hub), *few[0][1:], "<few 1>", "<few 2>"})
    ]
    words = by_steps(constraint, lambda: index.requests, forced=True)
    assert len(words) == 2_003
    assert index.requests == 2 and len(remote.named) == 2

    plan, index, remote = grown(Listed(hub + few), PLAN, plans(["<hub>"], PathLimits(2)), 0)
    assert len(language(plan)) == 3
    assert {term for terms in remote.named for term in terms} == {
        "<hub>",
        "<r0>",
        "<r1>",
        "<other>",
    }


def test_topics_are_looked_up_together() -> None:
    some = ["<e1 10>", "<e2 11>", "<nowhere>"]
    automata: list[tuple[Wire, Callable[[Any], Make]]] = [
        (PATH, lambda terms: walks(terms, PathLimits(1))),
        (PLAN, lambda terms: plans(terms, PathLimits(1))),
        (TRIPLE, lambda terms: chains(terms, ChainLimits())),
    ]
    for wire, make in automata:
        constraint, index, remote = grown(Listed(layers(3, 2)), wire, make(some))
        assert remote.asked == [sorted(some)] and len(remote.named) == 1
        language(constraint)
        assert index.requests == 1
        with pytest.raises(NoPathError):
            grown(Listed(layers(3, 2)), wire, make(["<nowhere>"]))


def test_ends_of_many_triples_are_looked_up_together() -> None:
    made = chains(["<topic>"], ChainLimits())
    constraint, index, remote = grown(Listed(layers(6, 3)), TRIPLE, made)
    finished = list(by_steps(constraint, lambda: index.requests, forced=True))
    assert index.requests == 1
    constraint.prepare(finished)
    assert [len(terms) for terms in remote.asked] == [1, 6]
    longer = [constraint.after(constraint.triple(state)) for state in finished]
    assert all(len(language(each)) == 5 + 6 for each in longer)
    assert index.requests == 2


@settings(max_examples=40, deadline=None)
@given(facts=facts(), names=st.sampled_from(["same", "unknown", "number"]), data=st.data())
def test_names_that_tokenise_alike_stay_apart(
    facts: set[worlds.Fact], names: str, data: st.DataObject
) -> None:
    """The words differ from those of a whole index, but the paths do not."""
    spell: dict[str, Callable[[Term], str]] = {
        "same": lambda _: "same",
        "unknown": lambda term: "\u200b" * len(term),
        "number": lambda term: "a (2)" if int(term[-2]) % 2 else "a",
    }
    triples = [Triple(worlds.entity(h), worlds.relation(r), worlds.entity(t)) for h, r, t in facts]
    some, limits = topics(data.draw, facts), PathLimits(2)
    expected = set(oracle.paths(triples, some, limits))
    inner = Listed(sorted(triples), spell[names])
    if not expected:
        return
    constraint, index, _ = grown(inner, PATH, walks(some, limits))
    met = [index.entities[node] for node in range(len(index.entities))]
    assert met == sorted(met)
    words = language(constraint)
    assert {constraint.path(state) for state in words.values()} == expected
    assert len(words) == len(expected)
    for units, size in (
        (index.entity_table, len(index.entities)),
        (index.entity_openings, len(index.entities)),
        (index.relation_table, 2 * len(index.relations)),
    ):
        assert len({*map(units.unit, range(size)), ()}) == size + 1


@settings(max_examples=40, deadline=None)
@given(facts=facts(), data=st.data())
def test_steps_that_are_cut_off_leave_no_dead_end(
    facts: set[worlds.Fact], data: st.DataObject
) -> None:
    """A limit may hide a triple at one of its ends and not at the other."""
    triples = [Triple(worlds.entity(h), worlds.relation(r), worlds.entity(t)) for h, r, t in facts]
    some, inner = topics(data.draw, facts), Listed(sorted(triples))
    for node, steps in inner.steps.items():
        inner.steps[node] = [step for step in steps if data.draw(st.booleans())]
    automata: list[tuple[Wire, Make]] = [
        (PATH, walks(some, PathLimits(2))),
        (PLAN, plans(some, PathLimits(2))),
        (TRIPLE, chains(some, ChainLimits())),
    ]
    for wire, make in automata:
        try:
            constraint, index, _ = grown(inner, wire, make)
            while True:
                words = language(constraint)
                assert words
                if wire != TRIPLE or index.requests > 3:
                    break
                triple = constraint.triple(next(iter(words.values())))
                assert triple in triples
                constraint = constraint.after(triple)
        except NoPathError:
            continue


def test_what_was_asked_before_changes_nothing() -> None:
    graph, tokens = Listed(layers(9, 3)), NameTokens(TOKENIZER)

    def found(topic: Term) -> tuple[Any, list[list[Term]]]:
        remote = Remote(graph)
        made = walks([topic], PathLimits(3))
        constraint = made(GrowingIndex(remote, tokens), None, wire_tokens(TOKENIZER, PATH))
        return search(constraint, 4), remote.asked

    first = found("<topic>")
    for topic in ("<e1 12>", "<e3 14>"):
        found(topic)
    assert found("<topic>") == first


def test_look_up_that_failed_can_be_tried_again() -> None:
    class Flaky(Listed):
        broken = ""

        def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
            if self.broken == "steps":
                raise ServiceError("no answer")
            return super().neighbours(nodes)

        def names(self, terms: Sequence[Term]) -> list[str]:
            if self.broken == "names":
                raise ServiceError("no answer")
            return super().names(terms)

    graph = Flaky(layers(3, 2))
    expected = grown(graph, PATH, walks(["<topic>"], PathLimits(2)))[0]
    remote = Flaky(layers(3, 2))
    constraint = grown(remote, PATH, walks(["<topic>"], PathLimits(2)))[0]
    for remote.broken in ("steps", "names"):
        with pytest.raises(ServiceError):
            search(constraint, 3)
    remote.broken = ""
    assert search(constraint, 3) == search(expected, 3)


def test_paths_of_a_growing_index_can_be_listed(tmp_path: Folder) -> None:
    graph = [(0, 0, 1), (1, 1, 2), (1, 0, 4), (2, 2, 5), (6, 3, 1)]
    kg = worlds.graph(graph, tmp_path)
    whole = build_index(kg, TOKENIZER)
    growing = GrowingIndex(StoreNeighbourhood(kg.store, kg.labels), TOKENS)
    expected, found = (
        list_paths(index, kg.labels, [worlds.entity(0)], PathLimits(3))
        for index in (whole, growing)
    )
    assert expected.complete and found.complete
    assert set(found.paths.values()) == set(expected.paths.values())
    assert growing.requests <= 1 + len({path.relations for path in found.paths.values()})


@given(st.lists(st.lists(st.integers(-9, 9))))
def test_growing_array_holds_what_was_appended(parts: list[list[int]]) -> None:
    grown, whole = GrowingArray([7]), [7]
    for part in parts:
        before = grown.array
        grown.extend(part)
        assert before.tolist() == whole
        whole += part
        assert grown.array.tolist() == whole and len(grown) == len(whole)
