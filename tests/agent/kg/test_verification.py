"""Verdicts: what the source holds, what it does not, and what it could not say."""

from collections.abc import Sequence
from typing import cast

import pyoxigraph as ox
import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import (
    OxigraphStore,
    Path,
    Step,
    Store,
    Triple,
    verify_paths,
)
from groundwalk.agent.kg.terms import unknown_term
from hypothesis import given
from hypothesis import strategies as st


def iri(name: str) -> str:
    return f"<urn:{name}>"


def triple(head: str, relation: str, tail: str) -> Triple:
    return Triple(iri(head), iri(relation), iri(tail))


def store() -> OxigraphStore:
    inner = ox.Store()
    inner.load(b"<urn:a> <urn:p> <urn:b> . <urn:b> <urn:q> <urn:c> .", ox.RdfFormat.TURTLE)
    return OxigraphStore(inner)


class Hesitant:
    """Does not say of triples whose relation is `<urn:q>`."""

    def holds(self, triples: Sequence[Triple]) -> list[bool | None]:
        held = store().holds(triples)
        return [None if t.relation == iri("q") else h for t, h in zip(triples, held, strict=True)]


class Recorder(OxigraphStore):
    """Counts the questions that it is asked."""

    def __init__(self, fails: bool = False) -> None:
        inner = ox.Store()
        inner.load(b"<urn:a> <urn:p> <urn:b> .", ox.RdfFormat.N_TRIPLES)
        super().__init__(inner)
        self.asked: list[Sequence[Triple]] = []
        self.fails = fails

    def holds(self, triples: Sequence[Triple]) -> list[bool]:
        self.asked.append(list(triples))
        if self.fails:
            raise ServiceError("no answer")
        return super().holds(triples)


AB = Step(triple("a", "p", "b"))
BC = Step(triple("b", "q", "c"))
NO = Step(triple("b", "q", "d"))
CASES = {
    "true": (Path(iri("a"), (AB, BC)), "supported", ("supported", "supported"), True),
    "backwards": (
        Path(iri("c"), (Step(BC.triple, True), Step(AB.triple, True))),
        "supported",
        ("supported", "supported"),
        True,
    ),
    "false": (Path(iri("a"), (AB, NO)), "unsupported", ("supported", "unsupported"), True),
    "wrong direction": (
        Path(iri("b"), (Step(triple("b", "p", "a")),)),
        "unsupported",
        ("unsupported",),
        True,
    ),
    "not connected": (Path(iri("b"), (AB, BC)), "unsupported", ("supported", "supported"), False),
    "not from a topic": (Path(iri("x"), ()), "unsupported", (), False),
    "no steps": (Path(iri("a"), ()), "unsupported", (), True),
}


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case: str) -> None:
    path, verdict, steps, connected = CASES[case]
    (judged,) = verify_paths(store(), [iri("a"), iri("b"), iri("c")], [path])
    assert judged == (path, verdict, steps, connected)


def test_one_question_for_all_distinct_triples() -> None:
    source = Recorder()
    paths = [Path(iri("a"), (AB, Step(AB.triple, True))), Path(iri("a"), (AB, BC))]
    judged = verify_paths(source, [iri("a")], paths)
    assert source.asked == [[AB.triple, BC.triple]]
    assert [j.verdict for j in judged] == ["supported", "unsupported"]
    assert verify_paths(source, [], []) == []


def test_no_answer_is_unknown_but_a_broken_chain_stays_unsupported() -> None:
    paths = [Path(iri("a"), (AB,)), Path(iri("a"), (BC,))]
    judged = verify_paths(Recorder(fails=True), [iri("a")], paths)
    assert [(j.verdict, j.steps) for j in judged] == [
        ("unknown", ("unknown",)),
        ("unsupported", ("unknown",)),
    ]


def test_where_the_store_does_not_say_a_triple_the_path_is_unknown() -> None:
    wrong = Step(triple("b", "p", "d"))
    paths = [Path(iri("a"), steps) for steps in ((AB,), (AB, BC), (AB, BC, wrong), (BC,))]
    judged = verify_paths(cast(Store, Hesitant()), [iri("a")], paths)
    assert [(j.verdict, j.steps) for j in judged] == [
        ("supported", ("supported",)),
        ("unknown", ("supported", "unknown")),
        ("unsupported", ("supported", "unknown", "unsupported")),
        ("unsupported", ("unknown",)),
    ]


NAMES = st.sampled_from("abcd")
STEPS = st.builds(
    Step,
    st.builds(Triple, NAMES.map(iri), st.sampled_from("pq").map(iri), NAMES.map(iri)),
    st.booleans(),
)


@given(st.builds(Path, NAMES.map(iri), st.lists(STEPS, max_size=3).map(tuple)))
def test_supported_means_connected_and_held(path: Path) -> None:
    source = store()
    (judged,) = verify_paths(source, [iri("a")], [path])
    held = source.holds([step.triple for step in path.steps])
    places = [path.topic, *(step.target for step in path.steps)]
    follows = all(step.source == place for step, place in zip(path.steps, places, strict=False))
    expected = bool(path.steps) and all(held) and follows and path.topic == iri("a")
    assert (judged.verdict == "supported") == expected


def test_a_chain_may_branch_where_a_path_may_not() -> None:
    branching = Path(iri("b"), (BC, AB))
    (as_path,) = verify_paths(store(), [iri("b")], [branching])
    (as_chain,) = verify_paths(store(), [iri("b")], [branching], chains={branching})
    assert (as_path.verdict, as_path.connected) == ("unsupported", False)
    assert (as_chain.verdict, as_chain.connected) == ("supported", True)


def test_a_chain_that_touches_nothing_before_it_is_unsupported() -> None:
    loose = Path(iri("c"), (AB, BC))
    (judged,) = verify_paths(store(), [iri("c")], [loose], chains={loose})
    assert (judged.verdict, judged.connected) == ("unsupported", False)


def test_a_name_of_nothing_is_unsupported_and_not_asked_for() -> None:
    asked = Recorder()
    step = Step(Triple(iri("a"), unknown_term("likes"), iri("b")))
    (judged,) = verify_paths(asked, [iri("a")], [Path(iri("a"), (AB, step))])
    assert judged.steps == ("supported", "unsupported")
    assert [t for batch in asked.asked for t in batch] == [AB.triple]
