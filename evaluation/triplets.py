"""Triplet-F1: how much of a dataset's own reasoning an answer's triples are (DoG section 5.1)."""

import re
from collections.abc import Iterable, Sequence

from ..agent.kg.names import local_name, normalise
from ..agent.state import Named, StepRecord
from .samples import NamedTriple

_TERM = re.compile(r'<[^<>"{}|^`\\\s]*>|_:\S+|".*"(@\S+|\^\^<\S*>)', re.DOTALL)
"""What can only be a term in N-Triples syntax; a text in plain quotes may be a name too."""


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
    wanted = {tuple(_key(part) for part in triple) for triple in chain}
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


def _key(part: str) -> str:
    """A term as it is; a name normalised, and marked so that it cannot be mistaken for a term."""
    return part if _TERM.fullmatch(part) else f"name {normalise(part)}"


def _spellings(named: Named, labels: dict[str, str] | None) -> frozenset[str]:
    term = named["term"]
    names = (named["label"], (labels or {}).get(term, ""), local_name(term))
    return frozenset({term, *(f"name {normalise(name)}" for name in names if name)})
