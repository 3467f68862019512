"""Earlier turns from the messages of a conversation, where the state has none of its own.

Nothing that a message says is believed: its questions are linked again, the triples of its answers
are looked up again, and labels are the graph's.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, NamedTuple, NotRequired

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ..answers.candidates import entity_record, name_terms, path_of, proves, step_records
from ..answers.texts import answers_line
from ..answers.topics import linked, settled_topics
from ..errors import QuestionError
from ..kg import KnowledgeGraph
from ..kg.nodes import is_triple
from ..kg.terms import Term, Triple
from ..linking import Linker
from ..records import Answer, Entity, MentionRecord, Result, Status, StepRecord, Turn, silence
from ..state import State
from .earlier import checked_answers, start_of
from .turns import bounded

MOST_EXCHANGES = 6
"""Earlier questions that are read from messages: the last ones."""


class Reply(TypedDict):
    """What the `response_metadata` of a message says of an answer, beside its text."""

    asked: str
    alone: bool
    status: Status
    topics: list[Entity]
    answers: list[Answer]
    cut: bool
    confidence: Annotated[float, Field(ge=0, le=1)]
    question: NotRequired[str]
    """The question as it was put."""
    reading: NotRequired[str]
    """The query that was executed, in words."""
    result: NotRequired[Any]
    """What was computed, for apps that keep messages only. Of any type, as it is not read again."""
    notes: NotRequired[Any]
    """Why there is no answer, what was cut off or left out; for such apps too."""
    history: NotRequired[Any]
    """Which history has the answer, as `history_of` has it."""


def history_of(config: RunnableConfig) -> str:
    """What tells histories of runs apart: the thread, and the nodes of the graphs around."""
    given = config.get("configurable", {})
    *around, _ = str(given.get("checkpoint_ns", "")).split("|")
    nodes = [part.partition(":")[0] for part in around if not part.isdecimal()]
    return sha256(ascii((given.get("thread_id"), nodes)).encode()).hexdigest()[:16]


def message_of(
    turn: Turn, reading: str, result: Result | None = None, history: str = ""
) -> AIMessage:
    """The message that tells a turn's answer, with its chains, its notes and the like as data."""
    reply = Reply(
        asked=turn["asked"],
        alone=turn["alone"],
        status=turn["status"],
        topics=turn["topics"],
        answers=turn["answers"],
        cut=turn["cut"],
        confidence=turn["confidence"],
        question=turn["question"],
        reading=reading,
        result=result,
        notes=turn["notes"],
        history=history,
    )
    return AIMessage(turn["text"], name=NAME, response_metadata={**reply})


def earlier_turns(kg: KnowledgeGraph, linker: Linker, messages: Sequence[AnyMessage]) -> list[Turn]:
    """The turns that the messages before a question tell of.

    Answers are known of replies of this agent only; of any other a turn has the question and its
    topics. Raises ServiceError.
    """
    turns = list[Turn]()
    for question, reply in list(_exchanges(messages))[-MOST_EXCHANGES:]:
        turn = _open_turn(kg, linker, question, turns)
        turns.append(turn if reply is None else _replied(kg, linker, turn, reply))
    return turns


def _exchanges(messages: Sequence[AnyMessage]) -> Iterator[tuple[str, Reply | None]]:
    """Every question that can be read, with what this agent replied to it."""
    question, reply = "", None
    for message in messages:
        if isinstance(message, HumanMessage):
            if question:
                yield question, reply
            question, reply = _question(message.text), None
        elif isinstance(message, AIMessage) and message.name == NAME:
            reply = _reply(message.response_metadata) or reply
    if question:
        yield question, reply


def _question(text: str) -> str:
    try:
        return readable(text)
    except QuestionError:
        return ""


@cache
def _replies() -> TypeAdapter[Reply]:
    return TypeAdapter(Reply)


def _reply(metadata: Mapping[str, Any]) -> Reply | None:
    try:
        reply = _replies().validate_python(metadata)
    except ValidationError:
        return None
    return reply if _question(reply["asked"]) else None


def _open_turn(
    kg: KnowledgeGraph,
    linker: Linker,
    question: str,
    turns: Sequence[Turn],
) -> Turn:
    """The turn of a question whose answer is not known."""
    mentions = linked(linker, kg, question).mentions
    return Turn(
        number=len(turns) + 1,
        question=question,
        asked=question,
        alone=True,
        status="abstained",
        mentions=mentions,
        topics=settled_topics(mentions),
        answers=[],
        cut=False,
        confidence=0.0,
        notes=[],
        text=silence("abstained"),
    )


def _replied(kg: KnowledgeGraph, linker: Linker, turn: Turn, reply: Reply) -> Turn:
    """The turn with what holds of the reply to it."""
    claimed = {topic["term"] for topic in reply["topics"]}
    mentions = linked(linker, kg, reply["asked"]).mentions
    if reply["status"] != "ambiguous":
        mentions = [_settled(mention, claimed) for mention in mentions]
    answers = _answers(kg, reply)
    known_terms = {candidate["term"] for mention in mentions for candidate in mention["candidates"]}
    known_terms.update(step[end]["term"] for step in _steps(answers) for end in ("head", "tail"))
    is_kept = reply["status"] in ("ambiguous", "unsure")
    status: Status = reply["status"] if is_kept else "abstained"
    return {
        **turn,
        "asked": reply["asked"],
        "alone": reply["alone"],
        "status": "answered" if answers else status,
        "mentions": mentions,
        "topics": _entities(
            kg, [topic for topic in reply["topics"] if topic["term"] in known_terms]
        ),
        "answers": answers,
        "cut": reply["cut"] or len(answers) < len(reply["answers"]),
        "confidence": reply["confidence"],
        "text": answers_line(answers) or silence(status),
    }


