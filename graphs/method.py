"""What a method is: a search, or a loop, from a question to an outcome; its paper's settings.

A loop is a small graph within the state machine that steps a search on to its end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, NamedTuple

from langgraph.config import get_config
from langgraph.constants import CONF, CONFIG_KEY_CHECKPOINTER
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from ..agent.answers.question import Outcome, Question
from ..agent.llm.model_folder import ModelSettings
from ..agent.nodes import Node
from ..agent.options import Options
from ..agent.query.facts import FactsLender
from .ground import Ground, Parts


class LoopState(TypedDict):
    """What flows through a loop: how far its search has come, a frozen dataclass of the method."""

    search: Any


class Loop(NamedTuple):
    """A loop, compiled; `begin` makes the search of a question, which has an `outcome` in the end.

    `steps` are the most nodes that a question may pass.
    """

    graph: CompiledStateGraph[LoopState, Options, LoopState, LoopState]
    begin: Callable[[Question, Ground], Any]
    steps: Callable[[Options], int]


def loop_graph(
    name: str,
    nodes: Mapping[str, Callable[[Any], Any]],
    routes: Mapping[str, tuple[Callable[[Any], str], Sequence[str]]],
) -> CompiledStateGraph[LoopState, Options, LoopState, LoopState]:
    """The graph of a loop that begins at the first of its nodes.

    A node takes a search and returns it further on. `routes` say after a node which one is next,
    and which may be; without one the node that is listed next follows, and the last ends the loop.
    """
    graph = StateGraph(LoopState, context_schema=Options)
    names = list(nodes)
    graph.add_edge(START, names[0])
    for node, following in zip(names, [*names[1:], END], strict=True):
        graph.add_node(node, _node(nodes[node]))
        if node in routes:
            route, ends = routes[node]
            graph.add_conditional_edges(node, partial(_next, route), list(ends))
        else:
            graph.add_edge(node, following)
    return graph.compile(name=name)


def run_loop(loop: Loop, question: Question, ground: Ground) -> Outcome:
    """The outcome of a loop, held to a bound of its own and not to that of the graph around it.

    Its nodes run in the thread of the caller, so that an interrupt stops the one that is at work.
    No checkpointer keeps what flows here, which is no JSON.
    """
    config = get_config()
    settings = {**config.get(CONF, {}), CONFIG_KEY_CHECKPOINTER: None}
    steps = loop.steps(question.options)
    bounded: Any = {**config, CONF: settings, "recursion_limit": steps}
    begun: LoopState = {"search": loop.begin(question, ground)}
    return loop.graph.invoke(begun, bounded, context=question.options)["search"].outcome


def _node(step: Callable[[Any], Any]) -> Any:
    def run(state: LoopState) -> LoopState:
        return {"search": step(state["search"])}

    return run


def _next(route: Callable[[Any], str], state: LoopState) -> str:
    return route(state["search"])


Search = Callable[[Question, Ground], Outcome]
"""A method at work on one question. Raises GroundwalkError; NoPathError becomes a note."""

COMMON = frozenset(
    {
        *("hops", "inverse", "on_ambiguous", "confidence", "max_answers"),
        *("conversation", "queries", "partial"),
    }
)
"""The options that every method uses."""
VIEW = frozenset({"max_degree", "max_triples"})
"""Those of methods that walk a bounded view of the KG."""
REASONING = frozenset({"max_chains", "reasoning"})
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


def nowhere(_: Parts, __: FactsLender) -> None:
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
    whole: Callable[[Parts, FactsLender], Node | None] = nowhere
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
