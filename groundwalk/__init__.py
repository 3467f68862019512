"""What other code imports; whatever is not named here is private and may change.

Each name is loaded when it is first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundwalk.agent.errors import (
        BusyError,
        ConstraintError,
        DatasetError,
        DiskError,
        GroundwalkError,
        InputError,
        KGError,
        ModelError,
        NoPathError,
        QuestionError,
        RefusedError,
        ServiceError,
        ShortageError,
        UnavailableError,
    )
    from groundwalk.agent.events import Event
    from groundwalk.agent.kg import KnowledgeGraph, kg_of, open_kg
    from groundwalk.agent.options import Options
    from groundwalk.agent.records import Answer, Entity, MentionRecord, Result
    from groundwalk.agent.state import Choice, GraphInput, GraphOutput, State
    from groundwalk.graphs import (
        AskResult,
        CompiledGraph,
        GraphPage,
        KGRetriever,
        ask_tool,
        build_graph,
        describe_graph,
    )

    __version__: str

__path__ = extend_path(__path__, __name__)
"""In a folder that holds the sources, the installed parts are found as well."""

__all__ = [
    "Answer",
    "AskResult",
    "BusyError",
    "Choice",
    "CompiledGraph",
    "ConstraintError",
    "DatasetError",
    "DiskError",
    "Entity",
    "Event",
    "GraphInput",
    "GraphOutput",
    "GraphPage",
    "GroundwalkError",
    "InputError",
    "KGError",
    "KGRetriever",
    "KnowledgeGraph",
    "MentionRecord",
    "ModelError",
    "NoPathError",
    "Options",
    "QuestionError",
    "RefusedError",
    "Result",
    "ServiceError",
    "ShortageError",
    "State",
    "UnavailableError",
    "__version__",
    "ask_tool",
    "build_graph",
    "describe_graph",
    "kg_of",
    "open_kg",
]

_MODULES = {
    "Answer": "agent.records",
    "AskResult": "graphs",
    "Choice": "agent.state",
    "CompiledGraph": "graphs",
    "Entity": "agent.records",
    "Event": "agent.events",
    "GraphInput": "agent.state",
    "GraphOutput": "agent.state",
    "GraphPage": "graphs",
    "KGRetriever": "graphs",
    "KnowledgeGraph": "agent.kg",
    "MentionRecord": "agent.records",
    "Options": "agent.options",
    "Result": "agent.records",
    "State": "agent.state",
    "ask_tool": "graphs",
    "build_graph": "graphs",
    "describe_graph": "graphs",
    "kg_of": "agent.kg",
    "open_kg": "agent.kg",
}
"""The module of every public name that is not an error class."""


def __getattr__(name: str) -> Any:
    """A public name, loaded. Raises AttributeError where there is none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version(__name__)
    else:
        module = import_module(f"{__name__}.{_MODULES.get(name, 'agent.errors')}")
        value = getattr(module, name)
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
