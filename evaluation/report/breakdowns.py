"""Accuracy by groups of questions: bars of Hits@1, and all metrics as a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.summary import Accuracy, Summary
from ..scoring.metrics import METRIC_TITLES, METRICS
from .embed import shown
from .runs import Series
from .tables import Cell, Column, Table, percent

_GROUPS = 20
"""So many groups of questions are drawn, those with most questions."""


@dataclass(frozen=True)
class Bar:
    """Hits@1 of a series over a group of questions, with its interval, in per cent."""

    series: int
    value: float
    low: float
    high: float
    description: str


@dataclass(frozen=True)
class Group:
    """Questions that have something in common, and the bar of each series over them."""

    name: str
    questions: int
    bars: Sequence[Bar]


@dataclass(frozen=True)
class Breakdown:
    """Groups of questions; `hidden` is how many of them are in the table only."""

    title: str
    groups: Sequence[Group]
    hidden: int
    table: Table


@dataclass(frozen=True)
class _Kind:
    title: str
    groups: Callable[[Summary], Mapping[str, Accuracy]]
    name: Callable[[str], str]


_KINDS = (
    _Kind("By hops", lambda s: s.by_hops, lambda n: f"{n} hop{'s' * (n != '1')}"),
    _Kind(
        "By number of right answers",
        lambda s: s.by_answers,
        lambda n: f"{n.replace('-', '–')} answer{'s' * (n != '1')}",
    ),
    _Kind("By type of question", lambda s: s.by_type, lambda n: shown(n) or "no type"),
    _Kind("By tag", lambda s: s.by_tag, shown),
)


def breakdowns(series: Sequence[Series]) -> list[Breakdown]:
    """By hops, number of answers, type and tag, where they tell questions apart."""
    made = (_breakdown(kind, series) for kind in _KINDS)
    return [breakdown for breakdown in made if breakdown]


def _breakdown(kind: _Kind, series: Sequence[Series]) -> Breakdown | None:
    groups: dict[str, list[tuple[int, Accuracy]]] = {}
    for number, one in enumerate(series):
        for key, accuracy in kind.groups(one.summary).items():
            groups.setdefault(key, []).append((number, accuracy))
    if not any(groups):
        return None
    names = [one.name for one in series]
    sizes = {key: max(a.questions for _, a in group) for key, group in groups.items()}
    drawn = set(sorted(groups, key=lambda key: -sizes[key])[:_GROUPS])
    rows = [
        (
            kind.name(key) if len(series) == 1 else f"{kind.name(key)}, {names[number]}",
            number,
            [
                Cell(f"{accuracy.questions:,}"),
                *(percent(getattr(accuracy, metric)) for metric in METRICS),
            ],
        )
        for key, group in groups.items()
        for number, accuracy in group
    ]
    bars = [
        Group(kind.name(key), sizes[key], [_bar(n, names[n], a) for n, a in group])
        for key, group in groups.items()
        if key in drawn
    ]
    columns = [Column(title) for title in ("Questions", *METRIC_TITLES.values())]
    hidden = len(groups) - len(drawn)
    return Breakdown(kind.title, bars, hidden, Table(kind.title, columns, rows))


def _bar(number: int, name: str, accuracy: Accuracy) -> Bar:
    hits, shown = accuracy.hits_at_1, percent(accuracy.hits_at_1)
    value, low, high = (round(100 * v, 2) for v in (hits.mean, hits.low, hits.high))
    share = f"Hits@1 {shown.in_a_line} of {accuracy.questions:,} questions"
    return Bar(number, value, low, high, f"{name}: {share}")
