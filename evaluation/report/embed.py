"""The records as the page's script reads them: short rows that point into shared tables."""

import json
import math
from collections.abc import Sequence
from enum import IntFlag
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from ...agent.kg.labels.names import local_name, one_line
from ...agent.records import Answer, StepRecord
from ..analysis.summary import has_answer, is_partial, is_right
from ..record_lines import question_key
from ..records import Record, Rejected

ANSWERS, CHAINS, GOLD, NOTES = 20, 5, 20, 10
"""How many answers (or claims) of a question, chains of an answer, gold answers (or choices) and
notes are shown; what is left out is counted."""
_NO_VERDICT = 3
"""The verdict of what is no walk."""
_LONGEST = 300
"""So many characters of a text are shown."""
_VERDICTS = {"supported": 0, "unsupported": 1}
_UNKNOWN = 2
_COUNTED = ("forward_passes", "prompt_tokens", "tokens", "llm_calls", "kg_requests")
SeriesKey: TypeAlias = tuple[str, str]
"""The names of a run and of a method."""
StepRow: TypeAlias = tuple[int, int, int, int]
"""From, relation, verdict (0 supported, 1 unsupported, 2 unknown; 3 more if inverse), to."""


class Outcome(IntFlag):
    """What a record can be filtered by.

    One that is neither an error nor partial nor without answers is right or wrong.
    """

    RIGHT = 1
    """The first answer is right, or there is rightly none."""
    WRONG = 2
    """There are answers, and the first is wrong."""
    UNSUPPORTED = 4
    """Something was written that the graph does not hold."""
    ABSTAINED = 8
    """There is no answer, and no error."""
    ERROR = 16
    UNANSWERABLE = 32
    """The dataset says that there is no answer."""
    PARTIAL = 64
    """The answer leaves words of the question out, and says so."""


def outcome(record: Record) -> Outcome:
    """What became of a record's question."""
    scores = record["metrics"]
    result = Outcome.UNANSWERABLE if scores is None else Outcome(0)
    if record["status"] == "error":
        result |= Outcome.ERROR
    elif is_partial(record):
        result |= Outcome.PARTIAL | (Outcome.RIGHT if is_right(record) else Outcome(0))
    elif not has_answer(record):
        is_rightly_silent = scores is None and is_right(record)
        result |= Outcome.ABSTAINED | (Outcome.RIGHT if is_rightly_silent else Outcome(0))
    else:
        result |= Outcome.RIGHT if scores and scores["hits_at_1"] else Outcome.WRONG
    untrue = record["emitted"]["unsupported"] or record["triples"] - record["supported"]
    return result | (Outcome.UNSUPPORTED if record["unsupported"] or untrue else Outcome(0))


class AnswerRow(NamedTuple):
    """An answer: its name, score, whether it is right, its chains and how many are not shown."""

    name: int
    score: float | None
    right: bool
    chains: list[list[StepRow]]
    hidden: int


class QuestionRow(NamedTuple):
    """A question, whoever was asked; numbers point into the table of names."""

    key: str
    text: str
    hops: int | None
    type: str
    gold: tuple[int, ...]
    hidden: int
    choices: tuple[str, ...]


class RejectedRow(NamedTuple):
    """What was weighed for an answer and is none: a reading in words, or the steps of a walk."""

    words: str
    steps: list[StepRow]
    likelihood: float | None
    """None where the model did not say."""
    verdict: int
    """0 supported, 1 unsupported, 2 unknown, 3 of a reading."""


class ResultRow(NamedTuple):
    """What one method made of a question."""

    question: int
    outcome: int
    status: str
    confidence: float | None
    scores: list[float | None] | None
    """Precision, recall and F1."""
    topics: list[int]
    answers: list[AnswerRow]
    hidden: int
    unsupported: list[str]
    written: list[int]
    """Triples written in all, and how many of them are supported, unsupported and ill."""
    notes: list[int]
    cost: list[float | None]
    """Seconds, forward passes, tokens of prompts, tokens after them, calls of an LLM, requests to
    the KG."""
    error: str | None
    unread: list[str]
    """The words of the question that were reported as not understood."""
    rejected: list[RejectedRow]
    """Where there is no answer: what was weighed for one."""
    reading: str


