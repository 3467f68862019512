"""Async callers: the nodes run in threads, so the event loop stays free."""

import asyncio
from typing import Any

from groundwalk import build_graph

COUNTRIES = ["Austria", "Brazil", "Canada", "Denmark", "Egypt", "France", "Ghana", "Hungary"]


async def capital(graph: Any, country: str) -> str:
    """One question of many that run beside one another."""
    state = await graph.ainvoke({"question": f"What is the capital of {country}?"})
    return f"{country}: {', '.join(answer['label'] for answer in state['answers'])}"


async def main() -> None:
    """Opening a graph reads files, which is a thread's work too."""
    graph: Any = await asyncio.to_thread(build_graph)
    print(await asyncio.gather(*(capital(graph, country) for country in COUNTRIES)))
    async for event in graph.astream(
        {"question": "What is the capital of Kenya?"}, stream_mode="custom"
    ):
        print(event["event"])


asyncio.run(main())
