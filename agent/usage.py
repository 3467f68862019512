"""What a question costs, counted alike for every method and model."""

from collections.abc import Mapping
from time import perf_counter
from typing import cast

from typing_extensions import TypedDict


class Usage(TypedDict):
    """What a question cost, counted alike for the local model and a chat LLM.

    `forward_passes` are those of the local model and of the reader. `prompt_tokens` are those of
    all prompts that a model was given: a prompt counts whole each time, once for every beam or
    sample that takes it in by itself, and where its beginning was kept from before too, as chat
    servers count it. `tokens` come after the prompts, written or weighed, and `forced_tokens` are
    those of them without an alternative. `llm_failed` are the calls of the chat LLM that got no
    answer, `llm_uncounted` the replies whose tokens its client does not tell, which are in no
    count; `unread` the replies that could not be read as what was asked for. `kg_requests` are the
    HTTP requests that an endpoint was sent; of a KG at hand, look-ups in it.
    """

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


def no_usage() -> Usage:
    """The cost of nothing."""
    return Usage(
        forward_passes=0,
        prompt_tokens=0,
        tokens=0,
        forced_tokens=0,
        llm_calls=0,
        llm_failed=0,
        llm_uncounted=0,
        unread=0,
        kg_requests=0,
        seconds=0.0,
    )


def spent(before: Usage | None, since: float, **counts: int) -> Usage:
    """The usage `before` plus the counts of a node that started at `since`.

    `counts` are named as the fields of `Usage`; `since` is in seconds of `perf_counter`.
    """
    so_far = before or no_usage()
    added = {**counts, "seconds": perf_counter() - since}
    sums = {name: round(so_far[name] + added.get(name, 0), 6) for name in Usage.__annotations__}
    return cast("Usage", sums)


def summed(*costs: Mapping[str, int]) -> dict[str, int]:
    """The counts of several costs together, by the fields of `Usage`."""
    names = dict.fromkeys(name for cost in costs for name in cost)
    return {name: sum(cost.get(name, 0) for cost in costs) for name in names}
