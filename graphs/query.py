"""query: what the question asks, as a query that is executed in full and proved.

A local model that was trained to write queries decodes it along the graph; else a reader points at
its actions. A chat LLM, where there is one, proposes it: it writes the tree of `docs/queries.md` as
structured output. What is refused twice is read, and its plain parts are answered as `gcr` answers
them. So are questions of multiple choice or with given topics, as they are.
"""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from ..agent.nodes import Node
from ..agent.nodes.propose import propose
from ..agent.options import Options
from ..agent.query.facts import FactsLender
from ..agent.state import State
from .gcr import GCR
from .ground import Parts
from .method import Method
from .reading import plain_questions, read_with

_NAME = "query"


def _whole(parts: Parts, facts: FactsLender) -> Node:
    if parts.llm is not None:
        return _proposed(parts, parts.llm, facts)
    from ..agent.nodes.read import read_node

    return read_node(read_with(parts), _NAME)


def _proposed(parts: Parts, llm: BaseChatModel, facts: FactsLender) -> Node:
    """What a chat LLM proposes; where that does not stand, the question is taken apart."""
    proposing = propose(parts.kg, parts.linker, llm, facts, _NAME, parts.prompts)
    reading = plain_questions(parts, _NAME)

    def run(state: State, runtime: Runtime[Options]) -> State:
        changes = proposing(state, runtime)
        if not changes or "reasoner" in changes:
            return changes
        going_on: Any = {**state, **changes}
        read = reading(going_on, runtime)
        notes = [*changes.get("notes", []), *read.get("notes", [])]
        return {**changes, **read, "notes": list(dict.fromkeys(notes))}

    return run


QUERY = Method(
    GCR.search,
    "a query that the model reads or a chat LLM proposes, executed in full; else as gcr",
    common=GCR.common,
    whole=_whole,
    values=True,
    paper=GCR.paper,
    uses=GCR.uses,
)
