"""The strict metrics against examples worked by hand, and what must hold for any answers."""

from typing import TypeVar

import pytest
from groundwalk.agent.records import Named, StepRecord
from groundwalk.evaluation.samples import Gold
from groundwalk.evaluation.scoring.metrics import (
    METRICS,
    Predicted,
    Scores,
    count_triples,
    no_scores,
    strict,
)
from hypothesis import given
from hypothesis import strategies as st

T = TypeVar("T")
NAMES = st.sampled_from(["Paris", "paris", "Lima", "Oslo", "São Paulo", "Sao Paulo", "$"])
TERMS = st.sampled_from(["", "<urn:a>", "<urn:b>", "<urn:c>"])
GOLD = st.lists(st.builds(Gold, TERMS, NAMES), min_size=1, max_size=6)
PREDICTED = st.lists(st.builds(Predicted, TERMS, st.tuples(NAMES)), max_size=6)


def orders(items: list[T]) -> st.SearchStrategy[tuple[list[T], list[T]]]:
    return st.tuples(st.just(items), st.permutations(items))


def named(*names: str) -> list[Predicted]:
    return [Predicted(f"<urn:{name}>", (name,)) for name in names]


def labels(*names: str) -> list[Gold]:
    return [Gold(label=name) for name in names]


def score(gold: list[Gold], predicted: list[Predicted]) -> Scores:
    scores = strict(gold, predicted)
    assert scores is not None
    return scores


def test_two_of_three_right_and_the_first_wrong() -> None:
    scores = score(labels("Lima", "Oslo", "Rome", "Bern"), named("Paris", "Oslo", "Lima"))
    assert scores["hits_at_1"] == 0
    assert scores["hit"] == 1
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == pytest.approx(1 / 2)
    assert scores["f1"] == pytest.approx(4 / 7)


def test_all_right() -> None:
    assert set(score(labels("Lima", "Oslo"), named("Oslo", "Lima")).values()) == {1.0}


@pytest.mark.parametrize("predicted", [[], named("Paris")])
def test_silence_and_a_miss_are_zero(predicted: list[Predicted]) -> None:
    assert set(score(labels("Lima"), predicted).values()) == {0.0}


def test_without_gold_there_are_no_scores() -> None:
    assert strict([], named("Paris")) is None


@pytest.mark.parametrize(
    ("gold", "answer", "same"),
    [
        ("São Paulo", "sao  paulo", True),
        ("Face/Off", "face off", True),
        ("$", "$", True),
        ("The Matrix", "Matrix", False),
        ("Lima", "Lima, Peru", False),
        ("Lima", "Limas", False),
    ],
)
def test_what_normalised_exact_match_means(gold: str, answer: str, same: bool) -> None:
    assert score(labels(gold), named(answer))["hit"] == same


def test_a_gold_term_is_not_met_by_another_thing_of_that_name() -> None:
    gold = [Gold("<urn:georgia>", "Georgia")]
    assert score(gold, [Predicted("<urn:georgia-us>", ("Georgia",))])["hit"] == 0
    assert score(gold, [Predicted("<urn:georgia>", ("Sakartvelo",))])["hit"] == 1


def test_an_answer_without_a_term_is_compared_by_label() -> None:
    assert score([Gold("<urn:georgia>", "Georgia")], [Predicted("", ("georgia",))])["hit"] == 1


def test_any_name_of_an_answer_may_match() -> None:
    assert (
        score(labels("Georgia"), [Predicted("<urn:g>", ("Georgia (state)", "Georgia"))])["f1"] == 1
    )


def test_two_things_of_one_name_do_not_raise_recall() -> None:
    gold = labels("Georgia", "Peru")
    both = [Predicted("<urn:g1>", ("Georgia",)), Predicted("<urn:g2>", ("Georgia",))]
    scores = score(gold, both)
    assert (scores["precision"], scores["recall"]) == (1, 0.5)


def test_repeated_answers_and_repeated_gold_count_once() -> None:
    scores = score(labels("Lima", "LIMA"), named("Lima", "Oslo", "Lima"))
    assert (scores["hits_at_1"], scores["precision"], scores["recall"]) == (1, 0.5, 1)


