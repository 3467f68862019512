"""Faithfulness: how much of what a method wrote the KG confirms."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...agent.records import Emitted, nothing_emitted
from ..record_lines import is_proof
from ..records import Record
from ..samples import Gold
from ..scoring.metrics import GoldAnswers, Predicted
from .bootstrap import Estimate, mean_interval, ratio_interval


@dataclass(frozen=True)
class Faithfulness:
    """What the store says of answers, and of everything that was written on the way to them."""

    triples: int
    """Distinct triples in the chains of each question's answers."""
    supported: int
    share: float | None
    """None where no answer has a chain."""
    unsupported_answers: int
    """Answers that only a language model asserts; none of them counts as an answer."""
    emitted: Emitted
    """Totals of all that the method wrote, also what was dropped."""
    emitted_supported: Estimate | None
    """The share of emitted triples that the store confirmed; None where nothing was emitted."""
    ill: Estimate | None
    """The share of emitted triples that break the well-formedness of a chain (DoG section 5.1)."""
    right: int
    """Questions whose right answer was given, with a proof or only asserted."""
    proven: int
    """Those of them where a supported chain leads to it."""
    faithful_reasoning: Estimate | None
    """`proven` over `right`: the faithful reasoning ratio (GCR section 5.3)."""
    triplet_questions: int
    """Questions whose dataset gives gold chains."""
    triplet_f1: Estimate | None
    """Mean Triplet-F1 over them (DoG Table 3)."""


def measure_faithfulness(records: Sequence[Record], seed: int = 0) -> Faithfulness:
    """The faithfulness of one method; ratios are of totals, their intervals over questions."""
    triples, supported = sum(r["triples"] for r in records), sum(r["supported"] for r in records)
    emitted = [r["emitted"] for r in records]
    written = [float(e["triples"]) for e in emitted]
    proven = [_is_proven(r) for r in records]
    right = [known or _is_asserted(r) for r, known in zip(records, proven, strict=True)]
    triplets = [r["triplet_f1"] for r in records if r["triplet_f1"] is not None]
    return Faithfulness(
        triples=triples,
        supported=supported,
        share=supported / triples if triples else None,
        unsupported_answers=sum(len(r["unsupported"]) for r in records),
        emitted=_total(emitted),
        emitted_supported=ratio_interval([e["supported"] for e in emitted], written, seed),
        ill=ratio_interval([e["ill"] for e in emitted], written, seed),
        right=sum(right),
        proven=sum(proven),
        faithful_reasoning=ratio_interval(proven, right, seed),
        triplet_questions=len(triplets),
        triplet_f1=mean_interval(triplets, seed) if triplets else None,
    )


def _total(emitted: Sequence[Emitted]) -> Emitted:
    total = nothing_emitted()
    for count in emitted:
        for name in total:
            total[name] += count[name]
    return total


def _is_proven(record: Record) -> bool:
    """Whether a right answer has a chain of which the store confirmed every triple."""
    return any(
        is_proof(chain)
        for answer, right in zip(record["answers"], record["right"], strict=True)
        if right
        for chain in answer["chains"]
    )


def _is_asserted(record: Record) -> bool:
    """Whether a right answer was given without such a chain."""
    if any(record["right"]) or not record["unsupported"]:
        return any(record["right"])
    gold = [Gold(g["term"], g["label"], tuple(g["aliases"])) for g in record["gold"]]
    wanted = GoldAnswers(gold, record["choices"])
    return any(wanted.matched(Predicted("", (label,))) for label in record["unsupported"])
