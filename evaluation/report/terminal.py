"""Numbers for people: a table on a terminal, aligned plain text in a pipe."""

from collections.abc import Sequence
from dataclasses import astuple

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..analysis.bootstrap import Estimate
from ..analysis.coherence import Coherence
from ..analysis.comparison import Comparison, Difference
from ..analysis.overlap import Overlap
from ..analysis.summary import (
    Accuracy,
    Contrasts,
    Kinds,
    Partial,
    RunSummary,
    Summary,
    gold_line,
)
from ..scoring.metrics import METRIC_TITLES
from ..scoring.predictions import Score

_HEAD = ("", "n", "Hits@1", "Hit", "F1")
_METHODS_HEAD = tuple(" Hits@1 Hit F1 unans. supp. ill seconds passes LLM".split(" "))
_KINDS_HEAD = "n,right,something else,as plain,silent,partial,unread,named".split(",")
_MOST_KINDS = 20

_FEW = 10
"""Answerable questions of which the shares say little."""

_LIKELIHOOD = "likelihood"


def print_summary(summary: RunSummary, console: Console | None = None) -> None:
    """Print a run: of one method its breakdowns too, of several a row each.

    Shares are in per cent with 95% intervals; seconds, forward passes and LLM calls are those of a
    question (median, mean, mean); `unans.` is the share of unanswerable questions that were
    answered, `supp.` and `ill` are of all triples that were emitted.
    """
    out = console or Console()
    methods = list(summary.methods.values())
    if len(methods) > 1:
        print_rows(_METHODS_HEAD, [method_row(method) for method in methods], out)
    elif rows := [row for method in methods for row in accuracy_rows(method)]:
        print_rows(_HEAD, rows, out)
    if summary.sampled_of and methods:
        _plain(out, sample_line(methods[0].questions, summary.sampled_of))
    if summary.unknown_gold and methods:
        _plain(out, gold_line(summary.unknown_gold, methods[0].questions))
    if summary.oracle:
        _plain(out, oracle_line(summary.oracle))
    for method in methods:
        if rows := kind_rows(method):
            print_rows((_named(method), *_KINDS_HEAD), rows, out)
        for line in fact_lines(method):
            _plain(out, line)


def kind_rows(summary: Summary) -> list[tuple[str, ...]]:
    """A row for each kind of question, and one for all; none where there are no kinds, or many.

    `unread` are the words that were reported as not understood, `named` the questions where one of
    these is a word that the graph has nothing for, of those that have such a word.
    """
    kinds = summary.kinds
    if not 1 < len(kinds) <= _MOST_KINDS:
        return []
    total = Kinds(*(sum(column) for column in zip(*map(astuple, kinds.values()), strict=True)))
    return [_kind_row(name, kind) for name, kind in [*kinds.items(), ("all", total)]]


def _kind_row(name: str, kind: Kinds) -> tuple[str, ...]:
    *counts, lacking, named = astuple(kind)
    return (name, *map(str, counts), f"{named}/{lacking}" if lacking else "-")


def sample_line(count: int, of: int) -> str:
    """That the questions of a run are not all that there are, and how they were taken."""
    return f"a random sample over the kinds of questions: {count:,} of {of:,}"


def oracle_line(oracle: Accuracy) -> str:
    """What the gold relation paths are worth, in per cent: no planner's fault below it."""
    return (
        f"gold path: Hits@1 {_mean(oracle.hits_at_1)}, F1 {_mean(oracle.f1)} "
        f"({oracle.questions:,} questions)"
    )


