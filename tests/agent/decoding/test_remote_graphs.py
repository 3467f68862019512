"""A growing index bears what a remote graph may do."""

from collections.abc import Callable, Sequence
from pathlib import Path as Folder
from typing import Any

import pytest
from groundwalk.agent.decoding.chains import ChainLimits
from groundwalk.agent.decoding.growing import GrowingArray, GrowingIndex, NameTokens
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.remote import list_paths
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH, PLAN, TRIPLE, Wire
from groundwalk.agent.errors import NoPathError, ServiceError
from groundwalk.agent.kg import Step, Term, Triple
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, worlds
from .language import facts, language, topics
from .neighbourhoods import (
    TOKENIZER,
    TOKENS,
    Listed,
    Make,
    Remote,
    chains,
    grown,
    layers,
    plans,
    search,
    stored,
    walks,
)


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
    growing = GrowingIndex(stored(kg), TOKENS)
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
