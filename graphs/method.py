"""What a method is: the middle of the state machine, and what it is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel

from ..agent.kg import KnowledgeGraph
from ..agent.linking import Linker
from ..agent.llm.baselines import Baselines, no_baselines
from ..agent.llm.local import LocalModel, ModelSettings
from ..agent.llm.scope import Scope
from ..agent.nodes import Node
from ..agent.options import Options
from ..agent.query.account import NoAccount, WordReader
from ..agent.query.facts import Facts
from ..agent.reader.weights import GeneralReader


@dataclass(frozen=True)
class Parts:
    """What the nodes close over. `generator` loads the local model when it is first called."""

    kg: KnowledgeGraph
    linker: Linker
    settings: ModelSettings
    generator: Callable[[], LocalModel]
    llm: BaseChatModel | None = None
    prompts: Path | None = None
    baselines: Callable[[], Baselines] = no_baselines
    """Those beside the local model's weights; raises ModelError where there are none."""
    scope: Callable[[], Scope | None] = lambda: None
    """What the words of a question say for an answer; from beside the weights too."""
    reader: GeneralReader | None = None
    """The reader of questions, where not the local model or the bundled one is it."""
    account: Callable[[], WordReader] = NoAccount
    """What a query makes of the words of its question; from beside the weights too."""
    is_known: bool = True
    """Whether the local model was trained on this graph, or on another version of it."""


COMMON = frozenset(
    {"hops", "inverse", "on_ambiguous", "confidence", "conversation", "queries", "partial"}
)
"""The options that every method uses."""
VIEW = frozenset({"max_degree", "max_triples"})
"""Those of methods that walk a bounded view of the KG."""
REASONING = frozenset({"max_answers", "max_chains", "reasoning"})
"""Those of methods whose walks an LLM or the vote reasons over."""
ALL = frozenset(own.name for own in fields(Options))


def always(_: object) -> bool:
    """For methods that prove their walks, or read every question, whatever the model."""
    return True


def never(_: object) -> bool:
    """For methods that walk the facts as they are stored, or that are themselves throughout."""
    return False


def any_options(_: Options) -> None:
    """For methods that need nothing to be set."""


def nowhere(_: Parts, __: Callable[[], Facts]) -> None:
    """For methods that answer plain questions only."""
    return


@dataclass(frozen=True)
class Method:
    """A method: how its part of the state machine is built, and the settings of its paper.

    `build` makes a node, or a compiled graph over the same state, that puts `candidates` into the
    state. `paper` are the values of `Options` that `--paper` sets.
    """

    build: Callable[[Parts], Node]
    about: str
    """One line for people who choose a method."""
    format: str = "path"
    """The wire format that the local model writes, as `ModelSettings.formats` names it."""
    prompts: str = "gcr"
    """The folder of the prompt with which the general LLM reasons over the candidates."""
    common: bool = False
    """Whether a relation path from several topics means what they lead to in common."""
    reads: Callable[[ModelSettings], bool] = always
    """Whether, with such a model, it walks the KG as it is read; else the facts as stored."""
    threshold: Callable[[Parts], float] | None = None
    """The least confidence of an answer that is shown, where it is not the model's for `format`."""
    foreign: Callable[[Options], bool] = never
    """Whether, with such options, confidences are not the model's, so that there is no least."""
    widens: bool = True
    """Whether it may find more in a wider view of the KG, where nothing stands at first."""
    check: Callable[[Options], None] = any_options
    """Raises InputError, before anything is asked, for options that it cannot be used with."""
    reasons: bool = False
    """Whether it sets the answers itself, so that `induce` is passed over."""
    whole: Callable[[Parts, Callable[[], Facts]], Node | None] = nowhere
    """A node that may answer the question as a whole, before it is linked.

    Without one the question is read as a query, and the method answers its plain parts.
    """
    values: bool = False
    """Whether it can begin at a value of the graph as it does at a thing."""
    uses: frozenset[str] = ALL
    """The options that it reads beside `COMMON`; who sets another is told so."""
    paper: Mapping[str, Any] = field(default_factory=dict[str, Any])