@given(GOLD, PREDICTED)
def test_bounds(gold: list[Gold], predicted: list[Predicted]) -> None:
    scores = score(gold, predicted)
    assert sorted(scores) == sorted(METRICS)
    assert all(0 <= scores[metric] <= 1 for metric in METRICS)
    assert scores["hits_at_1"] <= scores["hit"]
    low, high = sorted((scores["precision"], scores["recall"]))
    assert low - 1e-9 <= scores["f1"] <= high + 1e-9
    assert (scores["f1"] > 0) == (scores["hit"] == 1)


@given(GOLD.flatmap(orders), PREDICTED.flatmap(orders))
def test_order_matters_only_to_hits_at_1(
    gold: tuple[list[Gold], list[Gold]], predicted: tuple[list[Predicted], list[Predicted]]
) -> None:
    before, after = score(gold[0], predicted[0]), score(gold[1], predicted[1])
    for metric in ("hit", "precision", "recall", "f1"):
        assert before[metric] == pytest.approx(after[metric])


@given(GOLD, PREDICTED, PREDICTED)
def test_hits_at_1_looks_at_the_first_only(
    gold: list[Gold], predicted: list[Predicted], more: list[Predicted]
) -> None:
    if predicted:
        alone = score(gold, predicted[:1])["hits_at_1"]
        assert score(gold, [*predicted, *more])["hits_at_1"] == alone
        assert alone == score(gold, predicted[:1])["hit"]


@given(GOLD, PREDICTED)
def test_saying_it_twice_changes_nothing(gold: list[Gold], predicted: list[Predicted]) -> None:
    assert score(gold, predicted + predicted) == score(gold, predicted)


def step(tail: str, verdict: str = "supported", *, inverse: bool = False) -> StepRecord:
    head, relation, end = (Named(term=f"<urn:{n}>", label=n) for n in ("h", "r", tail))
    return StepRecord(head=head, relation=relation, tail=end, inverse=inverse, verdict=verdict)


def test_emitted_triples_are_counted_once() -> None:
    chains = [[step("a"), step("b", "unsupported")], [step("a", inverse=True), step("c")]]
    assert count_triples(chains) == (3, 2)


def test_a_triple_is_supported_only_if_every_verdict_says_so() -> None:
    assert count_triples([[step("a")], [step("a", "unknown")]]) == (1, 0)
    assert count_triples([]) == (0, 0)


def test_an_alias_is_a_name_of_the_same_answer() -> None:
    gold = [Gold(label="Cape Town", aliases=("Kaapstad", "iKapa"))]
    scores = score(gold, named("Kaapstad", "Cape Town"))
    assert (scores["hits_at_1"], scores["precision"], scores["recall"]) == (1, 1, 1)
    assert score([Gold("<urn:c>", "Cape Town", ("Kaapstad",))], named("Kaapstad"))["hit"] == 0
    termless = [Predicted("", ("kaapstad",))]
    assert score([Gold("<urn:c>", "Cape Town", ("Kaapstad",))], termless)["hit"] == 1


def test_an_alias_of_two_answers_stands_for_both() -> None:
    gold = [Gold(label="Georgia", aliases=("GA",)), Gold(label="Gabon", aliases=("GA",))]
    assert score(gold, named("ga"))["recall"] == 1


def test_of_choices_the_right_one_alone_is_right() -> None:
    gold, choices = [Gold(label="bank", aliases=("financial bank",))], ("bank", "river")

    def chosen(*answers: Predicted) -> Scores | None:
        return strict(gold, answers, choices)

    assert chosen(Predicted("<urn:1>", ("Bank",))) == score(gold, named("bank"))
    assert chosen(Predicted("", ("river",))) == no_scores()
    assert chosen(Predicted("<urn:1>", ("bank", "river"))) == no_scores()
    assert chosen(*named("nothing of the kind")) == no_scores()
    both = chosen(*named("river", "bank"))
    assert both is not None
    assert (both["hits_at_1"], both["precision"], both["recall"]) == (0, 0.5, 1)


def test_an_alias_that_is_a_wrong_choice_is_wrong() -> None:
    gold = [Gold(label="bank", aliases=("river",))]
    assert strict(gold, named("river"), ("bank", "river")) == no_scores()
