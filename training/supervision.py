"""Training samples from questions with answers: the relation paths that lead to the answers."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from ..agent.errors import DatasetError
from ..agent.kg import KnowledgeGraph
from ..agent.kg.names import normalise
from ..evaluation.split import part as part_of
from .clauses import OTHER, TOPIC
from .graph import Graph, Moves, Node, relation_paths, sample_walk
from .noise import disturb
from .questions import Questioner, Sample, name_topics

_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_WHOLE_GROUP = 4
"""Of so many equally good relation paths the first are kept."""


class Asked(NamedTuple):
    """A question of a file: its text, the topics it names and the answers, as written there."""

    text: str
    topics: tuple[str, ...]
    answers: tuple[str, ...]
    line: int


class Lesson(NamedTuple):
    """A question with `TOPIC` for its topic's name, and the relation paths to its answers."""

    text: str
    topic: Node
    others: tuple[Node, ...]
    paths: tuple[Moves, ...]
    answers: frozenset[Node]


@dataclass(frozen=True)
class Supervision:
    """The lessons of a file, and how many questions gave none, by reason."""

    lessons: tuple[Lesson, ...]
    dropped: Counter[str] = field(default_factory=lambda: Counter[str]())
    f1: float = 0.0
    """The mean F1 of what the kept relation paths reach."""

    @property
    def hops(self) -> int:
        """The longest path of all but a few lessons."""
        lengths = sorted(len(lesson.paths[0]) for lesson in self.lessons)
        return lengths[min(len(lengths) - 1, int(len(lengths) * 0.97))] if lengths else 1


