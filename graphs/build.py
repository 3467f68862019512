"""From a KG and a model to a compiled graph that answers questions."""

from collections.abc import Callable
from functools import cache

from langchain_core.language_models import BaseChatModel
from langgraph.types import Checkpointer

from ..agent.errors import InputError
from ..agent.kg import KnowledgeGraph, open_kg
from ..agent.linking import LabelLinker, Linker
from ..agent.llm.local import BUNDLED, LocalModel, load_model, model_settings
from ..agent.nodes import Node
from .gcr import gcr
from .skeleton import Compiled, Parts, skeleton

METHODS: dict[str, Callable[[KnowledgeGraph, Callable[[], LocalModel]], Node]] = {"gcr": gcr}
"""Every method by the name that `--method` takes."""


def build_graph(
    method: str = "gcr",
    *,
    kg: KnowledgeGraph | str = "world",
    generator: LocalModel | str = BUNDLED,
    llm: BaseChatModel | None = None,
    linker: Linker | None = None,
    checkpointer: Checkpointer = None,
) -> Compiled:
    """Compile the graph of a method; a LangGraph runnable from `{"question": ...}` to a `State`.

    `kg` is an opened KG or what `--kg` takes; `generator` a loaded model or what `--model` takes,
    which loads when the first question needs it. Raises InputError for an unknown method, KGError
    and ModelError for what cannot be opened.
    """
    if method not in METHODS:
        raise InputError(f"there is no method {method!r}", f"methods: {', '.join(METHODS)}")
    opened = open_kg(kg) if isinstance(kg, str) else kg
    if isinstance(generator, str):
        source, settings = generator, model_settings(generator)

        @cache
        def local() -> LocalModel:
            return load_model(source)
    else:
        given, settings = generator, generator.settings

        def local() -> LocalModel:
            return given

    parts = Parts(opened, linker or LabelLinker(opened.labels), settings, llm)
    return skeleton(method, METHODS[method](opened, local), parts, checkpointer)
