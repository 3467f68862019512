"""The `strict` metrics: what one question's answers are worth, between 0 and 1.

An answer is right when its term is the gold term. Where gold (or the answer) has no term, labels
are compared as `agent.kg.names.normalise` leaves them: case, accents, punctuation and double
spaces make no difference; articles and every other word do. Answers are sets but for their first:
the same term twice is one answer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from typing_extensions import TypedDict

from ..agent.kg.names import normalise
from ..agent.state import StepRecord
from .samples import Gold


@dataclass(frozen=True)
class Predicted:
    """An answer that was given: its term, if it has one, and every name that it goes by."""

    term: str
    names: tuple[str, ...]


class Scores(TypedDict):
    """The strict metrics of a question; silence is worth no more than a wrong answer."""

    hits_at_1: float
    hit: float
    precision: float
    recall: float
    f1: float


Metric: TypeAlias = Literal["hits_at_1", "hit", "f1", "precision", "recall"]

METRICS: tuple[Metric, ...] = ("hits_at_1", "hit", "f1", "precision", "recall")
"""The names of the strict metrics, the headline first."""


class Emitted(NamedTuple):
    """How many distinct triples an answer's chains hold, and how many the store confirmed."""

    triples: int
    supported: int


def no_scores() -> Scores:
    """The scores of an error, an abstention or a miss."""
    return Scores(hits_at_1=0.0, hit=0.0, precision=0.0, recall=0.0, f1=0.0)


def strict(gold: Sequence[Gold], predicted: Sequence[Predicted]) -> Scores | None:
    """Score the answers, best first, against gold; None where gold says there is no answer."""
    wanted = _Wanted(gold)
    if not wanted.size:
        return None
    answers = _distinct(predicted)
    matches = [wanted.matched(answer) for answer in answers]
    right = sum(1 for match in matches if match)
    if not right:
        return no_scores()
    precision = right / len(answers)
    recall = len(frozenset[int]().union(*matches)) / wanted.size
    return Scores(
        hits_at_1=float(bool(wanted.matched(predicted[0]))),
        hit=1.0,
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall),
    )


def emitted(chains: Iterable[Sequence[StepRecord]]) -> Emitted:
    """Count the distinct triples of chains; one is supported if its every verdict says so."""
    verdicts: dict[tuple[str, str, str], bool] = {}
    for chain in chains:
        for step in chain:
            triple = step["head"]["term"], step["relation"]["term"], step["tail"]["term"]
            verdicts[triple] = verdicts.get(triple, True) and step["verdict"] == "supported"
    return Emitted(len(verdicts), sum(verdicts.values()))


class _Wanted:
    """Gold answers, each once, found by term or by normalised label."""

    def __init__(self, gold: Sequence[Gold]) -> None:
        keys = dict.fromkeys((g.term, "" if g.term else normalise(g.label)) for g in gold)
        place = {key: number for number, key in enumerate(keys)}
        self.size = len(place)
        self._terms = {term: n for (term, _), n in place.items() if term}
        self._free = {label: n for (term, label), n in place.items() if not term}
        self._labels: dict[str, set[int]] = {}
        for g in gold:
            number = place[g.term, "" if g.term else normalise(g.label)]
            if g.label:
                self._labels.setdefault(normalise(g.label), set()).add(number)

    def matched(self, answer: Predicted) -> frozenset[int]:
        """The numbers of the gold answers that an answer stands for."""
        names = [normalise(name) for name in answer.names]
        if not answer.term:
            return frozenset(n for name in names for n in self._labels.get(name, ()))
        found = {self._free[name] for name in names if name in self._free}
        if answer.term in self._terms:
            found.add(self._terms[answer.term])
        return frozenset(found)


def _distinct(predicted: Sequence[Predicted]) -> list[Predicted]:
    """Each answer once, with all the names that it was given."""
    found: dict[tuple[str, ...], Predicted] = {}
    for answer in predicted:
        names = () if answer.term else tuple(sorted(normalise(name) for name in answer.names))
        known = found.setdefault((answer.term, *names), answer)
        found[answer.term, *names] = Predicted(answer.term, (*known.names, *answer.names))
    return list(found.values())
