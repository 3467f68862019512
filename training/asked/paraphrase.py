"""Other wordings of generated questions, by a chat model, so that a model learns how people ask.

What the chat model says is kept in a file of JSON lines: it is asked once, also where a training is
stopped and goes on. A wording counts only where it holds every placeholder, so that it can be
asked about any topic.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import IO, NamedTuple, TypeAlias

from langchain_core.language_models import BaseChatModel
from typing_extensions import TypedDict

from ...agent.errors import InputError, ServiceError
from ...agent.llm.asking import Asker, UnansweredError
from ...evaluation.record_lines import checked, json_line, numbered_lines, open_lines
from ...prompts import render
from ..questions.graph import Graph, execute
from ..questions.questioner import Questioner, Sample
from ..wording.english import OTHER, TOPIC
from .lesson_stream import draw
from .lessons import Lesson

QUESTIONS = 400
"""Generated questions that are reworded."""
WORDINGS = 5
"""Wordings that are asked for each."""
_SHARE = 0.3
"""How many of the training samples are reworded ones."""
_LONGEST = 300
_WHY_WRITTEN = "the replies are kept there"

Slots: TypeAlias = Mapping[str, str]
"""The placeholders of a question, such as `[country]`, by what they stand for: TOPIC or OTHER."""


class Chat(NamedTuple):
    """A chat model, what it is called and where its replies are kept."""

    llm: BaseChatModel
    name: str
    replies: Path


class _Reply(TypedDict):
    """What is read of a line of the file of replies; model and prompt make its key."""

    reply: str
    key: str


def reword(
    questioner: Questioner,
    chat: Chat,
    *,
    seed: int,
    questions: int = QUESTIONS,
) -> tuple[Lesson, ...]:
    """Lessons in the words of a chat model, from questions that the questioner makes.

    Raises ServiceError where the model does not answer, or nothing that it says can be used, and
    InputError where its replies cannot be kept.
    """
    graph, lessons, asked = questioner.graph, list[Lesson](), 0
    with open_lines(chat.replies, _WHY_WRITTEN) as lines:
        known, asker = _known(chat.replies), Asker(chat.llm)
        for sample, slots in _distinct(questioner, seed, questions):
            question = _with_slots(sample, slots)
            values = {"question": question, "placeholders": [*slots.values()]}
            prompt = render("paraphrase/reword.jinja", None, wordings=WORDINGS, **values)
            key = sha256(f"{chat.name}\n{prompt}".encode()).hexdigest()
            if key not in known:
                known[key] = reply = _ask(asker, chat, prompt)
                row = {"llm": chat.name, "question": question, "reply": reply, "key": key}
                _write(lines, json_line(row), chat.replies)
            asked += 1
            texts = read_wordings(known[key], slots, WORDINGS)
            lessons += [_lesson(graph, sample, text) for text in texts]
    if not lessons:
        raise ServiceError(
            f"{chat.name}: none of {asked} replies has a wording with its placeholders",
            f"name another model; its replies are in {chat.replies}",
        )
    return tuple(lessons)


def mixed(
    stream: Iterator[Sample],
    reworded: Sequence[Lesson],
    questioner: Questioner,
    *,
    noise: float,
    seed: int,
) -> Iterator[Sample]:
    """The stream with reworded questions among it, each about any topic of its kind."""
    rng = Random(f"reworded {seed}")
    for sample in stream:
        drawn = None
        if reworded and rng.random() < _SHARE:
            lesson = _elsewhere(questioner.graph, rng.choice(reworded), rng)
            drawn = draw(questioner, lesson, rng, noise)
        yield drawn or sample


def read_wordings(reply: str, slots: Slots, most: int) -> list[str]:
    """The lines of a reply that hold each placeholder once, as texts with `TOPIC` and `OTHER`.

    At most `most` are read.
    """
    texts = dict[str, None]()
    for line in reply.splitlines():
        text = " ".join(line.split()).lstrip("-*•0123456789.) ").strip("\"'“”` ")
        if len(text) > _LONGEST or TOPIC in text or OTHER in text:
            continue
        for mark, slot in slots.items():
            at = text.lower().find(slot.lower())
            text = text[:at] + mark + text[at + len(slot) :] if at >= 0 else ""
        if text and not re.search(r"[][]", text) and text.strip("".join(slots) + " ?"):
            texts[text] = None
    return list(islice(texts, most))


def _distinct(questioner: Questioner, seed: int, count: int) -> Iterator[tuple[Sample, Slots]]:
    """Answerable questions of different wording or meaning, as far as there are so many."""
    seen = set[tuple[str, object]]()
    for sample in islice(questioner.undisturbed().refusing(0.0).stream(seed), 20 * count):
        slots = _slots(questioner.graph, sample)
        key = _with_slots(sample, slots), sample.moves
        if sample.moves and slots and len(slots) == len(sample.mentions) and key not in seen:
            seen.add(key)
            yield sample, slots
        if len(seen) == count:
            return


def _slots(graph: Graph, sample: Sample) -> Slots:
    """The placeholders of a question, in its order."""
    slots = dict[str, str]()
    for mention in sample.mentions:
        mark = TOPIC if mention.name == graph.names[sample.walk[0]] else OTHER
        kind = re.sub(r"[][]", "", mention.kind) or "entity"
        slots[mark] = f"[{'other ' if mark == OTHER else ''}{kind}]"
    return slots


def _with_slots(sample: Sample, slots: Slots) -> str:
    text, end = "", 0
    for mention, slot in zip(sample.mentions, slots.values(), strict=False):
        text += sample.question[end : mention.start] + slot
        end = mention.end
    return text + sample.question[end:]


def _lesson(graph: Graph, sample: Sample, text: str) -> Lesson:
    """The lesson of a sample in other words."""
    moves, topic = sample.moves, sample.walk[0]
    assert moves is not None, "only questions with an answer are reworded"
    names = {mention.name for mention in sample.mentions} - {graph.names[topic]}
    others = tuple(node for node, name in enumerate(graph.names) if name in names)
    return Lesson(text, topic, others[:1], (moves,), execute(graph, topic, moves))


def _elsewhere(graph: Graph, lesson: Lesson, rng: Random) -> Lesson:
    """The lesson about another topic of the same class, where the path leads somewhere from it."""
    if lesson.others:
        return lesson
    node = rng.choice(graph.nodes[graph.kinds[lesson.topic]])
    answers = execute(graph, node, lesson.paths[0])
    return lesson._replace(topic=node, answers=answers) if answers else lesson


def _ask(asker: Asker, chat: Chat, prompt: str) -> str:
    try:
        return asker.ask(prompt)
    except UnansweredError as error:
        reason = " ".join(str(error.__cause__).split())[:200] or str(error)
        raise ServiceError(
            f"{chat.name} did not answer: {reason}",
            f"run it again to go on from here; what it said is kept in {chat.replies}",
        ) from error


def _write(lines: IO[bytes], line: bytes, file: Path) -> None:
    try:
        lines.write(line)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{file} cannot be written: {reason}", _WHY_WRITTEN) from error


def _known(file: Path) -> dict[str, str]:
    """The replies by key."""
    replies = dict[str, str]()
    for number, line in numbered_lines(file):
        kept = checked(_Reply, line, f"{file}, line {number}: holds no reply", "delete the line")
        replies[kept["key"]] = kept["reply"]
    return replies
