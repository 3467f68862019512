"""The tables of the page: the headline, what a question costs, how settings differ."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis.bootstrap import Estimate
from ..analysis.summary import Kinds, Summary
from ..runner.config import dotted
from .embed import shown
from .runs import Run, Series


@dataclass(frozen=True)
class Cell:
    """What stands in a table: a text, and what is written small below it."""

    text: str
    note: str = ""

    @property
    def in_a_line(self) -> str:
        """The text, with the note in brackets where there is one."""
        return f"{self.text} ({self.note})" if self.note else self.text


@dataclass(frozen=True)
class Column:
    """A column's title and what it means."""

    title: str
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    """A table whose rows are named; `group` says whose numbers a row holds, if a series'."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[tuple[str, int | None, Sequence[Cell]]]
    """Name, number of the series (None where it is of no one), cells."""


NOTHING = Cell("–")


def percent(estimate: Estimate | None) -> Cell:
    """A share in per cent with its interval; one of equal values has none."""
    if estimate is None:
        return NOTHING
    mean, low, high = (100 * v for v in (estimate.mean, estimate.low, estimate.high))
    return Cell(f"{mean:.1f}", "" if low == high else f"{low:.1f}–{high:.1f}")


def share(part: int, whole: int) -> Cell:
    """A share in per cent of a count."""
    return Cell(f"{100 * part / whole:.1f}", f"{part:,} of {whole:,}") if whole else NOTHING


def amount(value: float) -> str:
    """A number with about three digits that count."""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


@dataclass(frozen=True)
class _Measure:
    column: Column
    cell: Callable[[Summary], Cell]


COSTS: dict[str, tuple[str, str]] = {
    "seconds": ("Seconds", "seconds a question"),
    "forward_passes": ("Forward passes", "forward passes of the local model a question"),
    "prompt_tokens": ("Prompt tokens", "tokens of the prompts of all models a question"),
    "tokens": ("Tokens", "tokens that all models wrote or weighed after prompts a question"),
    "forced_tokens": ("Forced tokens", "of these, tokens without an alternative a question"),
    "llm_calls": ("LLM calls", "calls of a general language model a question"),
    "kg_requests": ("KG requests", "requests to the knowledge graph a question"),
}
"""The costs by their key in the summary: title and meaning."""


def headline(series: Sequence[Series]) -> tuple[Table, list[str]]:
    """The headline table, and the titles of the columns that no series has a value for."""
    columns: list[Column] = []
    empty: list[str] = []
    cells_of: list[list[Cell]] = [[_asked(one)] for one in series]
    for measure in _MEASURES:
        cells = [measure.cell(one.summary) for one in series]
        if all(cell == NOTHING for cell in cells):
            empty.append(measure.column.title)
            continue
        columns.append(measure.column)
        for row, cell in zip(cells_of, cells, strict=True):
            row.append(cell)
    questions = Column("Questions", "with an answer, and without one")
    rows = [(one.name, n, row) for n, (one, row) in enumerate(zip(series, cells_of, strict=True))]
    return Table("Headline numbers", [questions, *columns], rows), empty


def tiles(one: Series) -> list[tuple[str, Cell, str]]:
    """The numbers of a single series that matter most: title, value, meaning."""
    wanted = ("Hits@1", "F1", "Unanswerable answered", "Supported", "Seconds")
    measured = {m.column.title: (m.cell(one.summary), m.column.meaning) for m in _MEASURES}
    shown = [(title, *measured[title]) for title in wanted]
    return [(title, cell, meaning) for title, cell, meaning in shown if cell != NOTHING]


def calibration(series: Sequence[Series]) -> Table:
    """What the confidence of each series is worth, as numbers."""
    rows: list[tuple[str, int | None, Sequence[Cell]]] = []
    for number, one in enumerate(series):
        known = one.summary.calibration
        cells = [NOTHING] * 3
        if known:
            cells = [
                share(known.answered, known.questions),
                Cell(f"{known.expected_error:.3f}"),
                Cell(f"{known.area:.3f}"),
            ]
        rows.append((one.name, number, cells))
    columns = [
        Column("Answered", "% of all questions"),
        Column("Calibration error", "expected distance of confidence and share right"),
        Column("Mean risk", "area under the curve of risk against coverage"),
    ]
    return Table("Confidence", columns, rows)


def kinds(series: Sequence[Series]) -> Table | None:
    """What became of each kind of question; None where there are no kinds."""
    names = dict.fromkeys(name for one in series for name in one.summary.kinds)
    rows: list[tuple[str, int | None, Sequence[Cell]]] = []
    for name in names:
        for number, one in enumerate(series):
            if kind := one.summary.kinds.get(name):
                title = shown(name) if len(series) == 1 else f"{shown(name)}, {one.name}"
                rows.append((title, number, _kind_cells(kind)))
    columns = [
        Column("Questions"),
        Column("Right", "all right answers and no other; silence, where there is none"),
        Column("Something else", "an answer that is none to the question"),
        Column("As plain", "answered as if the word that changes the question were not there"),
        Column("Silent", "nothing was said for an answer"),
        Column("Partial", "the answer leaves words of the question out, and says so"),
        Column("Unread words", "told as not understood"),
        Column("Named", "one of these is a word that the graph has nothing for, %"),
    ]
    return Table("Kinds of questions", columns, rows) if rows else None


def _kind_cells(kind: Kinds) -> list[Cell]:
    counts = (
        kind.questions,
        kind.right,
        kind.something_else,
        kind.as_plain,
        kind.silent,
        kind.partial,
        kind.unread_words,
    )
    return [*(Cell(f"{count:,}") for count in counts), share(kind.named, kind.lacking)]


def contrasts(series: Sequence[Series]) -> Table | None:
    """What became of questions with a word that changes them; None where there are none."""
    rows: list[tuple[str, int | None, Sequence[Cell]]] = []
    for number, one in enumerate(series):
        if contrast := one.summary.contrasts:
            partial = one.summary.partial
            cells = [
                Cell(f"{contrast.questions:,}"),
                percent(contrast.wrong),
                percent(contrast.right),
                percent(contrast.named),
                percent(partial.flagged) if partial else NOTHING,
            ]
            rows.append((one.name, number, cells))
    columns = [
        Column("Questions", "a plain question and a word that changes it"),
        Column("Wrong", "answered, and wrongly, %"),
        Column("Right", "of those that the graph can say, %"),
        Column("Named", "of those that it cannot: a word that it lacks is told, %"),
        Column("Flagged", "of questions of any kind that it can say: answered in part, %"),
    ]
    return Table("Words that change a question", columns, rows) if rows else None


def costs(series: Sequence[Series]) -> Table:
    """Median, mean and 95th percentile of every cost of a question."""
    rows: list[tuple[str, int | None, Sequence[Cell]]] = []
    for n, one in enumerate(series):
        spreads = [one.summary.costs.per_question[key] for key in COSTS]
        cells = [
            Cell(amount(s.median), f"mean {amount(s.mean.mean)} · p95 {amount(s.p95)}")
            for s in spreads
        ]
        rows.append((one.name, n, [*cells, Cell(amount(one.summary.costs.seconds))]))
    columns = [Column(title, meaning) for title, meaning in COSTS.values()]
    return Table(
        "Costs of a question: median",
        [*columns, Column("Seconds in all", "of all questions")],
        rows,
    )


def differences(runs: Sequence[Run]) -> Table | None:
    """The settings that are not the same in all runs; None for a single run."""
    if len(runs) < 2:
        return None
    settings = [flat(run.config) for run in runs]
    names = dict.fromkeys(name for one in settings for name in one)
    differing = [name for name in names if len({one.get(name) for one in settings}) > 1]
    return Table(
        "Settings that differ",
        [Column(shown(run.name)) for run in runs],
        [(name, None, [Cell(one.get(name, "not set")) for one in settings]) for name in differing],
    )


def flat(config: dict[str, Any]) -> dict[str, str]:
    """Settings by their dotted names, each value as text."""
    return {
        shown(name): shown(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        )
        for name, value in dotted(config)
    }


def _asked(one: Series) -> Cell:
    summary = one.summary
    silent = summary.unanswerable.questions
    return Cell(f"{summary.questions:,}", f"{silent:,} unanswerable" if silent else "")


def _accuracy(metric: str) -> Callable[[Summary], Cell]:
    return lambda s: percent(getattr(s.accuracy, metric)) if s.accuracy else NOTHING


def _unanswerable(summary: Summary) -> Cell:
    return share(summary.unanswerable.answered, summary.unanswerable.questions)


def _supported(summary: Summary) -> Cell:
    return share(summary.faithfulness.supported, summary.faithfulness.triples)


def _mean(cost: str) -> Callable[[Summary], Cell]:
    return lambda s: Cell(amount(s.costs.per_question[cost].mean.mean))


def _seconds(summary: Summary) -> Cell:
    return Cell(amount(summary.costs.median_seconds))


_MEASURES = (
    _Measure(Column("Hits@1", "the first answer is right, %"), _accuracy("hits_at_1")),
    _Measure(Column("Hit", "any answer is right, %"), _accuracy("hit")),
    _Measure(Column("F1", "of the answers as a set, %"), _accuracy("f1")),
    _Measure(Column("Precision", "of the answers as a set, %"), _accuracy("precision")),
    _Measure(Column("Recall", "of the answers as a set, %"), _accuracy("recall")),
    _Measure(
        Column("Unanswerable answered", "questions without an answer that got one, %"),
        _unanswerable,
    ),
    _Measure(
        Column("Supported", "triples of the answers that the graph holds, %"),
        _supported,
    ),
    _Measure(
        Column("Ill", "triples written that break their chain, % (DoG section 5.1)"),
        lambda s: percent(s.faithfulness.ill),
    ),
    _Measure(
        Column("Faithful", "right answers that come with a proof, % (GCR section 5.3)"),
        lambda s: percent(s.faithfulness.faithful_reasoning),
    ),
    _Measure(
        Column("Triplet-F1", "of the answers' triples against the dataset's, % (DoG Table 3)"),
        lambda s: percent(s.faithfulness.triplet_f1),
    ),
    _Measure(Column("Forward passes", "mean a question"), _mean("forward_passes")),
    _Measure(Column("Prompt tokens", "of all models, mean a question"), _mean("prompt_tokens")),
    _Measure(Column("Tokens", "after the prompts, mean a question"), _mean("tokens")),
    _Measure(Column("LLM calls", "mean a question"), _mean("llm_calls")),
    _Measure(Column("KG requests", "mean a question"), _mean("kg_requests")),
    _Measure(Column("Seconds", "median a question"), _seconds),
)
