"""Training samples from questions with answers: the relation paths that lead to the answers."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from ...agent.errors import DatasetError
from ...agent.kg import KnowledgeGraph
from ...evaluation.samples import part_of
from ..questions.clauses import OTHER, TOPIC
from ..questions.graph import Graph, sample_walk
from ..questions.questioner import Questioner, Sample, name_topics
from ..wording.noise import disturb, scramble
from .lessons import Asked, Lesson, Way, lessons_of
from .retold import Forms, forms_of
from .ties import settle

GENERATED = 0.3
"""The share of generated questions between the lessons of a new model."""
SCRAMBLED = 0.6
"""The share of noisy lessons of several hops that are scrambled; of one hop, all are."""
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")


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


class Vocabulary(NamedTuple):
    """The words of all lessons, as often as they are there, and each once."""

    running: Sequence[str]
    distinct: Sequence[str]


_NO_WORDS = Vocabulary((), ())


def read_questions(file: Path) -> list[Asked]:
    """Read MetaQA's `question with [topic] TAB answer|answer`, or JSON lines. Raises DatasetError.

    A JSON line is `{"question": text, "topics": [label or term], "answers": [label or term]}`, or
    with a query as `/wrong` of the chat keeps it, `{"question", "query", "mentions"}`.
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


def supervise(
    kg: KnowledgeGraph, graph: Graph, asked: Iterable[Asked], hops: int, way: Way = "best"
) -> Supervision:
    """Find the relation paths of each question; raises DatasetError when none has any.

    Of paths with the same F1 the one that its words and the other questions make likeliest is kept,
    else the shorter. Where two topics together meet the answers better than each by itself, a
    question gives a lesson from each of the two.
    """
    lessons, dropped, scores = list[Lesson](), Counter[str](), list[float]()
    for question in asked:
        found = lessons_of(kg, graph, question, hops, way)
        if isinstance(found, str):
            dropped[found] += 1
        else:
            lessons += found[0]
            scores.append(found[1])
    if not lessons:
        reasons = "; ".join(f"{count} {reason}" for reason, count in dropped.most_common())
        raise DatasetError(
            f"no question has a path from its topic to an answer in this graph ({reasons})",
            "check that the questions are about this knowledge graph",
        )
    if way == "best":
        settled = settle(graph, [own.text for own in lessons], [own.paths for own in lessons])
        lessons = [own._replace(paths=(path,)) for own, path in zip(lessons, settled, strict=True)]
    return Supervision(tuple(lessons), dropped, sum(scores) / len(scores))


def lesson_stream(
    lessons: Sequence[Lesson],
    questioner: Questioner,
    *,
    noise: float,
    unanswerable: float,
    seed: int,
    new: bool = True,
) -> Iterator[Sample]:
    """Samples from the lessons without end, and some questions that the graph cannot answer.

    For a `new` model, which knows no language but that of the lessons, noisy ones are scrambled
    too, and generated questions between them ask for paths that no lesson has: in the words of the
    lessons where these spell their relations.
    """
    rng = Random(f"lessons {seed}")
    generated = questioner.refusing(0.0)
    forms = forms_of(questioner.graph, lessons) if new else None
    words = [word for lesson in lessons for word in _plain_words(lesson.text)] if new else []
    vocabulary = Vocabulary(words, sorted(set(words)))
    while True:
        if rng.random() < unanswerable:
            yield questioner.unanswerable(rng)
            continue
        if new and rng.random() < GENERATED:
            yield (forms and _retold(forms, rng)) or generated.sample(rng)
            continue
        lesson = rng.choice(lessons)
        sample = draw(questioner, lesson, rng, noise, vocabulary)
        if sample:
            yield sample


def draw(
    questioner: Questioner,
    lesson: Lesson,
    rng: Random,
    noise: float,
    vocabulary: Vocabulary = _NO_WORDS,
) -> Sample | None:
    """One sample of a lesson: a path, an answer, and noise on its words.

    With a vocabulary, noisy ones are scrambled too. Where there are several hops, the order of
    words tells that of the relations: then fewer are, and common words are not put between them.
    """
    graph, composer = questioner.graph, questioner.composer
    moves = rng.choice(lesson.paths)
    walk = sample_walk(graph, lesson.topic, moves, rng, lesson.answers)
    if walk is None:
        return None
    text = lesson.text
    if rng.random() < noise:
        text = disturb(text.lower(), composer.english, composer.book.synonyms, rng)
        others = vocabulary.running
        if len(moves) > 1:
            others = vocabulary.distinct if rng.random() < SCRAMBLED else ()
        if others:
            text = scramble(text, others, rng)
    question, mentions = name_topics(graph, text, (lesson.topic, *lesson.others))
    return Sample(question, mentions, walk, moves)


def _retold(forms: Forms, rng: Random) -> Sample | None:
    told = forms.draw(rng)
    if told is None:
        return None
    question, mentions = name_topics(forms.graph, told.text, told.walk[:1])
    return Sample(question, mentions, told.walk, told.moves)


def _plain_words(text: str) -> list[str]:
    """The words of a lesson's text but its topics."""
    return [word for word in text.lower().split() if TOPIC not in word and OTHER not in word]


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
        if "query" in row and "answers" not in row:
            given = {name: row[name] for name in ("query", "mentions") if name in row}
            return Asked(_text(row["question"]), (), (), number, given)
        question, topics, answers = row["question"], row["topics"], row["answers"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DatasetError(f"{file}:{number}: is not a question ({error!r})") from error
    texts = [question, *topics, *answers] if isinstance(topics, list) else [None]
    if not isinstance(answers, list) or not all(isinstance(text, str) for text in texts):
        raise DatasetError(f"{file}:{number}: topics and answers must be lists of text")
    return Asked(question, tuple(topics), tuple(answers), number)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
