"""understand: what a question does in the conversation, and what it is in full.

It may ask for the proof of the last answer, say which of several readings was meant, ask for all
that the graph says of one entity, or be a greeting. Any other goes on as it is: what it asks the
graph is read as a query after this.
"""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime

from ..answers.topics import linked, settled_topics
from ..conversation.acts import Act, act_of, may_be_act, rewritten
from ..conversation.card import bearers_mention, class_mention
from ..conversation.messages import earlier_turns, history_of, question_of
from ..kg import KnowledgeGraph
from ..linking import Linker
from ..llm.asking import Asker, UnansweredError
from ..options import Options
from ..records import Operation, Part, Turn, no_usage, spent
from ..state import State
from . import Node
from .link import unanswered


def understand(
    linker: Linker,
    method: str,
    kg: KnowledgeGraph,
    llm: BaseChatModel | None = None,
    prompts: Path | None = None,
) -> Node:
    """Tell acts of the conversation from questions, and clear what an earlier turn left behind.

    `llm` is a chat LLM that is to propose queries: it sees one question only, so it puts one that
    comes after others in full. At the first question of a thread, messages before it tell of
    earlier turns. The node raises QuestionError for a question that is empty or too long.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        since = perf_counter()
        question_put, before, is_message = question_of(state, history_of(get_config()))
        question = question_put
        changes: State = {
            **unanswered(method),
            "said": question_put,
            "question": question_put,
            "asked": question_put,
            "messages": [] if is_message else [HumanMessage(question_put)],
            "operation": None,
            "parts": [],
            "part": -1,
            "result": None,
            "query_tree": None,
            "reading": "",
            "readings": [],
            "account": [],
            "sparql": "",
            "topics": [],
            "mentions": [],
            "notes": [],
            "usage": no_usage(),
        }
        if not _is_open(state, runtime.context or Options()):
            return changes
        turns, requests = state.get("turns", []), 0
        if not turns and "said" not in state:
            turns = earlier_turns(kg, linker, before)
            changes["turns"], requests = turns, len(turns)
        if not turns and not may_be_act(question):
            return changes
        named = linked(linker, kg, question)
        requests += named.requests or 1
        act = act_of(question, named.mentions, turns)
        if act is None and (
            subject := class_mention(kg, question)
            or bearers_mention(kg, question, named.mentions, turns)
        ):
            act = Act("card", Part(question=question, mentions=[subject]))
        asker, notes = Asker(llm) if llm else None, list[str]()
        if asker and turns and act is None:
            full, notes = _rewritten(asker, question, turns, prompts)
            if full is not None:
                named, question = linked(linker, kg, full), full
                requests += named.requests or 1
        notes = [*named.notes, *notes]
        cost = asker.cost if asker else {}
        changes["usage"] = spent(None, since, kg_requests=requests, **cost)
        if act is not None and act.kind != "choice":
            operation = _operation(act, notes)
            mentions = act.question["mentions"]
            is_settled = (runtime.context or Options()).on_ambiguous == "best"
            topics = settled_topics(mentions, is_settled=is_settled)
            changes |= {"operation": operation, "mentions": mentions, "topics": topics}
            changes["asked"] = act.question["question"]
            _emit(runtime, changes["asked"], operation)
            return changes
        part = Part(question=question, mentions=named.mentions) if act is None else act.question
        noted: Part = {**part, "notes": notes}
        changes |= {"asked": part["question"], "parts": [noted], "part": 0}
        if part["question"] != question_put:
            _emit(runtime, part["question"], None)
        return changes

    return run


def _operation(act: Act, notes: list[str]) -> Operation:
    """What is done in the place of a query."""
    match act.kind:
        case "why" | "list" | "card":
            mentions = act.question["mentions"]
            operation = Operation(kind=act.kind, mentions=mentions, notes=notes)
            return {**operation, "whole": True} if act.all_facts else operation
        case "greetings" | "thanks" | "help" | "yes" | "no":
            return Operation(kind="introduction", mentions=[], notes=[], courtesy=act.kind)
        case "choice":
            raise ValueError("a choice is answered as a question")


def _emit(runtime: Runtime[Options], asked: str, operation: Operation | None) -> None:
    """Stream that the question means more than it says."""
    runtime.stream_writer({"event": "understood", "asked": asked, "operation": operation})


def _is_open(state: State, options: Options) -> bool:
    """Whether a question is one of a conversation, and of no set of questions."""
    is_of_set = state.get("id") is not None or state.get("given") is not None
    return options.conversation and not state.get("choices") and not is_of_set


def _rewritten(
    asker: Asker, question: str, turns: Sequence[Turn], prompts: Path | None
) -> tuple[str | None, list[str]]:
    """The question as the LLM puts it in full, and a note where it did not answer."""
    try:
        return rewritten(asker, question, turns, prompts), []
    except UnansweredError as error:
        return None, [f"{error}: the LLM did not say what the question refers to"]