def print_rows(head: Sequence[str], rows: Sequence[Sequence[str]], out: Console) -> None:
    """Print a table with a frame on a terminal, aligned plain text elsewhere."""
    if not out.is_terminal:
        for line in aligned([head, *rows]):
            _plain(out, line)
        return
    table = Table(box=SIMPLE, pad_edge=False)
    for name in head:
        table.add_column(Text(name), no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    out.print(table)


def print_scores(scores: Sequence[Score]) -> None:
    """Print the metrics of each method in a dialect, to as many decimals as published ones."""
    out = Console()
    for score in scores:
        counted = f"{score.questions} questions" + (f" of {score.method}" if score.method else "")
        _plain(out, f"{score.dialect}, {counted}")
        if score.without_gold:
            _plain(out, f"not scored: {score.without_gold} without a gold answer")
        if score.repeated:
            _plain(out, f"counted again: {score.repeated} with an id that was there before")
        rows = [
            (name, f"{100 * value.mean:.4f}", f"{100 * value.low:.1f}-{100 * value.high:.1f}")
            for name, value in score.metrics.items()
        ]
        if rows:
            print_rows(("", "per cent", "95%"), rows, out)


def print_comparison(comparison: Comparison) -> None:
    """Print what two sides are worth on their common questions, and the differences in points."""
    out = Console()
    _plain(out, f"first: {comparison.first}")
    _plain(out, f"second: {comparison.second}")
    _plain(
        out,
        f"{comparison.common} questions of both, {comparison.answerable} answerable; "
        f"left out: {comparison.only_first} of the first only, "
        f"{comparison.only_second} of the second only",
    )
    measures = [(METRIC_TITLES[metric], row) for metric, row in comparison.metrics.items()]
    if comparison.unanswerable_answered:
        measures.append(("unans. answered", comparison.unanswerable_answered))
    head = ("", "first", "second", "difference", "higher", "lower", "p")
    print_rows(head, [_compared(*measure) for measure in measures], out)


def _compared(name: str, measure: Difference) -> tuple[str, ...]:
    mean, low, high = (100 * v for v in astuple(measure.difference))
    return (
        name,
        f"{100 * measure.first:.1f}",
        f"{100 * measure.second:.1f}",
        f"{mean:+.1f} ({low:+.1f} to {high:+.1f})",
        str(measure.higher),
        str(measure.lower),
        f"{measure.p_value:.2g}" if measure.p_value >= 1e-4 else "<0.0001",
    )


def print_coherence(coherences: Sequence[Coherence]) -> None:
    """Print the mean rating of each method's chains, and how many replies gave none."""
    out = Console()
    for one in coherences:
        mean = "no rating"
        if one.mean is not None:
            mean = f"{one.mean.mean:.2f} of 5 ({one.mean.low:.2f}-{one.mean.high:.2f})"
        chains = f"{one.chains} chains of {one.questions} questions, rated by {one.llm}"
        _plain(out, f"{one.method}: coherence {mean}; {chains}")
        if one.unread:
            _plain(out, f"not counted: {one.unread} replies without a rating")


def print_overlap(overlap: Overlap) -> None:
    """Print how much of a question set training has seen, and the questions closest to it."""
    out = Console()
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
    lines = [f"{_named(summary)}, {summary.questions} questions: {statuses}"]
    if (silence := summary.unanswerable).questions:
        lines.append(
            f"unanswerable: {silence.questions} questions, {silence.silent} rightly silent, "
            f"{silence.answered} wrongly answered"
            + (f", {silence.partial} partial" if silence.partial else "")
            + (f", {silence.failed} failed" if silence.failed else "")
        )
    if partial := summary.partial:
        lines.append(_partial_line(partial))
    if contrasts := summary.contrasts:
        lines.append(_contrasts_line(contrasts))
    lines += trouble_lines(summary)
    faith = summary.faithfulness
    share = "no triples in answers" if faith.share is None else f"{100 * faith.share:.1f}%"
    lines.append(f"faithfulness: {share} ({faith.supported} of {faith.triples} triples supported)")
    if faith.emitted_supported is not None and faith.ill is not None:
        lines.append(
            f"emitted: {faith.emitted['triples']} triples, {_mean(faith.emitted_supported)}% "
            f"supported, {_mean(faith.ill)}% ill"
        )
    if faith.unsupported_answers:
        lines.append(f"not counted: {faith.unsupported_answers} answers without a chain")
    costs = summary.costs
    lines.append(
        f"seconds a question: median {costs.median_seconds:.3f}, slowest "
        f"{costs.slowest_seconds:.3f}; all {costs.seconds:.1f}"
    )
    prompt, after, forced = (
        f"{costs.per_question[cost].mean.mean:,.1f}"
        for cost in ("prompt_tokens", "tokens", "forced_tokens")
    )
    lines.append(f"tokens a question: {prompt} of prompts, {after} after them ({forced} forced)")
    return lines


def _partial_line(partial: Partial) -> str:
    line = f"partial: {partial.questions} questions"
    if partial.flagged:
        of = f"the {partial.expressible} that the graph can say in full"
        line += f", among them {percent(partial.flagged)}% of {of}"
    return line


def _contrasts_line(contrasts: Contrasts) -> str:
    parts = [
        f"contrasts: {contrasts.questions} questions, {percent(contrasts.wrong)}% wrongly answered"
    ]
    if contrasts.right:
        of = f"the {contrasts.expressible} that the graph can say"
        parts.append(f"right {percent(contrasts.right)}% of {of}")
    if contrasts.named:
        of = f"the {contrasts.lacking} that it cannot"
        parts.append(f"a word that it lacks is named in {percent(contrasts.named)}% of {of}")
    return "; ".join(parts)


def trouble_lines(summary: Summary) -> list[str]:
    """What the numbers of a method do not show by themselves."""
    lines, troubles = list[str](), summary.troubles
    if likely := summary.reasoners.get(_LIKELIHOOD):
        asked = f"{likely:,} of {summary.questions:,} questions"
        lines.append(f"likelihood form: no LLM was asked, the local model decided {asked}")
    if failed := troubles.llm_failed:
        who = "the vote did" if troubles.voted == failed else f"the vote did for {troubles.voted}"
        instead = f": {who}" if troubles.voted else ""
        asked = f"{failed:,} of {summary.questions:,} questions"
        lines.append(f"the LLM did not answer for {asked}{instead}")
    if uncounted := summary.costs.llm_uncounted:
        were = "reply" if uncounted == 1 else "replies"
        lines.append(f"the LLM did not tell the tokens of {uncounted:,} {were}: in no count")
    if unread := summary.costs.unread:
        were = "reply" if unread == 1 else "replies"
        lines.append(f"{unread:,} {were} of language models could not be read")
    if summary.accuracy and summary.accuracy.questions < _FEW:
        few = f"{summary.accuracy.questions:,}"
        lines.append(f"so few answerable questions ({few}) that shares and intervals say little")
    if troubles.no_topic:
        asked = f"{troubles.no_topic:,} of {summary.questions:,} questions"
        lines.append(f"no entity of the graph was recognised in {asked}")
    return lines


def method_row(summary: Summary) -> tuple[str, ...]:
    """One method in a row, under the columns of `print_summary`."""
    accuracy, faith, costs = summary.accuracy, summary.faithfulness, summary.costs.per_question
    return (
        _named(summary),
        percent(accuracy.hits_at_1) if accuracy else "-",
        _mean(accuracy.hit if accuracy else None),
        _mean(accuracy.f1 if accuracy else None),
        _mean(summary.unanswerable_answered),
        _mean(faith.emitted_supported),
        _mean(faith.ill),
        f"{costs['seconds'].median:.3f}",
        f"{costs['forward_passes'].mean.mean:.1f}",
        f"{costs['llm_calls'].mean.mean:.1f}",
    )


def _named(summary: Summary) -> str:
    """The method, and its form where it is not the one that prompts an LLM."""
    return summary.method + (f" ({_LIKELIHOOD})" if _LIKELIHOOD in summary.reasoners else "")


def _mean(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{100 * estimate.mean:.1f}"


def _row(name: str, accuracy: Accuracy) -> tuple[str, ...]:
    shown = (accuracy.hits_at_1, accuracy.hit, accuracy.f1)
    return (name, str(accuracy.questions), *map(percent, shown))


def percent(estimate: Estimate) -> str:
    """An estimate in per cent, with its interval; one of equal values has none."""
    mean, low, high = (100 * v for v in (estimate.mean, estimate.low, estimate.high))
    return f"{mean:.1f}" if low == high else f"{mean:.1f} ({low:.1f}-{high:.1f})"


def duration(seconds: float) -> str:
    """A time as long as it is worth telling, such as `3 min 20 s`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows of a table as lines, in columns as wide as they need to be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _plain(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
