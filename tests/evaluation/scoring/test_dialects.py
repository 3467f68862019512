"""The dialects: published numbers, examples worked by hand, and an oracle of their own."""

import json
import re
import string
from pathlib import Path

import pytest
from groundwalk.evaluation.scoring.predictions import DIALECTS, Scorer, gcr, rog, strict
from hypothesis import given
from hypothesis import strategies as st

TEXT = st.text("aAtThHeEnN lL.é\n\u00a0", max_size=12)
PREDICTION = st.one_of(TEXT, st.lists(TEXT, max_size=6))
GOLD = st.lists(TEXT, min_size=1, max_size=5)


@pytest.mark.data("published-predictions/webqsp-gnn-rag-rearev-sbert.jsonl")
def test_the_published_numbers_of_gnn_rag(public_data: Path) -> None:
    file = public_data / "published-predictions" / "webqsp-gnn-rag-rearev-sbert.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    scored = [rog(line["prediction"], line["ground_truth"]) for line in lines]
    means = {name: round(100 * sum(s[name] for s in scored) / 1628, 4) for name in scored[0]}
    assert means == {
        "Accuracy": 73.7665,
        "Hit": 85.6880,
        "Hit1": 80.5897,
        "F1": 71.2826,
        "Precision": 77.1851,
        "Recall": 73.7665,
    }


def test_substrings_count_for_the_published_ones_only() -> None:
    said, gold = "Limassol is the answer", ["Lima"]
    assert gcr(said, gold)["Hit"] == rog(said, gold)["Hit1"] == 1
    assert strict(said, gold)["Hit"] == 0


def test_precision_counts_golds_in_rog_and_lines_in_gcr() -> None:
    said, gold = "Lima, Oslo and Rome\nnobody knows", ["Lima", "Oslo", "Rome"]
    assert rog(said, gold)["Precision"] == 3 / 2
    assert rog(said, gold)["F1"] == pytest.approx(2 * 1.5 / 2.5)
    assert gcr(said, gold)["Precision"] == 1 / 2
    assert strict(said, gold)["Precision"] == 0


def test_lines_are_deduplicated_by_frequency_in_gcr() -> None:
    said = "York\nNew\nnone\nNew"
    assert gcr(said, ["New York"])["Hit"] == 1  # "New York none", once sorted
    assert gcr(said, ["New York"])["Precision"] == 0
    assert rog(said, ["New York"])["Hit"] == 0
    assert gcr("Lima\nLima\nOslo", ["Lima"])["Precision"] == 1 / 2
    assert rog("Lima\nLima\nOslo", ["Lima"])["Precision"] == 1 / 3
    assert rog(["Lima", "Lima", "Oslo"], ["Lima"])["Precision"] == 1 / 2


def test_repeated_golds_each_count() -> None:
    assert rog("Lima", ["Lima", "LIMA", "Oslo"])["Accuracy"] == 2 / 3
    assert gcr("Lima", ["Lima", "LIMA", "Oslo"])["Recall"] == 2 / 3
    assert strict("Lima", ["Lima", "LIMA", "Oslo"])["Recall"] == 1 / 2


@pytest.mark.parametrize("scorer", [gcr, rog])
def test_empty_predictions(scorer: Scorer) -> None:
    for nothing in ("", [], [""], "\n"):
        assert set(scorer(nothing, ["Lima"]).values()) == {0.0}
    assert scorer("", ["The"])["Accuracy"] == 1  # nothing is left of it, which is everywhere
    assert scorer([], ["The"])["Recall"] == 0


@pytest.mark.parametrize(
    ("said", "gold", "found"),
    [
        ("THE MATRIX", "Matrix", True),
        ("face/off", "Faceoff", True),
        ("face off", "Face/Off", False),
        ("Academy of an Art", "academy of art", True),
        ("Anna", "nna", True),
        ("Córdoba", "Cordoba", False),
        ("“Heroes”", "Heroes", True),
        ("Heroes", "“Heroes”", False),
        ("a  b", "b", True),
    ],
)
@pytest.mark.parametrize("scorer", [gcr, rog])
def test_what_is_the_same(scorer: Scorer, said: str, gold: str, found: bool) -> None:
    assert scorer(said, [gold])["Hit"] == found


def oracle_simple(text: str) -> str:
    text = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


@given(PREDICTION, GOLD)
def test_against_the_description(said: str | list[str], gold: list[str]) -> None:
    lines = said.split("\n") if isinstance(said, str) else list(said)
    unique = sorted(dict.fromkeys(lines), key=lambda x: -lines.count(x))
    for name, kept in (("gcr", unique), ("rog", lines if isinstance(said, str) else unique)):
        joined = oracle_simple(" ".join(kept))
        hits = [g for g in gold if oracle_simple(g) in joined]
        good = [x for x in kept if any(oracle_simple(g) in oracle_simple(x) for g in gold)]
        counted = good if name == "gcr" else hits
        scores = DIALECTS[name](said, gold)
        assert scores["Hit"] == bool(hits)
        assert scores["Accuracy"] == len(hits) / len(gold)
        precision, recall = scores["Precision"], scores["Recall"]
        if kept:
            assert (precision, recall) == (len(counted) / len(kept), scores["Accuracy"])
        else:
            assert (precision, recall) == (0, 0)
        assert scores["F1"] * (precision + recall) == pytest.approx(2 * precision * recall)
        if name == "rog":
            first = oracle_simple(kept[0]) if kept else None
            assert scores["Hit1"] == (
                first is not None and any(oracle_simple(g) in first for g in gold)
            )


@given(PREDICTION, GOLD)
def test_strict_is_never_above_a_hit_of_the_whole_text(
    said: str | list[str], gold: list[str]
) -> None:
    scores = strict(said, gold)
    assert all(0 <= value <= 1 for value in scores.values())
    assert scores["Hits@1"] <= scores["Hit"]


@given(PREDICTION, GOLD)
def test_names_of_metrics_never_change(said: str | list[str], gold: list[str]) -> None:
    for scorer in DIALECTS.values():
        assert list(scorer(said, gold)) == list(scorer("x", ["y"]))
