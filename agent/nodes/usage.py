"""Adding up what a question costs."""

from time import perf_counter
from typing import TYPE_CHECKING

from ..state import State, Usage, no_usage

if TYPE_CHECKING:
    from ..decoding.plan import Cost


def spent(
    state: State,
    since: float,
    *,
    forward_passes: int = 0,
    prompt_tokens: int = 0,
    tokens: int = 0,
    forced_tokens: int = 0,
    llm_calls: int = 0,
    llm_failed: int = 0,
    llm_uncounted: int = 0,
    unread: int = 0,
    kg_requests: int = 0,
) -> Usage:
    """The usage so far plus that of a node that started at `since` (`perf_counter` seconds)."""
    so_far = state.get("usage", no_usage())
    return Usage(
        forward_passes=so_far["forward_passes"] + forward_passes,
        prompt_tokens=so_far["prompt_tokens"] + prompt_tokens,
        tokens=so_far["tokens"] + tokens,
        forced_tokens=so_far["forced_tokens"] + forced_tokens,
        llm_calls=so_far["llm_calls"] + llm_calls,
        llm_failed=so_far["llm_failed"] + llm_failed,
        llm_uncounted=so_far["llm_uncounted"] + llm_uncounted,
        unread=so_far["unread"] + unread,
        kg_requests=so_far["kg_requests"] + kg_requests,
        seconds=round(so_far["seconds"] + perf_counter() - since, 6),
    )


def of_model(cost: "Cost") -> dict[str, int]:
    """What the local model took, as `spent` names it."""
    return {
        "forward_passes": cost.forward_passes,
        "prompt_tokens": cost.prompt_tokens,
        "tokens": cost.tokens,
        "forced_tokens": cost.forced_tokens,
    }