def to_json(value: object) -> str:
    """JSON that no text inside can end or open an element with."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def shown(text: str) -> str:
    """A text of foreign origin on one line, without control characters, and not too long."""
    line = one_line(text[: 4 * _LONGEST])
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


class Embedded:
    """Results as they are added, one by one, and what they share, each thing once."""

    def __init__(self) -> None:
        self._names: dict[str | tuple[str, str], int] = {}
        self._notes: dict[str, int] = {}
        self._questions: dict[QuestionRow, int] = {}
        self._results: dict[SeriesKey, list[str]] = {}
        self._known: dict[tuple[str, str], int] = {}

    def add(self, series: SeriesKey, record: Record) -> None:
        """Take up what a record of a series shows."""
        self._results.setdefault(series, []).append(to_json(self._result(record)))

    def to_json(self, series: Sequence[tuple[SeriesKey, str]]) -> str:
        """All of it, with the results of each series under the name that it goes by."""
        rows = ",".join(f"[{','.join(self._results[key])}]" for key, _ in series)
        shared = to_json(
            {
                "series": [name for _, name in series],
                "names": list(self._names),
                "notes": list(self._notes),
                "questions": list(self._questions),
            }
        )
        return f'{shared[:-1]},"results":[{rows}]}}'

    def _result(self, record: Record) -> ResultRow:
        answers, scores, usage = record["answers"], record["metrics"], record["usage"]
        written = record["emitted"]
        counts = written["triples"], written["supported"], written["unsupported"], written["ill"]
        notes = _listed(record["notes"], NOTES)
        counted = (usage[name] for name in _COUNTED)
        return ResultRow(
            question=self._question(record),
            outcome=outcome(record),
            status=record["status"],
            confidence=_number(record["confidence"]),
            scores=scores and [_number(scores[m]) for m in ("precision", "recall", "f1")],
            topics=[self._name(topic["term"], topic["label"]) for topic in record["topics"]],
            answers=[
                self._answer(answer, right)
                for answer, right in zip(answers[:ANSWERS], record["right"], strict=False)
            ],
            hidden=max(0, len(answers) - ANSWERS),
            unsupported=_listed(record["unsupported"], ANSWERS),
            written=list(counts),
            notes=[self._notes.setdefault(note, len(self._notes)) for note in notes],
            cost=[_number(value) for value in (record["seconds"], *counted)],
            error=None if record["error"] is None else shown(record["error"]),
            unread=_listed(record.get("unread_words", []), NOTES),
            rejected=[self._rejected(one) for one in record.get("rejected", [])[:ANSWERS]],
            reading=shown(record.get("reading", "")),
        )

    def _rejected(self, rejected: Rejected) -> RejectedRow:
        verdict = rejected["verdict"]
        return RejectedRow(
            words=shown(rejected["words"]),
            steps=[self._step(step) for step in rejected["steps"]],
            likelihood=_number(rejected["likelihood"]) or None,
            verdict=_VERDICTS.get(verdict, _UNKNOWN) if verdict else _NO_VERDICT,
        )

    def _question(self, record: Record) -> int:
        gold = record["gold"]
        row = QuestionRow(
            key="/".join(question_key(record)),
            text=shown(record["question"]),
            hops=record["hops"],
            type=shown(record["type"]),
            gold=tuple(self._name(g["term"], g["label"]) for g in gold[:GOLD]),
            hidden=max(0, len(gold) - GOLD),
            choices=tuple(_listed(record["choices"], GOLD)),
        )
        return self._questions.setdefault(row, len(self._questions))

    def _answer(self, answer: Answer, right: bool) -> AnswerRow:
        chains = answer["chains"]
        return AnswerRow(
            name=self._name(answer["term"], answer["label"]),
            score=_number(answer["score"]),
            right=right,
            chains=[[self._step(step) for step in chain] for chain in chains[:CHAINS]],
            hidden=max(0, len(chains) - CHAINS),
        )

    def _step(self, step: StepRecord) -> StepRow:
        head, relation, tail = (
            self._name(part["term"], part["label"])
            for part in (step["head"], step["relation"], step["tail"])
        )
        verdict = _VERDICTS.get(step["verdict"], _UNKNOWN)
        if step["inverse"]:
            return tail, relation, verdict + 3, head
        return head, relation, verdict, tail

    def _name(self, term: str, label: str) -> int:
        """The number of a name; its term comes along where it says more than the label."""
        if (known := self._known.get((term, label))) is not None:
            return known
        text, spelled = shown(label or local_name(term)), shown(term)
        is_label_enough = spelled in ("", text) or unquote(spelled) == f"<urn:groundwalk:{text}>"
        name = text if is_label_enough else (text, spelled)
        self._known[term, label] = number = self._names.setdefault(name, len(self._names))
        return number


def _listed(texts: Sequence[str], limit: int) -> list[str]:
    """The first of some texts, and how many are not shown."""
    more = [f"… and {len(texts) - limit:,} more"] if len(texts) > limit else []
    return [*map(shown, texts[:limit]), *more]


def _number(value: float) -> float | None:
    """A number as the page shows it; None for what JSON has no number for."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else round(value, 4)
