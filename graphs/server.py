"""The graph that `langgraph.json` names, for LangGraph's server.

It answers as `groundwalk ask` without options: `GROUNDWALK_*` variables name the KG, the model, its
device and number format, the method and the chat LLM. The server keeps the threads, so the graph
comes without a checkpointer.
"""

import asyncio
from functools import cache

from ..agent.kg import language_tags, open_kg, reading_of
from ..agent.llm.chat import chat_model
from ..agent.settings import read_settings
from .build import build_graph
from .nesting import CompiledGraph


@cache
def graph() -> CompiledGraph:
    """The compiled graph; the server wants it for every run, so it is made once."""
    settings = read_settings()
    kg = open_kg(
        settings.kg,
        languages=language_tags(settings.language),
        reading=reading_of(settings.mediators, settings.infer),
    )
    return build_graph(
        settings.method,
        kg=kg,
        generator=settings.model,
        reader=settings.reader or None,
        llm=chat_model(settings.llm),
        device=settings.device,
        dtype=settings.dtype,
        checkpointer=None,
    )


async def served() -> CompiledGraph:
    """`graph` for the server's event loop: a KG is opened in a thread, as that reads files."""
    return await asyncio.to_thread(graph)
