"""link: the question's mentions become entities of the KG, each with its rivals and scores."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ..errors import QuestionError
from ..kg import KnowledgeGraph
from ..kg.metering import metered
from ..kg.terms import Term
from ..linking import Candidate, Linker, Mention, is_ambiguous
from ..options import Options
from ..state import Entity, MentionRecord, State, no_usage
from . import Node
from .given import given_mentions
from .usage import spent

MAX_CHARACTERS = 4_000

_LONG = 2.0
_SLOW = (
    "names were looked up at the endpoint in {:.1f} s; "
    "a KG built of a dump, with `groundwalk kg build`, has them in milliseconds"
)


def link(
    linker: Linker, method: str, kg: KnowledgeGraph | None = None, told: Sequence[str] = ()
) -> Node:
    """Link the question and clear what an earlier turn of the thread left in the state.

    Topics that are `given` take the place of linked ones. Of entities that the reading of `kg`
    takes for one, the representative is the topic. `told` are notes of every question. The node
    raises QuestionError for a question that is empty or too long.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        question, said = _question(state)
        with metered() as meter:
            found, missing = linker.link(question), list[str]()
            if kg is not None and (given := state.get("given")) is not None:
                found, missing = given_mentions(kg, question, given, found)
            linked = [represented(mention, kg) for mention in found]
        mentions = [mention_record(mention) for mention, _ in linked]
        notes = [*told, *missing, *dict.fromkeys(note for _, note in linked if note)]
        seconds = perf_counter() - since
        slow = meter.requests and seconds > _LONG
        topics = best_topics(mentions)
        runtime.stream_writer({"event": "linked", "topics": topics})
        fresh: State = {"usage": no_usage()}
        return {
            "question": question,
            "messages": [] if said else [HumanMessage(question)],
            "mentions": mentions,
            "topics": topics,
            "view": None,
            "candidates": [],
            "reasoner": "",
            "confidence": 0.0,
            "answers": [],
            "status": "abstained",
            "unsupported": [],
            "lost": 0,
            "method": method,
            "notes": [*notes, _SLOW.format(seconds)] if slow else notes,
            "usage": spent(fresh, since, kg_requests=meter.requests or 1),
        }

    return run


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


def _question(state: State) -> tuple[str, bool]:
    """The question, and whether it is already the last message of the conversation."""
    messages = state.get("messages")
    said = bool(messages) and isinstance(messages[-1], HumanMessage)
    question = messages[-1].text if said and messages else state.get("question")
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
    return question.strip(), said


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
