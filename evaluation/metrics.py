"""The `strict` metrics: what one question's answers are worth, between 0 and 1.

An answer is right when its term is the gold term. Where gold (or the answer) has no term, labels
are compared as `agent.kg.names.normalise` leaves them: case, accents, punctuation and double
spaces make no difference; articles and every other word do. A gold answer's aliases are labels of
it like any other. Where there are choices, an answer that names a wrong one is wrong, whatever
else it names. Answers are sets but for their first: the same term twice is one answer.
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


def strict(
    gold: Sequence[Gold], predicted: Sequence[Predicted], choices: Sequence[str] = ()
) -> Scores | None:
    """Score the answers, best first, against gold; None where gold says there is no answer."""
    wanted = Wanted(gold, choices)
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


class Wanted:
    """Gold answers, each once, found by term or by normalised label; `size` is their number."""

    def __init__(self, gold: Sequence[Gold], choices: Sequence[str] = ()) -> None:
        keys = dict.fromkeys(map(_key, gold))
        place = {key: number for number, key in enumerate(keys)}
        self.size = len(place)
        self._terms = {term: n for (term, _), n in place.items() if term}
        self._free: dict[str, set[int]] = {}
        self._labels: dict[str, set[int]] = {}
        for g in gold:
            number = place[_key(g)]
            for name in {normalise(label) for label in (g.label, *g.aliases) if label}:
                self._labels.setdefault(name, set()).add(number)
                if not g.term:
                    self._free.setdefault(name, set()).add(number)
        self._wrong = {normalise(c) for c in choices} - {normalise(g.label) for g in gold}

    def matched(self, answer: Predicted) -> frozenset[int]:
        """The numbers of the gold answers that an answer stands for."""
        names = {normalise(name) for name in answer.names}
        if names & self._wrong:
            return frozenset()
        known = self._free if answer.term else self._labels
        found = frozenset(n for name in names for n in known.get(name, ()))
        return found | {self._terms[answer.term]} if answer.term in self._terms else found


def _key(gold: Gold) -> tuple[str, str]:
    return gold.term, "" if gold.term else normalise(gold.label)


def _distinct(predicted: Sequence[Predicted]) -> list[Predicted]:
    """Each answer once, with all the names that it was given."""
    found: dict[tuple[str, ...], Predicted] = {}
    for answer in predicted:
        names = () if answer.term else tuple(sorted(normalise(name) for name in answer.names))
        known = found.setdefault((answer.term, *names), answer)
        found[answer.term, *names] = Predicted(answer.term, (*known.names, *answer.names))
    return list(found.values())
