"""The `strict` metrics: what one question's answers are worth, between 0 and 1.

An answer is right when its term is the gold term. Where gold (or the answer) has no term, labels
are compared as `agent.kg.labels.names.normalise` leaves them: case, accents, punctuation and double
spaces make no difference; articles and every other word do. A gold answer's aliases are labels of
it like any other. Where there are choices, an answer that names a wrong one is wrong, whatever
else it names. Answers are sets but for their first: the same term twice is one answer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from ...agent.kg.labels.names import local_name, normalise
from ...agent.records import Named, StepRecord
from ..samples import Gold, NamedTriple

_TERM = re.compile(r'<[^<>"{}|^`\\\s]*>|_:\S+|".*"(@\S+|\^\^<\S*>)', re.DOTALL)
"""What can only be a term in N-Triples syntax; a text in plain quotes may be a name too."""


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

METRIC_TITLES: dict[Metric, str] = {
    "hits_at_1": "Hits@1",
    "hit": "Hit",
    "f1": "F1",
    "precision": "Precision",
    "recall": "Recall",
}
METRICS: tuple[Metric, ...] = tuple(METRIC_TITLES)
"""The names of the strict metrics, the headline first."""


def no_scores() -> Scores:
    """The scores of an error, an abstention or a miss."""
    return Scores(hits_at_1=0.0, hit=0.0, precision=0.0, recall=0.0, f1=0.0)


def strict(
    gold: Sequence[Gold], predicted: Sequence[Predicted], choices: Sequence[str] = ()
) -> Scores | None:
    """Score the answers, best first, against gold; None where gold says there is no answer."""
    wanted = GoldAnswers(gold, choices)
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


def count_triples(chains: Iterable[Sequence[StepRecord]]) -> tuple[int, int]:
    """How many distinct triples chains hold, and how many of them every verdict supports."""
    verdicts: dict[tuple[str, str, str], bool] = {}
    for chain in chains:
        for step in chain:
            triple = step["head"]["term"], step["relation"]["term"], step["tail"]["term"]
            verdicts[triple] = verdicts.get(triple, True) and step["verdict"] == "supported"
    return len(verdicts), sum(verdicts.values())


class GoldAnswers:
    """Gold answers, each once, found by term or by normalised label; `size` is their number."""

    def __init__(self, gold: Sequence[Gold], choices: Sequence[str] = ()) -> None:
        keys = dict.fromkeys(map(_key, gold))
        numbers = {key: number for number, key in enumerate(keys)}
        self.size = len(numbers)
        self._terms = {term: n for (term, _), n in numbers.items() if term}
        self._free: dict[str, set[int]] = {}
        self._labels: dict[str, set[int]] = {}
        for g in gold:
            number = numbers[_key(g)]
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
        matches = frozenset(n for name in names for n in known.get(name, ()))
        return matches | {self._terms[answer.term]} if answer.term in self._terms else matches


def _key(gold: Gold) -> tuple[str, str]:
    return gold.term, "" if gold.term else normalise(gold.label)


def _distinct(predicted: Sequence[Predicted]) -> list[Predicted]:
    """Each answer once, with all the names that it was given."""
    answers: dict[tuple[str, ...], Predicted] = {}
    for answer in predicted:
        names = () if answer.term else tuple(sorted(normalise(name) for name in answer.names))
        known = answers.setdefault((answer.term, *names), answer)
        answers[answer.term, *names] = Predicted(answer.term, (*known.names, *answer.names))
    return list(answers.values())


def triplet_f1(
    chains: Iterable[Sequence[StepRecord]],
    gold: Iterable[Sequence[NamedTriple]],
    labels: dict[str, str] | None = None,
) -> float | None:
    """F1 between the distinct triples of `chains` and those of a gold chain; None without gold.

    Of several gold chains the one that fits best counts, or all together where they fit better: a
    question with two answers has a chain to each. A gold term must be the triple's term; a
    gold name must be one of its names: the label, the KG's own label (in `labels`, by term) or the
    end of its IRI, normalised. A triple has one direction, that of the KG, however it was walked.
    """
    alternatives = [chain for chain in gold if chain]
    if not alternatives:
        return None
    given = {
        (step["head"]["term"], step["relation"]["term"], step["tail"]["term"]): (
            _spellings(step["head"], labels),
            _spellings(step["relation"], labels),
            _spellings(step["tail"], labels),
        )
        for chain in chains
        for step in chain
    }
    together = [triple for chain in alternatives for triple in chain]
    return max(_f1(list(given.values()), chain) for chain in (*alternatives, together))


def _f1(given: Sequence[tuple[frozenset[str], ...]], chain: Sequence[NamedTriple]) -> float:
    wanted = {tuple(_name_key(part) for part in triple) for triple in chain}
    matches = [
        {triple for triple in wanted if all(map(frozenset.__contains__, spelled, triple))}
        for spelled in given
    ]
    right = sum(map(bool, matches))
    if not right:
        return 0.0
    precision = right / len(given)
    recall = len(set[tuple[str, ...]]().union(*matches)) / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _name_key(part: str) -> str:
    """A term as it is; a name normalised, and marked so that it cannot be mistaken for a term."""
    return part if _TERM.fullmatch(part) else f"name {normalise(part)}"


def _spellings(named: Named, labels: dict[str, str] | None) -> frozenset[str]:
    term = named["term"]
    names = (named["label"], (labels or {}).get(term, ""), local_name(term))
    return frozenset({term, *(f"name {normalise(name)}" for name in names if name)})
