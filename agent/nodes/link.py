"""link: the question's mentions become entities of the KG, each with its rivals and scores."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from ..errors import QuestionError
from ..kg import KnowledgeGraph
from ..kg.metering import metered
from ..kg.terms import Term
from ..linking import Candidate, Linker, Mention, is_ambiguous
from ..options import Options
from ..state import Entity, MentionRecord, Part, State
from . import Node
from .given import given_mentions
from .usage import spent

NAME = "groundwalk"
"""The name of the messages that this agent writes."""
MAX_CHARACTERS = 4_000

_LONG = 2.0
_SLOW = (
    "names were looked up at the endpoint in {:.1f} s; "
    "a KG built of a dump, with `groundwalk kg build`, has them in milliseconds"
)


def link(
    linker: Linker,
    method: str,
    kg: KnowledgeGraph | None = None,
    told: Sequence[str] = (),
) -> Node:
    """Link the question, or the part that is up, and clear what an earlier one left in the state.

    Topics that are `given` take the place of linked ones. Of entities that the reading of `kg`
    takes for one, the representative is the topic. `told` are notes of every question. The
    node raises QuestionError for a question that is empty or too long.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since, part = perf_counter(), current_part(state)
        if part:
            question, said = part["question"], True
            found = Linked(part["mentions"], part.get("notes", []), 0)
        else:
            question, _, said = question_of(state)
            found = linked(linker, kg, question, state.get("given"))
        notes = [*told, *found.notes]
        seconds = perf_counter() - since
        slow = found.requests and seconds > _LONG
        topics = best_topics(found.mentions)
        runtime.stream_writer({"event": "linked", "topics": topics})
        return {
            **unanswered(method),
            "question": question,
            "messages": [] if said else [HumanMessage(question)],
            "mentions": found.mentions,
            "topics": topics,
            "notes": [*notes, _SLOW.format(seconds)] if slow else notes,
            "usage": spent(state, since, kg_requests=0 if part else found.requests or 1),
        }

    return run


class Linked(NamedTuple):
    """The mentions of a question, notes about them, and how often an endpoint was asked."""

    mentions: list[MentionRecord]
    notes: list[str]
    requests: int


def linked(
    linker: Linker, kg: KnowledgeGraph | None, question: str, given: Sequence[str] | None = None
) -> Linked:
    """Link a question. Raises ServiceError."""
    with metered() as meter:
        found, missing = linker.link(question), list[str]()
        if kg is not None and given is not None:
            found, missing = given_mentions(kg, question, given, found)
        both = [represented(mention, kg) for mention in found]
    notes = [*missing, *dict.fromkeys(note for _, note in both if note)]
    return Linked([mention_record(mention) for mention, _ in both], notes, meter.requests)


def unanswered(method: str) -> dict[str, Any]:
    """Changes that clear what an earlier turn or part left in the state."""
    return {
        "view": None,
        "candidates": [],
        "reasoner": "",
        "confidence": 0.0,
        "answers": [],
        "status": "abstained",
        "unsupported": [],
        "lost": 0,
        "method": method,
    }


def current_part(state: State) -> Part | None:
    """The part that is being answered; None where the question is answered as it is."""
    parts, place = state.get("parts", []), state.get("part", -1)
    return parts[place] if 0 <= place < len(parts) else None


def best_topics(mentions: list[MentionRecord]) -> list[Entity]:
    """The first candidate of every mention, each entity once, in the order of the question."""
    best = [mention["candidates"][0] for mention in mentions]
    return list({entity["term"]: entity for entity in best}.values())


def represented(mention: Mention, kg: KnowledgeGraph | None) -> tuple[Mention, str]:
    """The mention with representatives for its candidates, each once; and a note where it tells."""
    if kg is None or not kg.reading.same_as:
        return mention, ""
    stands = kg.representatives(candidate.term for candidate in mention.candidates)
    infos = {info.term: info for info in kg.labels.describe(list({*stands.values()}))}
    found: dict[Term, Candidate] = {}
    for candidate in mention.candidates:
        info = infos[stands[candidate.term]]
        known = (info.term, info.name, info.label, info.description, info.kind)
        own = Candidate(*known, candidate.score, candidate.matched)
        found.setdefault(info.term, candidate if info.term == candidate.term else own)
    first = mention.candidates[0]
    info = infos[stands[first.term]]
    told = first.term != info.term
    note = f"{first.name} is read as {info.name}, the same by owl:sameAs" if told else ""
    return replace(mention, candidates=tuple(found.values())), note


def question_of(state: State) -> tuple[str, list[AnyMessage], bool]:
    """The question, the messages before it, and whether it is itself a message.

    It is the last message where a person wrote that. Else it is `question`, unless that is still
    the one before and a person has written something since this agent last did. Raises
    QuestionError for one that is empty or too long.
    """
    messages, question = state.get("messages") or [], state.get("question")
    place, before = _asked_last(messages), state.get("said")
    if place is not None and question != before:
        is_last = place == len(messages) - 1 and messages[place].text.strip() != before
        place = place if is_last else None
    if place is None:
        return readable(question), messages, False
    return readable(messages[place].text), messages[:place], True


def _asked_last(messages: Sequence[AnyMessage]) -> int | None:
    """The place of a person's last message; None where this agent has written since."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, HumanMessage):
            return place
        if isinstance(message, AIMessage) and message.name == NAME:
            return None
    return None


def readable(question: object) -> str:
    """The question as it is read. Raises QuestionError for one that is empty or too long."""
    if not isinstance(question, str) or not question.strip():
        raise QuestionError("the question is empty", "ask about something in the graph")
    try:
        question.encode("utf-8")
    except UnicodeEncodeError as error:
        raise QuestionError(
            "the question holds bytes that are not UTF-8 text", "type it again"
        ) from error
    if len(question) > MAX_CHARACTERS:
        raise QuestionError(
            f"the question has {len(question):,} characters, more than {MAX_CHARACTERS:,}",
            "ask a shorter question; the graph itself is given with --kg",
        )
    return question.strip()


def mention_record(mention: Mention) -> MentionRecord:
    """The JSON record of a linked mention."""
    return MentionRecord(
        text=mention.text,
        start=mention.start,
        end=mention.end,
        ambiguous=is_ambiguous(mention),
        candidates=[
            Entity(
                term=candidate.term,
                label=candidate.name,
                kind=candidate.kind,
                description=candidate.description,
                score=round(candidate.score, 6),
            )
            for candidate in mention.candidates
        ],
    )
