"""The lessons of a file of questions with answers, and which of tied relation paths is meant."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from ...agent.errors import DatasetError
from ...agent.kg import KnowledgeGraph
from ...agent.llm.bag_of_words import count_words, features_of
from ..questions.graph import Graph, Moves
from ..recipe import Way
from ..wording.label_words import plain_label, property_of
from .lessons import Lesson, lessons_of
from .question_files import FileQuestion


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


def supervise(
    kg: KnowledgeGraph, graph: Graph, asked: Iterable[FileQuestion], hops: int, way: Way = "best"
) -> Supervision:
    """Find the relation paths of each question; raises DatasetError when none has any.

    Of paths with the same F1 the one that its words and the other questions make likeliest is kept,
    else the shorter. Where two topics together meet the answers better than each by itself, a
    question gives a lesson from each of the two.
    """
    lessons, dropped, scores = list[Lesson](), Counter[str](), list[float]()
    for question in asked:
        outcome = lessons_of(kg, graph, question, hops, way)
        if isinstance(outcome, str):
            dropped[outcome] += 1
        else:
            lessons += outcome[0]
            scores.append(outcome[1])
    if not lessons:
        reasons = "; ".join(f"{count} {reason}" for reason, count in dropped.most_common())
        raise DatasetError(
            f"no question has a path from its topic to an answer in this graph ({reasons})",
            "check that the questions are about this knowledge graph",
        )
    if way == "best":
        settled = settle(
            graph, [lesson.text for lesson in lessons], [lesson.paths for lesson in lessons]
        )
        lessons = [
            lesson._replace(paths=(path,)) for lesson, path in zip(lessons, settled, strict=True)
        ]
    return Supervision(tuple(lessons), dropped, sum(scores) / len(scores))


_ROUNDS = 3
_HOP = 4.0
"""How much likelier a path is, before the questions are compared, than one with a hop more."""
_WORD = 8.0
"""How much likelier it is for a word of its relations that the question has."""
_SPELLED = 1e6
"""How much likelier it is for a relation that the question spells as the graph does."""
_BACK = 0.1
"""What part of that is lost where it is walked from tail to head."""
_LITTLE = frozenset("are for from had has have its that the was were which who with".split())
"""Words that any question may have."""


def settle(graph: Graph, texts: Sequence[str], ties: Sequence[Sequence[Moves]]) -> list[Moves]:
    """For each masked text one of its tied relation paths.

    Many relation paths reach the same answers by chance. Those whose relations the question names,
    and those that other questions need too, are likelier; of these the ones that questions with the
    same words need. Each question has one vote, which it gives its paths by what it names itself
    and by the votes of all questions, in a few rounds; then naive Bayes over the texts, with these
    votes as counts, decides. Where nothing tells, the shorter path is taken, then the smaller.
    """
    before = [
        {path: _before(graph, text, path) for path in paths}
        for text, paths in zip(texts, ties, strict=True)
    ]
    number = {path: n for n, path in enumerate(dict.fromkeys(chain.from_iterable(ties)))}
    features = [features_of(text) for text in texts]
    counts = count_words(
        (words, {number[path]: share for path, share in vote.items()})
        for words, vote in zip(features, _votes(before), strict=True)
    )

    def likeliest(words: list[str], prior: Mapping[Moves, float]) -> Moves:
        joint = counts.log_joint(words) if len(prior) > 1 else {}
        logs = {p: math.log(prior[p]) + joint.get(number[p], -math.inf) for p in prior}
        return min(prior, key=lambda path: (-round(logs[path], 9), len(path), path))

    return list(map(likeliest, features, before))


def _votes(before: Sequence[Mapping[Moves, float]]) -> list[dict[Moves, float]]:
    """The vote of each question, after a few rounds in which it hears those of the others."""
    votes = [_shared(prior) for prior in before]
    for _ in range(_ROUNDS):
        support = Counter[Moves]()
        for vote in votes:
            support.update(vote)
        votes = [_shared({path: prior[path] * support[path] for path in prior}) for prior in before]
    return votes


def _before(graph: Graph, text: str, path: Moves) -> float:
    """How likely a path is by itself, up to a factor of its question."""
    names = [property_of(graph.labels[move.relation]) for move in path]
    named = Counter(word for name in names for word in _words(name))
    words = (named & Counter(_words(text))).total()
    spelled, left = 0.0, text.lower()
    for move, name in sorted(zip(path, names, strict=True), key=lambda pair: -len(pair[1])):
        taken = _without(left, name)
        if taken is not None:
            spelled, left = spelled + 1.0 - _BACK * move.inverse, taken
    return _SPELLED**spelled * _WORD**words / _HOP ** len(path)


def _without(text: str, name: str) -> str | None:
    """A text after a relation's name is taken out of it once; None where it does not have it."""
    for pattern, form in _forms(name):
        if form in text:
            left, times = pattern.subn("\n", text, count=1)
            if times:
                return left
    return None


@lru_cache(maxsize=100_000)
def _forms(name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """How a question may spell a name: as it stands, and as words; none where it is too little."""
    if not any(len(word) > 2 and word not in _LITTLE for word in _words(name)):
        return ()
    forms = dict.fromkeys((name.lower(), plain_label(name)))
    return tuple((re.compile(rf"(?<!\w){re.escape(form)}(?!\w)"), form) for form in forms)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _shared(weights: Mapping[Moves, float]) -> dict[Moves, float]:
    """The weights as shares of one vote; paths of next to none have no part in it."""
    total = sum(weights.values())
    return {path: weight / total for path, weight in weights.items() if weight > 1e-12 * total}
