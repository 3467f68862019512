"""The summary of a run: groups, faithfulness, costs and troubles, method by method."""

import random
from statistics import mean, median

import pytest
from groundwalk.agent.records import Answer, Emitted, no_usage, nothing_emitted
from groundwalk.evaluation.analysis.summary import RunSummary, Summary, summarise, summarise_method
from groundwalk.evaluation.records import Asked, Record, answered
from groundwalk.evaluation.report.terminal import trouble_lines
from groundwalk.evaluation.samples import Gold, Sample

from ..stub_records import stub_records
from ..stubs import proven, says

ASKED = Asked("d", "s", "gcr")
LIMA = (Gold(label="Lima"),)


def record(
    *answers: Answer,
    sample: Sample | None = None,
    unsupported: tuple[str, ...] = (),
    emitted: Emitted | None = None,
) -> Record:
    state = says(*answers, unsupported=unsupported)
    state["emitted"] = emitted or nothing_emitted()
    return answered(sample or Sample("1", "q", LIMA), ASKED, state, 0.1)


def summary(*records: Record) -> Summary:
    return summarise_method(records)


def test_methods_are_summed_up_apart() -> None:
    gcr, plan = stub_records("gcr"), stub_records("plan")[:2]
    mixed = [gcr[0], *plan, *gcr[1:]]
    found = summarise(mixed, seed=3)
    assert list(found.methods) == ["gcr", "plan"]
    assert found.methods["gcr"] == summarise_method(gcr, seed=3)
    assert found.methods["plan"].questions == 2
    assert summarise([]) == RunSummary(2, {})


def test_the_order_of_records_makes_no_difference() -> None:
    records = stub_records()
    shuffled = random.Random(0).sample(records, len(records))
    one, other = summary(*records), summary(*shuffled)
    assert (one.accuracy, one.by_hops, one.by_tag) == (other.accuracy, other.by_hops, other.by_tag)
    assert one.costs == other.costs
    assert one.faithfulness == other.faithfulness


def test_groups() -> None:
    def asked(number: int, kind: str, *tags: str, hops: int = 1) -> Record:
        gold = tuple(Gold(label=f"g{i}") for i in range(number))
        return record(sample=Sample("1", "q", gold, type=kind, tags=tags, hops=hops))

    found = summary(
        asked(1, "b", "x", "y", hops=10),
        asked(4, "a", "x", "x", hops=2),
        asked(9, "a"),
        asked(12, ""),
        asked(0, "c", "z"),
    )
    assert {k: v.questions for k, v in found.by_tag.items()} == {"x": 2, "y": 1}
    assert {k: v.questions for k, v in found.by_type.items()} == {"a": 2, "b": 1}
    assert list(found.by_hops) == ["1", "2", "10"]
    assert list(found.by_answers) == ["1", "2-4", "5-9", "10+"]


def test_the_faithful_reasoning_ratio() -> None:
    found = summary(
        record(proven("Lima")),
        record(proven("Lima"), unsupported=("Oslo",)),
        record(unsupported=("Oslo", "lima")),
        record(proven("Lima", "unsupported")),
        record(proven("Oslo"), unsupported=("Oslo",)),
        record(),
        record(proven("Lima"), sample=Sample("1", "q")),
    ).faithfulness
    assert (found.right, found.proven) == (4, 2)
    assert found.faithful_reasoning is not None
    assert found.faithful_reasoning.mean == 0.5


def test_nothing_right_has_no_ratio() -> None:
    assert summary(record(proven("Oslo"))).faithfulness.faithful_reasoning is None


def test_what_was_emitted_is_a_share_of_totals() -> None:
    def wrote(triples: int, supported: int, ill: int) -> Record:
        counts = Emitted(
            triples=triples,
            supported=supported,
            unsupported=triples - supported,
            unknown=0,
            ill=ill,
            chains=2,
            supported_chains=1,
        )
        return record(emitted=counts)

    found = summary(wrote(8, 8, 0), wrote(2, 1, 2), record()).faithfulness
    assert found.emitted == {
        **nothing_emitted(),
        "triples": 10,
        "supported": 9,
        "unsupported": 1,
        "ill": 2,
        "chains": 4,
        "supported_chains": 2,
    }
    assert found.emitted_supported is not None
    assert found.ill is not None
    assert (found.emitted_supported.mean, found.ill.mean) == (0.9, 0.2)
    assert found.ill.low == 0 < found.ill.mean < found.ill.high <= 1
    assert summary(record()).faithfulness.emitted_supported is None


def test_triplet_f1_is_over_the_questions_that_have_gold_chains() -> None:
    chained = Sample("1", "q", LIMA, chains=((("Peru", "has", "Lima"),),))
    found = summary(
        record(proven("Lima"), sample=chained), record(sample=chained), record(proven("Lima"))
    ).faithfulness
    assert found.triplet_questions == 2
    assert found.triplet_f1 is not None
    assert found.triplet_f1.mean == 0.5


def test_costs_of_a_question() -> None:
    tokens = [10, 20, 90, 1000]
    records = [record() for _ in tokens]
    for one, count in zip(records, tokens, strict=True):
        one["usage"] = {**no_usage(), "tokens": count}
        one["seconds"] = count / 10
    costs = summary(*records).costs
    spread = costs.per_question["tokens"]
    assert list(costs.per_question) == list(no_usage())
    assert (spread.median, spread.mean.mean) == (median(tokens), mean(tokens))
    assert 90 < spread.p95 < 1000
    assert spread.mean.low < spread.mean.mean < spread.mean.high
    assert costs.per_question["seconds"].median == costs.median_seconds == 5.5
    assert (costs.tokens, costs.seconds, costs.slowest_seconds) == (1120, 112, 100)


def test_troubles() -> None:
    records = stub_records()
    records[3]["topics"] = [
        {"term": "<urn:a>", "label": "a", "kind": "", "description": "", "score": 1.0}
    ]
    records += [record(), record()]
    records[-1]["status"], records[-2]["status"] = "ambiguous", "unchecked"
    found = summary(*records).troubles
    assert (found.errors, found.no_topic, found.ambiguous, found.unchecked) == (2, 1, 1, 1)


def test_questions_that_the_llm_did_not_answer_are_counted() -> None:
    voted, silent, fine = record(proven("Lima")), record(), record(proven("Lima"))
    voted["usage"]["llm_failed"], voted["reasoner"] = 1, "vote"
    silent["usage"]["llm_failed"], silent["reasoner"] = 3, "llm"
    fine["reasoner"] = "vote"
    found = summary(voted, silent, fine)
    assert (found.troubles.llm_failed, found.troubles.voted, found.costs.llm_failed) == (2, 1, 4)


def test_a_vote_that_came_to_nothing_answered_instead_of_no_llm() -> None:
    nothing = record()
    nothing["usage"]["llm_failed"], nothing["reasoner"] = 1, "vote"
    found = summary(nothing)
    assert (found.troubles.llm_failed, found.troubles.voted) == (1, 0)
    assert trouble_lines(found)[0] == "the LLM did not answer for 1 of 1 questions"


def test_an_answer_to_an_unanswerable_question_is_counted() -> None:
    found = summary(*stub_records())
    assert found.unanswerable_answered is not None
    assert found.unanswerable_answered.mean == pytest.approx(1 / 3)
    assert summary(record()).unanswerable_answered is None
    assert found.calibration is not None
    assert (found.calibration.questions, found.calibration.answered) == (7, 3)
