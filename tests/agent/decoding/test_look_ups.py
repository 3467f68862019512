"""A growing index looks up little, and all at once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from groundwalk.agent.decoding.chains import ChainLimits
from groundwalk.agent.decoding.constraint import Constraint
from groundwalk.agent.decoding.growing import GrowingIndex, NameTokens
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH, PLAN, TRIPLE, Wire
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import Term, Triple
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, worlds
from .language import TOKENIZERS, facts, language, topics
from .neighbourhoods import (
    Listed,
    Make,
    chains,
    grown,
    layers,
    pair,
    plans,
    search,
    walks,
)


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
    family=st.sampled_from(sorted(TOKENIZERS)),
    few=st.sampled_from([0, 2, 100]),
    data=st.data(),
)
def test_one_look_up_serves_all_states_of_a_step(
    facts: set[worlds.Fact],
    hops: int,
    inverse: bool,
    revisits: Any,
    family: str,
    few: int,
    data: st.DataObject,
) -> None:
    some = topics(data.draw, facts)
    limits = PathLimits(hops, inverse, revisits)
    reached = replace(limits, revisits="no-topic")
    with pair(facts, family, few) as both:
        units = oracle.topic_units(both.graph.kg, both.tokenizer, both.graph.index, some)
        automata: list[tuple[Wire, Make, str]] = [
            (PATH, lambda index, _, tags: ReasoningPaths(index, units, tags, limits), "path"),
            (PLAN, plans(some, reached), "relations"),
            (TRIPLE, chains(some, ChainLimits()), "step"),
            (TRIPLE, chains(some, ChainLimits(spelling="walk")), "step"),
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
        fresh = GrowingIndex(both.remote, tokens, small_run=few)
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
    star.append(Triple("<bud>", "<r0>", "<leaf>"))
    some = ["<hub>", "<bud>"]
    make = walks(some, PathLimits(1)) if wire == PATH else chains(some, ChainLimits())

    def spell(term: Term) -> str:
        return names.get(term, term[1:-1])

    constraint, _, _ = grown(Listed(star, spell), wire, make, few)
    assert len(language(constraint)) == len(star)
    prepared, index, _ = grown(Listed(star, spell), wire, make, few)
    assert len(by_steps(prepared, lambda: index.requests, forced=False)) == len(star)


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
