"""verify: what counts as proven, and what a method wrote in all."""

from collections.abc import Sequence
from typing import Any, cast

import pyoxigraph as ox
from groundwalk.agent.kg import OxigraphStore, Triple
from groundwalk.agent.kg.labels.names import local_name
from groundwalk.agent.kg.terms import unknown_term
from groundwalk.agent.nodes.verify import verify
from groundwalk.agent.records import Answer, Entity, Form, Named, StepRecord

TRIPLES = b"<urn:a> <urn:p> <urn:b> . <urn:b> <urn:q> <urn:c> . <urn:d> <urn:p> <urn:b> ."


class KG:
    """The part of a KG that the node asks."""

    def __init__(self) -> None:
        inner = ox.Store()
        inner.load(TRIPLES, ox.RdfFormat.TURTLE)
        self.store = OxigraphStore(inner)


class Run:
    """A runtime that keeps nothing."""

    context = None

    @staticmethod
    def stream_writer(event: object) -> None:
        del event


def named(name: str) -> Named:
    term = name if name.startswith("?") else f"<urn:{name}>"
    return Named(term=term, label=local_name(term))


def step(head: str, relation: str, tail: str, *, inverse: bool = False) -> StepRecord:
    return StepRecord(
        head=named(head),
        relation=named(relation),
        tail=named(tail),
        inverse=inverse,
        verdict="unknown",
    )


def answer(name: str, *steps: StepRecord, form: Form = "path") -> Answer:
    return Answer(**named(name), score=1.0, chains=[[*steps]], form=form)


def outcome(*answers: Answer) -> Any:
    topic = Entity(**named("a"), kind="", description="", score=1.0)
    node = verify(cast(Any, KG()))
    return node({"topics": [topic], "answers": [*answers]}, cast(Any, Run()))


def labels(state: Any) -> list[str]:
    return [a["label"] for a in state["answers"]]


def test_an_answer_must_be_where_its_path_ends() -> None:
    path = step("a", "p", "b"), step("b", "q", "c")
    assert labels(outcome(answer("c", *path))) == ["c"]
    assert labels(outcome(answer("b", *path))) == []


def test_a_chain_may_branch_and_must_hold_its_answer() -> None:
    chain = step("a", "p", "b"), step("d", "p", "b", inverse=True), step("b", "q", "c")
    assert labels(outcome(answer("d", *chain, form="chain"))) == ["d"]
    assert labels(outcome(answer("d", *chain))) == []
    assert labels(outcome(answer("x", *chain, form="chain"))) == []


def test_an_answer_without_triples_is_none() -> None:
    assert outcome(answer("a"))["status"] == "abstained"


def test_counts_are_of_distinct_triples_before_anything_is_dropped() -> None:
    right = answer("b", step("a", "p", "b"))
    made_up = answer("b", step("a", unknown_term("likes"), "b"))
    other = answer("b", step("a", unknown_term("hates"), "b"))
    loose = answer("c", step("b", "q", "c"))
    found = outcome(right, right, made_up, other, loose)["emitted"]
    assert found == {
        "triples": 4,
        "supported": 2,
        "unsupported": 2,
        "unknown": 0,
        "ill": 3,
        "chains": 4,
        "supported_chains": 1,
    }


def test_walks_that_could_not_be_checked_are_told() -> None:
    kg = KG()
    triples = kg.store.facts()
    silent = next(triple for triple in triples if triple.head == "<urn:b>")

    class Forgetful(OxigraphStore):
        def holds(self, triples: Sequence[Triple]) -> list[Any]:
            return [None if t == silent else True for t in triples]

    kg.store = Forgetful(ox.Store())
    node = verify(cast(Any, kg))
    right = answer("b", step("a", "p", "b"))
    unsure = answer("c", step("a", "p", "b"), step("b", "q", "c"))
    topic = Entity(**named("a"), kind="", description="", score=1.0)
    told = "walks could not be checked: the graph does not say clearly what it holds"
    for answers, status, notes in (
        ([right], "answered", []),
        ([right, unsure], "answered", ["so far", f"1 of 2 {told}"]),
        ([unsure, unsure], "unchecked", [f"1 of 1 {told}"]),
    ):
        state: Any = {"topics": [topic], "answers": answers, "notes": notes[:-1]}
        found: Any = node(state, cast(Any, Run()))
        assert (found["status"], found["notes"]) == (status, notes)
        assert labels(found) == (["b"] if status == "answered" else [])