def read_questions(file: Path) -> list[Asked]:
    """Read MetaQA's `question with [topic] TAB answer|answer`, or JSON lines. Raises DatasetError.

    A JSON line is `{"question": text, "topics": [label or term], "answers": [label or term]}`.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{file}: cannot be read ({error})") from error
    asked = [_read_line(line, number, file) for number, line in enumerate(lines, 1) if line.strip()]
    if not asked:
        raise DatasetError(f"{file}: holds no questions")
    return asked


def select(asked: Sequence[Asked], part: str, limit: int | None, seed: int) -> list[Asked]:
    """The questions of one part of the split, at most `limit` of them, drawn by seed."""
    chosen = [a for a in asked if part in ("all", part_of(a.text))]
    if limit is not None and limit < len(chosen):
        places = sorted(Random(f"limit {seed}").sample(range(len(chosen)), limit))
        chosen = [chosen[place] for place in places]
    return chosen


def supervise(kg: KnowledgeGraph, graph: Graph, asked: Iterable[Asked], hops: int) -> Supervision:
    """Find the relation paths of each question; raises DatasetError when none has any."""
    lessons, dropped, scores = list[Lesson](), Counter[str](), list[float]()
    for question in asked:
        found = _lesson(kg, graph, question, hops)
        if isinstance(found, str):
            dropped[found] += 1
        else:
            lessons.append(found[0])
            scores.append(found[1])
    if not lessons:
        reasons = "; ".join(f"{count} {reason}" for reason, count in dropped.most_common())
        raise DatasetError(
            f"no question has a path from its topic to an answer in this graph ({reasons})",
            "check that the questions are about this knowledge graph",
        )
    return Supervision(tuple(lessons), dropped, sum(scores) / len(scores))


def best_paths(
    graph: Graph, topic: Node, answers: frozenset[Node], hops: int
) -> tuple[tuple[Moves, ...], float]:
    """The relation paths that reach the answers with the best F1, the shortest of these."""
    best, score = list[Moves](), 0.0
    for length in range(1, hops + 1):
        for moves, reached in relation_paths(graph, topic, length).items():
            if len(moves) < length:
                continue
            f1 = 2 * len(reached & answers) / (len(reached) + len(answers))
            if f1 > score + 1e-9:
                best, score = [moves], f1
            elif best and abs(f1 - score) < 1e-9 and len(moves) == len(best[0]):
                best.append(moves)
        if score > 1 - 1e-9:
            break
    return tuple(best[:_WHOLE_GROUP]), score


def lesson_stream(
    lessons: Sequence[Lesson],
    questioner: Questioner,
    *,
    noise: float,
    unanswerable: float,
    seed: int,
) -> Iterator[Sample]:
    """Samples from the lessons without end, and some questions that the graph cannot answer."""
    rng = Random(f"lessons {seed}")
    while True:
        if rng.random() < unanswerable:
            yield questioner.unanswerable(rng)
            continue
        lesson = rng.choice(lessons)
        sample = draw(questioner, lesson, rng, noise)
        if sample:
            yield sample


def draw(questioner: Questioner, lesson: Lesson, rng: Random, noise: float) -> Sample | None:
    """One sample of a lesson: a path, an answer, and noise on its words."""
    graph, composer = questioner.graph, questioner.composer
    moves = rng.choice(lesson.paths)
    walk = sample_walk(graph, lesson.topic, moves, rng, lesson.answers)
    if walk is None:
        return None
    text = lesson.text
    if rng.random() < noise:
        text = disturb(text.lower(), composer.english, composer.book.synonyms, rng)
    question, mentions = name_topics(graph, text, (lesson.topic, *lesson.others))
    return Sample(question, mentions, walk, moves)


def _read_line(line: str, number: int, file: Path) -> Asked:
    if line.lstrip().startswith("{"):
        return _read_json(line, number, file)
    question, tab, answers = line.partition("\t")
    topics = tuple(match[1] for match in _BRACKETS.finditer(question))
    if not tab or not topics:
        raise DatasetError(
            f"{file}:{number}: is neither `question with [topic] TAB answer|answer` nor JSON"
        )
    split = tuple(answer.strip() for answer in answers.split("|") if answer.strip())
    return Asked(question, topics, split, number)


def _read_json(line: str, number: int, file: Path) -> Asked:
    try:
        row = cast("dict[str, Any]", json.loads(line))
        question, topics, answers = row["question"], row["topics"], row["answers"]
    except (ValueError, KeyError) as error:
        raise DatasetError(f"{file}:{number}: is not a question ({error!r})") from error
    texts = [question, *topics, *answers] if isinstance(topics, list) else [None]
    if not isinstance(answers, list) or not all(isinstance(text, str) for text in texts):
        raise DatasetError(f"{file}:{number}: topics and answers must be lists of text")
    return Asked(question, tuple(topics), tuple(answers), number)


def _lesson(
    kg: KnowledgeGraph, graph: Graph, asked: Asked, hops: int
) -> tuple[Lesson, float] | str:
    text = asked.text
    found = list[tuple[int, str, list[Node]]]()
    for topic in asked.topics:
        nodes = _find(kg, graph, topic)
        name = graph.names[nodes[0]] if nodes else topic
        place = next(
            (at for name in (f"[{topic}]", topic, name) if (at := _position(text, name))), None
        )
        if nodes and place:
            found.append((place[0], text[place[0] : place[1]], nodes))
    if not found:
        return "whose topic the graph or the question does not name"
    answers = frozenset(node for name in asked.answers for node in _find(kg, graph, name))
    if not answers:
        return "whose answers the graph does not hold"
    candidates = [
        (score, -len(paths[0]), place, node, paths)
        for place, (_, _, nodes) in enumerate(found)
        for node in nodes[:4]
        for paths, score in [best_paths(graph, node, answers - {node}, hops)]
        if paths
    ]
    if not candidates:
        return f"without a path of {hops} hops to an answer"
    score, _, place, node, paths = max(candidates, key=lambda c: c[:2])
    for at, (_, mention, _) in enumerate(found):
        mark = TOPIC if at == place else OTHER if len(found) > 1 else TOPIC
        text = text.replace(mention, mark, 1)
    others = tuple(nodes[0] for at, (_, _, nodes) in enumerate(found) if at != place)[:1]
    return Lesson(text, node, others, paths, answers), score


def _position(text: str, name: str) -> tuple[int, int] | None:
    at = text.lower().find(name.lower())
    return (at, at + len(name)) if at >= 0 else None


def _find(kg: KnowledgeGraph, graph: Graph, name: str) -> list[Node]:
    term = kg.representatives([name])[name]
    if term in graph.by_term:
        return [graph.by_term[term]]
    named = dict.fromkeys(kg.representatives(kg.labels.named(name)).values())
    nodes = [graph.by_term[term] for term in named if term in graph.by_term]
    return nodes or list(graph.by_name.get(normalise(name), ()))
