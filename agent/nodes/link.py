"""link: the question's mentions become entities of the KG, each with its rivals and scores."""

from time import perf_counter
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ..errors import QuestionError
from ..linking import Linker, Mention, is_ambiguous
from ..state import Entity, MentionRecord, Options, State, no_usage
from . import Node
from .usage import spent

MAX_CHARACTERS = 4_000


def link(linker: Linker, method: str) -> Node:
    """Link the question and clear what an earlier turn of the thread left in the state.

    The node raises QuestionError for a question that is empty or too long.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        question, said = _question(state)
        mentions = [mention_record(mention) for mention in linker.link(question)]
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
            "method": method,
            "notes": [],
            "usage": spent(fresh, since, kg_requests=1),
        }

    return run


def best_topics(mentions: list[MentionRecord]) -> list[Entity]:
    """The first candidate of every mention, each entity once, in the order of the question."""
    best = [mention["candidates"][0] for mention in mentions]
    return list({entity["term"]: entity for entity in best}.values())


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
