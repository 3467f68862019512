"""From a KG and a model to a compiled graph that answers questions."""

import re
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver

from ..agent.caching import once
from ..agent.errors import InputError
from ..agent.kg import KnowledgeGraph, open_kg
from ..agent.linking import LabelLinker, Linker
from ..agent.llm.bag_of_words import Scope, read_baselines, read_scope
from ..agent.llm.local import LocalModel, load_generator
from ..agent.llm.model_folder import BUNDLED, model_folder, model_settings
from ..agent.options import Options
from ..agent.query.account import account_beside
from ..agent.reader.values import LabelsWithValues
from ..agent.reader.weights import GeneralReader, open_reader
from ..agent.state import GraphOutput
from .ground import Parts
from .line import MOST_WAITING
from .methods import check_method, default_method, method_named
from .nesting import CompiledGraph
from .reading import knows_graph, reads_itself
from .skeleton import skeleton

_DEVICE = re.compile(r"(cpu|cuda|hip|hpu|ipu|maia|mps|mtia|npu|privateuseone|xla|xpu)(:\d+)?")
"""How torch names what may hold a model; whether it is there is seen when one is loaded onto it."""


def build_graph(
    method: str | None = None,
    *,
    kg: KnowledgeGraph | str | PathLike[str] = "world",
    generator: LocalModel | str = BUNDLED,
    llm: BaseChatModel | None = None,
    linker: Linker | None = None,
    checkpointer: BaseCheckpointSaver[Any] | bool | None = True,
    device: str = "cpu",
    dtype: str = "auto",
    prompts: Path | None = None,
    reader: GeneralReader | str | None = None,
    options: Options | None = None,
    most_waiting: int = MOST_WAITING,
) -> CompiledGraph[GraphOutput]:
    """Compile the graph of a method: a LangGraph runnable from a question to its answers.

    It takes a `GraphInput` such as `{"question": ...}` and returns a `GraphOutput`; `with_state()`
    of it returns all that is known. `warm()` loads what the first question would wait for.

    Without a `method` it is `query` where the model reads questions as queries, else `gcr`.
    `kg` is an opened KG, or a path, an address or `world`; `generator` a loaded model or what
    `--model` takes, which loads, on `device` and in `dtype`, when the first question needs it.
    `prompts` is a folder of templates that go before the packaged ones. `reader`, opened or a
    folder, reads questions in the model's place; so does the bundled one where the model writes no
    queries, or does not know the graph.
    `options` are those of every question that comes without, as does one to a node of a graph whose
    context is something else.
    `checkpointer` keeps threads, so that questions may refer to earlier ones and the graph may ask
    which entity is meant. With `True`, that of the graph in which this one is a node does, and none
    where it runs by itself; `None` has it for one run only, so that a node may run beside itself;
    `False` has none. Of the callers of `invoke` and `ainvoke` at most `most_waiting` wait; the next
    gets a BusyError. No `GROUNDWALK_*` variable takes the place of an argument.
    Raises InputError for an unknown method or device, and for an `llm` that is no chat model.
    Raises KGError and ModelError for what cannot be opened.

    >>> graph = build_graph("gcr", kg="world")
    >>> state = graph.invoke({"question": "What is the capital of Kenya?"})
    >>> [answer["label"] for answer in state["answers"]]
    ['Nairobi']
    """
    if method is not None:
        check_method(method)
    if most_waiting < 0:
        raise InputError(f"most_waiting cannot be {most_waiting}", "give 0 or more")
    if llm is not None and not hasattr(llm, "invoke"):
        kind = type(llm).__name__
        raise InputError(f"llm is a chat model of LangChain, and no {kind}", "open one and give it")
    if not _DEVICE.fullmatch(device):
        raise InputError(f"there is no device {device!r}", "give cpu, cuda, cuda:1 or mps")
    opened = kg if isinstance(kg, KnowledgeGraph) else open_kg(kg)
    settings = model_settings(generator) if isinstance(generator, str) else generator.settings
    name = default_method(settings) if method is None else method

    @once
    def local() -> LocalModel:
        if isinstance(generator, str):
            return load_generator(generator, device=device, dtype=dtype)
        return generator

    @once
    def scope() -> Scope | None:
        if isinstance(generator, str):
            return read_scope(model_folder(generator))
        return generator.scope

    source = generator if isinstance(generator, str) else generator.source
    baselines = once(partial(read_baselines, source))
    account = once(partial(account_beside, source, opened))
    method_of_name = method_named(name)
    is_known = knows_graph(settings, opened)
    general = _reader(reader, needed=not reads_itself(settings, is_known=is_known))
    values = general is not None and method_of_name.values and llm is None
    labels = LabelsWithValues(opened) if values else opened.labels
    entity_linker = linker or LabelLinker(labels, languages=opened.profile.languages)
    parts = Parts(
        opened,
        entity_linker,
        settings,
        local,
        llm,
        prompts,
        baselines,
        scope,
        general,
        account,
        is_known,
    )
    compiled = skeleton(name, method_of_name, parts, checkpointer, options, most_waiting)
    return compiled.with_output()


def _reader(given: GeneralReader | str | None, *, needed: bool) -> GeneralReader | None:
    """What reads questions in the local model's place; the bundled one where one is `needed`."""
    if isinstance(given, str):
        return open_reader(given)
    return open_reader() if given is None and needed else given
