"""propose: a chat LLM says what the question asks as a query, which is executed and proved.

The LLM sees the question, its mentions and names of the graph. Its tree is held to what a query
given by a user is held to. A tree that is refused is told why, once; then the question goes on to
the method's own way.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from ...prompts import render
from ..answers.queries import Executed, executed
from ..answers.topics import linked
from ..errors import GroundwalkError, QuestionError, ServiceError, ShortageError
from ..kg import KnowledgeGraph
from ..kg.labels.names import one_line
from ..kg.store import metered
from ..linking import Linker
from ..llm.asking import Asker, StructuredReplies, UnansweredError, read_object
from ..options import Options
from ..query.binding import Bound, Mention, bind
from ..query.facts import FactsLender
from ..query.tree import read_query
from ..query.vocabulary import (
    PROPOSAL,
    RelationWords,
    Vocabulary,
    proposal_schema,
    vocabulary_around,
)
from ..records import MentionRecord, Part, spent
from ..state import State
from . import Node
from .link import unanswered

_ATTEMPTS = 2
_LONGEST = 2_000
"""Characters of a refused reply that the LLM is shown again."""
_LONGEST_REASON = 500
_NONE = "the LLM proposed no query"
_REFUSED = "the query that the LLM proposed was refused"


def propose(
    kg: KnowledgeGraph,
    linker: Linker,
    llm: BaseChatModel,
    facts: FactsLender,
    method: str,
    prompts: Path | None = None,
) -> Node:
    """Answer the question in full by a query that `llm` proposes, if it is one that stands.

    Else the question goes on, linked, with a note that says why. A question of multiple choice, and
    one about the conversation itself, is left to others; so is one with a name that a user must
    choose.
    """
    replies = StructuredReplies(llm)

    def run(state: State, runtime: Runtime[Options]) -> State:
        since, options = perf_counter(), runtime.context or Options()
        if not options.queries or not _stands_alone(state):
            return {}
        asker, question = Asker(llm), state.get("asked", "")
        with metered() as meter:
            mentions, notes = _mentions(kg, linker, state)
            if options.on_ambiguous != "best" and any(mention["ambiguous"] for mention in mentions):
                return {}
            try:
                names = vocabulary_around(kg, _best_terms(mentions), question)
                ask = _Asking(kg, facts, asker, replies, prompts, question, mentions, names)
                executed_query, reason = _proposed(ask)
            except UnansweredError:
                executed_query, reason = None, ""
            except ServiceError as error:
                executed_query, reason = None, f"{error.message}: no query was proposed"
        usage = spent(state.get("usage"), since, **asker.cost, kg_requests=meter.requests or 1)
        if executed_query is None:
            all_notes = [*notes, *asker.add_notes([reason] if reason else [])]
            return {**_going_on(state, question, mentions, all_notes), "usage": usage}
        runtime.stream_writer({"event": "linked", "topics": executed_query.computed.topics})
        if executed_query.computed.result is not None:
            runtime.stream_writer({"event": "computed", "result": executed_query.computed.result})
        return {
            **unanswered(method),
            **executed_query.changes,
            "question": question,
            "mentions": mentions,
            "reasoner": "llm",
            "notes": asker.add_notes([*notes, *executed_query.computed.notes]),
            "usage": usage,
        }

    return run


class _Asking(NamedTuple):
    """What the LLM is asked with."""

    kg: KnowledgeGraph
    facts: FactsLender
    asker: Asker
    replies: StructuredReplies
    prompts: Path | None
    question: str
    mentions: Sequence[MentionRecord]
    names: Vocabulary


def _stands_alone(state: State) -> bool:
    """Whether the question in full says all that it asks."""
    return state.get("operation") is None and not state.get("choices")


def _mentions(
    kg: KnowledgeGraph, linker: Linker, state: State
) -> tuple[list[MentionRecord], list[str]]:
    """The mentions of the question in full, and notes on them."""
    if settled := state.get("mentions"):
        return settled, []
    linking = linked(linker, kg, state.get("asked", ""), state.get("given"))
    return linking.mentions, linking.notes


def _best_terms(mentions: Sequence[MentionRecord]) -> list[str]:
    return [mention["candidates"][0]["term"] for mention in mentions]


def _proposed(asking: _Asking) -> tuple[Executed | None, str]:
    """What a proposed query came to, or why there is none. Raises UnansweredError, ServiceError."""
    schema = proposal_schema(asking.names, len(asking.mentions))
    refused: dict[str, str] | None = None
    reason = ""
    for _ in range(_ATTEMPTS):
        reply = asking.replies.ask(asking.asker, _prompt(asking, refused), PROPOSAL, schema)
        parsed = read_object(asking.asker, reply)
        try:
            if parsed is None:
                raise QuestionError("the reply is no JSON object")
            tree = parsed.get(PROPOSAL, parsed)
            if tree is None:
                return None, _NONE
            with asking.facts() as facts:
                return executed(asking.kg, facts, _bound_tree(asking, tree)), ""
        except (QuestionError, ShortageError) as error:
            reason = _reason(error)
            refused = {"reply": _json(reply[:_LONGEST]), "reason": _json(reason)}
    return None, f"{_REFUSED}: {reason}"


def _bound_tree(asking: _Asking, tree: object) -> Bound:
    """The tree with its names looked up. Raises QuestionError, also for terms in place of names."""
    mentions = [
        Mention(
            mention["text"] or mention["candidates"][0]["label"], mention["candidates"][0]["term"]
        )
        for mention in asking.mentions
    ]
    bound = bind(asking.kg, read_query(tree), mentions)
    for known in (bound.relations, bound.classes, bound.entities):
        if terms := [name for name, term in known.items() if name == term]:
            raise QuestionError(f"{terms[0]!r} is a term", "give the name, as it is listed")
    return bound


def _prompt(asking: _Asking, refused: dict[str, str] | None) -> str:
    best = [(entity["text"], entity["candidates"][0]) for entity in asking.mentions]
    return render(
        "query/propose.jinja",
        asking.prompts,
        question=_json(asking.question),
        mentions=[
            _json(
                {"number": number, "text": text, "name": entity["label"], "class": entity["kind"]}
            )
            for number, (text, entity) in enumerate(best)
        ],
        relations=[_json(_listed(entity)) for entity in asking.names.relations],
        classes=_json(asking.names.classes),
        refused=refused,
    )


def _listed(relation: RelationWords) -> dict[str, object]:
    about: dict[str, object] = {
        "from": relation.leaves,
        "to": relation.reaches,
        "unit": relation.unit,
    }
    return {"relation": relation.name} | {key: value for key, value in about.items() if value}


def _reason(error: GroundwalkError) -> str:
    text = f"{error.message} ({error.hint})" if error.hint else error.message
    return one_line(text)[:_LONGEST_REASON]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _going_on(
    state: State, question: str, mentions: list[MentionRecord], notes: list[str]
) -> State:
    """Changes with which the question goes on as it was understood, with the notes."""
    if state.get("mentions"):
        return {"notes": [*state.get("notes", []), *notes]}
    parts = state.get("parts") or [Part(question=question, mentions=mentions)]
    all_notes = list[str](dict.fromkeys([*parts[0].get("notes", []), *notes]))
    part: Part = {**parts[0], "notes": all_notes}
    return {"parts": [part], "part": 0}
