"""The graph that `langgraph.json` names, for LangGraph's server.

It answers over `GROUNDWALK_KG` with the model `GROUNDWALK_MODEL`, or over the bundled ones. The
server keeps the threads, so the graph comes without a checkpointer.
"""

from functools import cache

from ..agent.kg import language_tags, open_kg, reading_of
from ..agent.settings import read_settings
from .build import build_graph
from .skeleton import Compiled


@cache
def graph() -> Compiled:
    """The compiled graph; the server calls this once a run, so it is made once."""
    settings = read_settings()
    kg = open_kg(
        settings.kg,
        languages=language_tags(settings.language),
        reading=reading_of(settings.mediators, settings.infer),
    )
    return build_graph(settings.method, kg=kg, generator=settings.model)
