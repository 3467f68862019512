"""A run's numbers for people: a table on a terminal, aligned plain text in a pipe."""

from collections.abc import Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from .bootstrap import Estimate
from .overlap import Overlap
from .summary import Accuracy, Summary

_HEAD = ("", "n", "Hits@1", "Hit", "F1")


def print_summary(summary: Summary, console: Console | None = None) -> None:
    """Print accuracy in per cent with 95% intervals, silence, faithfulness and time."""
    out = console or Console()
    rows = accuracy_rows(summary)
    if rows and out.is_terminal:
        table = Table(box=SIMPLE, pad_edge=False)
        for name in _HEAD:
            table.add_column(name, no_wrap=True)
        for row in rows:
            table.add_row(*row)
        out.print(table)
    elif rows:
        for line in _aligned([_HEAD, *rows]):
            _plain(out, line)
    for line in fact_lines(summary):
        _plain(out, line)


def print_overlap(overlap: Overlap, console: Console | None = None) -> None:
    """Print how much of a question set training has seen, and the questions closest to it."""
    out = console or Console()
    _plain(
        out,
        f"{overlap.questions} questions against {overlap.training:,} training questions, "
        "topic entities masked",
    )
    for size, share in overlap.seen.items():
        _plain(out, f"  {size}-grams that occur in training: {_per_cent(share)}")
    _plain(out, f"  whole questions that occur in training: {_per_cent(overlap.whole)}")
    _plain(out, "closest questions:")
    for close in overlap.closest:
        whole = "whole" if close.whole else _per_cent(close.share)
        _plain(out, f"  {whole:>6}  {close.question}")


def _per_cent(share: float | None) -> str:
    return "none to count" if share is None else f"{100 * share:.1f}%"


def accuracy_rows(summary: Summary) -> list[tuple[str, ...]]:
    """A row for all answerable questions, then one for each number of hops and of answers."""
    if summary.accuracy is None:
        return []
    rows = [_row("all", summary.accuracy)]
    rows += [_row(f"{hops} hop{'s' * (hops != '1')}", a) for hops, a in summary.by_hops.items()]
    rows += [
        _row(f"{size} answer{'s' * (size != '1')}", a) for size, a in summary.by_answers.items()
    ]
    return rows


def fact_lines(summary: Summary) -> list[str]:
    """What does not fit a table: how runs ended, silence, faithfulness, time."""
    statuses = ", ".join(f"{count} {status}" for status, count in summary.statuses.items())
    lines = [f"{summary.method}, {summary.questions} questions: {statuses}"]
    if (silence := summary.unanswerable).questions:
        lines.append(
            f"unanswerable: {silence.questions} questions, {silence.silent} rightly silent, "
            f"{silence.answered} wrongly answered"
            + (f", {silence.failed} failed" if silence.failed else "")
        )
    faith = summary.faithfulness
    share = "no triples emitted" if faith.share is None else f"{100 * faith.share:.1f}%"
    lines.append(f"faithfulness: {share} ({faith.supported} of {faith.triples} triples supported)")
    if faith.unsupported_answers:
        lines.append(f"not counted: {faith.unsupported_answers} answers without a chain")
    costs = summary.costs
    lines.append(
        f"seconds a question: median {costs.median_seconds:.3f}, slowest "
        f"{costs.slowest_seconds:.3f}; all {costs.seconds:.1f}"
    )
    return lines


def _row(name: str, accuracy: Accuracy) -> tuple[str, ...]:
    shown = (accuracy.hits_at_1, accuracy.hit, accuracy.f1)
    return (name, str(accuracy.questions), *map(_percent, shown))


def _percent(estimate: Estimate) -> str:
    mean, low, high = (100 * v for v in (estimate.mean, estimate.low, estimate.high))
    return f"{mean:.1f} ({low:.1f}-{high:.1f})"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _plain(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