def _settled(mention: MentionRecord, topics: set[Term]) -> MentionRecord:
    """The mention with the candidate first that is among the topics, if one is."""
    candidates = sorted(
        mention["candidates"], key=lambda candidate: candidate["term"] not in topics
    )
    chosen = candidates[0]["term"] in topics
    return {
        **mention,
        "candidates": candidates,
        "ambiguous": mention["ambiguous"] and not chosen,
    }


def _entities(kg: KnowledgeGraph, topics: Sequence[Entity]) -> list[Entity]:
    infos = kg.labels.describe([topic["term"] for topic in topics])
    return [entity_record(info, topic["score"]) for topic, info in zip(topics, infos, strict=True)]


def _answers(kg: KnowledgeGraph, reply: Reply) -> list[Answer]:
    """The answers of a reply that chains prove which the store holds, in the graph's words."""
    claimed: list[Answer] = [
        {**answer, "chains": [chain for chain in answer["chains"] if _is_proof(answer, chain)]}
        for answer in bounded(reply["answers"])
    ]
    checked = checked_answers(kg, reply["topics"], claimed)
    paths = [path_of(start_of(chain), chain) for answer in checked for chain in answer["chains"]]
    chains = iter(step_records(kg.labels, paths))
    named = name_terms(kg.labels, [answer["term"] for answer in checked])
    return [
        {
            **answer,
            **named[answer["term"]],
            "chains": [_supported(next(chains)) for _ in answer["chains"]],
        }
        for answer in checked
    ]


def _is_proof(answer: Answer, chain: Sequence[StepRecord]) -> bool:
    """Whether a chain is made of triples and proves the answer, if the store holds them."""
    triples = [
        Triple(*(step[end]["term"] for end in ("head", "relation", "tail"))) for step in chain
    ]
    if not triples or not all(map(is_triple, triples)):
        return False
    return proves(answer.get("form", "path"), answer["term"], path_of(start_of(chain), chain))


def _supported(chain: Sequence[StepRecord]) -> list[StepRecord]:
    return [{**step, "verdict": "supported"} for step in chain]


def _steps(answers: Sequence[Answer]) -> Iterator[StepRecord]:
    return (step for answer in answers for chain in answer["chains"] for step in chain)


NAME = "groundwalk"
"""The name of the messages that this agent writes."""
SHORTER = "ask a shorter question; it need not say what is in the graph"
"""The hint on a question that is too long."""
MAX_CHARACTERS = 4_000


class Put(NamedTuple):
    """A question as it was put, the messages before it, and whether one of the messages is it."""

    question: str
    before: list[AnyMessage]
    is_message: bool


def question_of(state: State, history: str) -> Put:
    """The question that is asked now.

    It is `question`, of which a person's last message may be another wording. The message is the
    question where no other goes in, or only the one that this agent answered last: the state of a
    graph around may still hold that. A message that has a reply of this `history` is none; what
    another graph of this kind replied to it answers it for that one alone. Raises QuestionError for
    one that is empty or too long.
    """
    messages, question = state.get("messages") or [], state.get("question")
    humans = [
        position for position, message in enumerate(messages) if isinstance(message, HumanMessage)
    ]
    if not humans:
        return Put(readable(question), messages, is_message=False)
    position, input_question, text = humans[-1], state.get("said"), str(question or "").strip()
    replies = [
        message
        for message in messages[position + 1 :]
        if isinstance(message, AIMessage) and not message.tool_calls
    ]
    of_kind = [message.response_metadata for message in replies if message.name == NAME]
    is_replied, answered_question = bool(of_kind), answered_last(messages)
    if input_question and any(reply.get("history", history) == history for reply in of_kind):
        return Put(readable(question), messages, is_message=False)
    if not text or text == input_question or (text == answered_question and not is_replied):
        return Put(readable(messages[position].text), messages[:position], is_message=True)
    is_same = is_replied and text in (answered_question, messages[position].text.strip())
    if replies and not is_same:
        return Put(readable(question), messages, is_message=False)
    return Put(readable(question), messages[:position], is_message=True)


def answered_last(messages: Sequence[AnyMessage]) -> object:
    """The question that the last reply of a graph of this kind says that it answers; else None."""
    replies = (
        message
        for message in reversed(messages)
        if isinstance(message, AIMessage) and message.name == NAME
    )
    last = next(replies, None)
    return last and last.response_metadata.get("question")


def readable(question: object) -> str:
    """The question as it is read. Raises QuestionError for what is empty, too long or no text."""
    if question is None:
        raise QuestionError("no question is given", 'give one: {"question": "..."}')
    if not isinstance(question, str):
        raise QuestionError(
            f"a question is a text, and no {type(question).__name__}", "put it in words"
        )
    if not question.strip():
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
            SHORTER,
        )
    return question.strip()
