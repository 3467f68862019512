"""What a method is: a search from a question to an outcome, and the settings of its paper."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..agent.answers.question import Outcome, Question
from ..agent.llm.model_folder import ModelSettings
from ..agent.nodes import Node
from ..agent.options import Options
from ..agent.query.facts import Facts
from .ground import Ground, Parts
from .loop import Loop

Search = Callable[[Question, Ground], Outcome]
"""A method at work on one question. Raises GroundwalkError; NoPathError becomes a note."""

COMMON = frozenset(
    {"hops", "inverse", "on_ambiguous", "confidence", "conversation", "queries", "partial"}
)
"""The options that every method uses."""
VIEW = frozenset({"max_degree", "max_triples"})
"""Those of methods that walk a bounded view of the KG."""
REASONING = frozenset({"max_answers", "max_chains", "reasoning"})
"""Those of methods whose walks an LLM or the vote reasons over."""
ALL = frozenset(option.name for option in fields(Options))


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
    """A method: its search, and what the rest of the state machine must know of it.

    `paper` are the values of `Options` that `--paper` sets.
    """

    search: Search | None
    about: str
    """One line for people who choose a method."""
    loop: Callable[[], Loop] | None = None
    """Makes the loop that takes the place of a search, and is drawn as a graph within the graph."""
    needs_llm: bool = False
    """Whether it does nothing without a chat LLM."""
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
    """Whether it concludes itself, so that `induce` is passed over."""
    whole: Callable[[Parts, Callable[[], Facts]], Node | None] = nowhere
    """A node that may answer the question as a whole, before it is linked.

    Without one the question is read as a query, and the method answers its plain parts.
    """
    answers_from_facts: bool = False
    """Whether it answers from triples that a prompt shows, so that it is told which these lack."""
    values: bool = False
    """Whether it can begin at a value of the graph as it does at a thing."""
    uses: frozenset[str] = ALL
    """The options that it reads beside `COMMON`; who sets another is told so."""
    paper: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        """Raise ValueError where there is no way to search, or two."""
        if (self.search is None) == (self.loop is None):
            raise ValueError("a method has either a search or a loop")
