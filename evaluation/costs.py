"""What questions cost."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..agent.state import no_usage
from .bootstrap import Estimate, mean_intervals
from .records import Record

COSTS = tuple(no_usage())
"""What is counted, as `Usage` names it; seconds are those of the wall clock."""


@dataclass(frozen=True)
class Spread:
    """What one question costs: in the middle, on average, and what 95% stay within."""

    median: float
    mean: Estimate
    p95: float


@dataclass(frozen=True)
class Costs:
    """Totals over the questions of a method, and the spread over them of each cost."""

    forward_passes: int
    prompt_tokens: int
    tokens: int
    forced_tokens: int
    llm_calls: int
    llm_failed: int
    llm_uncounted: int
    unread: int
    kg_requests: int
    seconds: float
    median_seconds: float
    slowest_seconds: float
    per_question: dict[str, Spread]


def measure_costs(records: Sequence[Record], seed: int = 0) -> Costs:
    """The costs of one method, of whose records there is at least one; errors cost too."""
    usages, seconds = [r["usage"] for r in records], [r["seconds"] for r in records]
    columns = ([u[cost] for u in usages] if cost != "seconds" else seconds for cost in COSTS)
    rows = np.array(list(columns), dtype=np.float64).T
    medians, p95 = np.median(rows, axis=0), np.quantile(rows, 0.95, axis=0)
    spreads = {
        cost: Spread(float(medians[i]), mean, float(p95[i]))
        for i, (cost, mean) in enumerate(zip(COSTS, mean_intervals(rows, seed), strict=True))
    }
    return Costs(
        forward_passes=sum(u["forward_passes"] for u in usages),
        prompt_tokens=sum(u["prompt_tokens"] for u in usages),
        tokens=sum(u["tokens"] for u in usages),
        forced_tokens=sum(u["forced_tokens"] for u in usages),
        llm_calls=sum(u["llm_calls"] for u in usages),
        llm_failed=sum(u["llm_failed"] for u in usages),
        llm_uncounted=sum(u["llm_uncounted"] for u in usages),
        unread=sum(u["unread"] for u in usages),
        kg_requests=sum(u["kg_requests"] for u in usages),
        seconds=round(sum(seconds), 6),
        median_seconds=spreads["seconds"].median,
        slowest_seconds=max(seconds),
        per_question=spreads,
    )
