"""Accuracy by groups of questions: bars of Hits@1, and all metrics as a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..metrics import METRICS
from ..summary import Accuracy, Summary
from .cells import Cell, Column, Table, percent
from .embed import shown
from .series import Series

_GROUPS = 20
"""So many groups of questions are drawn, those with most questions."""
_TITLES = {"hits_at_1": "Hits@1", "hit": "Hit", "f1": "F1"}


@dataclass(frozen=True)
class Bar:
    """Hits@1 of a series over a group of questions, with its interval, in per cent."""

    series: int
    value: float
    low: float
    high: float
    told: str


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
    sizes = {key: max(a.questions for _, a in found) for key, found in groups.items()}
    drawn = set(sorted(groups, key=lambda key: -sizes[key])[:_GROUPS])
    rows = [
        (
            kind.name(key) if len(series) == 1 else f"{kind.name(key)}, {series[number].name}",
            number,
            [
                Cell(f"{accuracy.questions:,}"),
                *(percent(getattr(accuracy, metric)) for metric in METRICS),
            ],
        )
        for key, found in groups.items()
        for number, accuracy in found
    ]
    titles = ["Questions", *(_TITLES.get(m, m.capitalize()) for m in METRICS)]
    return Breakdown(
        title=kind.title,
        groups=[
            Group(
                kind.name(key),
                sizes[key],
                [_bar(number, series[number].name, accuracy) for number, accuracy in found],
            )
            for key, found in groups.items()
            if key in drawn
        ],
        hidden=len(groups) - len(drawn),
        table=Table(kind.title, [Column(title) for title in titles], rows),
    )


def _bar(number: int, name: str, accuracy: Accuracy) -> Bar:
    found, written = accuracy.hits_at_1, percent(accuracy.hits_at_1)
    value, low, high = (round(100 * v, 2) for v in (found.mean, found.low, found.high))
    told = f"{name}: Hits@1 {written.text} ({written.note}) of {accuracy.questions:,} questions"
    return Bar(number, value, low, high, told)
