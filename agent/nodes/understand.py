"""understand: what a question means after the earlier ones, and what it asks to be computed.

A question without history and operator goes on as it is.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ..conversation.followups import Answered, Followed, act_of, follow
from ..conversation.lookups import relations_called
from ..conversation.masking import Masked, masked
from ..conversation.negation import has_not
from ..conversation.operators import is_yes_or_no, may_compute, parse
from ..conversation.phrases import operation
from ..conversation.rewriting import may_depend, rewritten
from ..conversation.turns import last_set
from ..conversation.wording import plural
from ..kg import KnowledgeGraph
from ..kg.terms import is_literal
from ..linking import Linker
from ..llm.asking import Asker, UnansweredError
from ..options import Options
from ..state import Entity, Operation, Part, State, Turn, no_usage
from . import Node
from .history import earlier_turns
from .link import linked, question_of, unanswered
from .records import entity_record
from .usage import spent


def understand(
    linker: Linker,
    method: str,
    kg: KnowledgeGraph,
    llm: BaseChatModel | None = None,
    prompts: Path | None = None,
    *,
    reads: bool = False,
) -> Node:
    """Put the question in full, and split it into an operation and plain parts.

    By rules; where they are not certain what a follow-up means, `llm` rewrites it. Where the model
    `reads` questions as queries, no rule does, but of what a question does in the conversation. At
    the first question of a thread, messages before it tell of earlier turns. Clears what an earlier
    turn of the thread left in the state. The node raises QuestionError for a question that is empty
    or too long.
    """
    entities, relations = _entities(kg), relations_called(kg)

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        question, before, spoken = question_of(state)
        fresh: State = {"usage": no_usage()}
        changes = {
            **unanswered(method),
            "said": question,
            "question": question,
            "asked": question,
            "messages": [] if spoken else [HumanMessage(question)],
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
        options = runtime.context or Options()
        if not _is_open(state, options):
            return changes
        turns, requests = state.get("turns", []), 0
        if not turns and "said" not in state:
            turns = earlier_turns(kg, linker, before, entities)
            changes["turns"], requests = turns, len(turns)
        by_rules = not (reads and options.queries)
        if not turns and not (by_rules and may_compute(question)):
            return changes
        named, read_as = linked(linker, kg, question), question
        requests += named.requests or 1
        read = masked(question, named.mentions)
        asker, notes = Asker(llm) if llm else None, list[str]()
        if by_rules:
            followed = follow(read, turns, entities) if turns else None
            if asker and turns and followed is None and may_depend(question):
                full, notes = _rewritten(asker, question, turns, prompts)
                if full is not None:
                    again = linked(linker, kg, full)
                    requests += again.requests or 1
                    anew = masked(full, again.mentions)
                    if has_not(anew.text) or not has_not(read.text):
                        named, read_as, read = again, full, anew
            meaning = _meaning(read, followed, _called(entities, turns), relations)
        else:
            followed = act_of(read, turns)
            meaning = _meaning_of_act(read, followed)
        if followed is None and meaning.operation is None:
            plain = Part(question=read_as, mentions=named.mentions)
            meaning = _Meaning(plain, None, [plain])
        asked = meaning.asked["question"]
        changes |= {
            "asked": asked,
            "operation": meaning.operation,
            "parts": [{**part, "notes": [*named.notes, *notes]} for part in meaning.parts],
            "part": 0 if meaning.operation is None else -1,
            "usage": spent(fresh, since, kg_requests=requests, **(asker.cost if asker else {})),
        }
        if meaning.operation is not None:
            meaning.operation["notes"] += [*named.notes, *notes]
        if meaning.operation is not None or asked != question:
            event = {"asked": asked, "operation": meaning.operation}
            runtime.stream_writer({"event": "understood", **event})
        return changes

    return run


class _Meaning(NamedTuple):
    """The question in full, what is to be computed, and what must be answered for it."""

    asked: Part
    operation: Operation | None
    parts: list[Part]


def _meaning(
    read: Masked, followed: Followed | None, members: str, relations: Callable[[], frozenset[str]]
) -> _Meaning:
    if followed is not None and followed.kind == "why":
        return _meaning_of_act(read, followed)
    if followed is not None and followed.kind == "each":
        if is_yes_or_no(read):
            return _Meaning(_plain(read), operation("unread", "each", read), [])
        parts = [_plain(wording) for wording in followed.wordings]
        left = followed.left_out
        told = [f"asked of {len(parts)}; {left} more were left out"] if left else []
        return _Meaning(_plain(read), operation("list", "each", read, notes=told), parts)
    wordings = followed.wordings if followed is not None else (read,)
    asked = _plain(wordings[0])
    if found := parse(wordings[0], members, relations()):
        return _Meaning(asked, found.operation, found.parts)
    parts = [_plain(wording) for wording in wordings]
    several = operation("list", "first", wordings[0]) if len(parts) > 1 else None
    return _Meaning(asked, several, parts)


def _meaning_of_act(read: Masked, act: Followed | None) -> _Meaning:
    """What is meant by an act of the conversation, or by a question that is none."""
    if act is not None and act.kind == "why":
        return _Meaning(_plain(read), operation("why", "last", read), [])
    plain = _plain(read if act is None else act.plain)
    return _Meaning(plain, None, [plain])


def _plain(wording: Masked) -> Part:
    return wording.unmasked(wording.text)


def _is_open(state: State, options: Options) -> bool:
    """Whether a question may refer to others, and may be one of more than a walk."""
    return options.conversation and not state.get("choices") and state.get("given") is None


def _rewritten(
    asker: Asker, question: str, turns: Sequence[Turn], prompts: Path | None
) -> tuple[str | None, list[str]]:
    """The question as the LLM puts it in full, and a note where it did not answer."""
    try:
        return rewritten(asker, question, turns, prompts), []
    except UnansweredError as error:
        return None, [f"{error}: the LLM did not say what the question refers to"]


def _called(answered: Answered, turns: Sequence[Turn]) -> str:
    """What the last answers are called, in the plural; empty where there are none."""
    turn = last_set(turns)
    if turn is None:
        return ""
    kinds = [entity["kind"] for entity in answered(turn) if entity["kind"]]
    return plural(max(dict.fromkeys(kinds), key=kinds.count)) if kinds else "ones"


def _entities(kg: KnowledgeGraph) -> Answered:
    def entities(turn: Turn) -> list[Entity]:
        terms = [a["term"] for a in turn["answers"] if not is_literal(a["term"])]
        first_steps = kg.walks.neighbours(terms, inverse=False, limit=1)
        steps_of = dict(zip(terms, first_steps, strict=True))
        return [
            entity_record(info, score=float(bool(steps_of[info.term])))
            for info in kg.labels.describe(terms)
        ]

    return entities
