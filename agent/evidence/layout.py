"""Where everything of a drawn walk stands: entities in columns, topics left, answers right.

Between two columns stand the relations. What leaves an entity by one relation in one direction is
one bundle; many of its ends that lead nowhere else are one group, so that a hub stays readable.
Lengths are in CSS pixels.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple
from unicodedata import east_asian_width

from ..kg.terms import Term, Triple, is_triple_term
from ..state import StepRecord
from .reply import Reply, names, step_of
from .text import cropped, printable
from .tree import Place, grow

LONGEST = 34
"""So many characters of a name are drawn."""
CELL = 27.0
"""The height of one name in a group."""

_GROUPED = 7
"""So many ends of a bundle are drawn as one group."""
_ROW, _GAP, _PILL, _PILL_GAP = 34.0, 12.0, 24.0, 8.0
_REACH = 58.0
"""The room for lines on each side of a relation."""
_LINE = 22.0
"""The room for one of several lines at one side of a shape."""
_LETTER, _PADDING, _MARK = 7.6, 26.0, 18.0


@dataclass
class Shape:
    """A rectangle with names in it; a group has several `terms`, in so many `columns`."""

    terms: tuple[Term, ...]
    width: float
    height: float
    columns: int = 1
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        """The height of its centre."""
        return self.y + self.height / 2

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.x + self.width


class End(NamedTuple):
    """The far end of a triple in a bundle, and the triple's verdict."""

    term: Term
    verdict: str


@dataclass
class Bundle:
    """Triples of one relation at one entity; `outward` where that is their head.

    Their line leaves it at the height `start`, and reaches each shape at the height in `arrivals`,
    by the number of the shape; those `behind` it from the right.
    """

    source: Term
    label: str
    outward: bool
    shape: Shape
    ends: list[End] = field(default_factory=list)
    start: float = 0.0
    arrivals: dict[int, float] = field(default_factory=dict)
    behind: frozenset[int] = frozenset()


@dataclass
class Layout:
    """All that is drawn, in its place, and the size of the whole."""

    shapes: dict[Term, Shape]
    bundles: list[Bundle]
    columns: dict[Term, int]
    names: Mapping[Term, str]
    roots: frozenset[Term]
    answers: frozenset[Term]
    width: float = 0.0
    height: float = 0.0


def shown(name: str) -> str:
    """A name as it is drawn."""
    return cropped(printable(name), LONGEST)


def lay_out(reply: Reply) -> Layout:
    """The places of everything in the chains of a reply; nothing where there are none."""
    roots = grow(reply["answers"], reply["topics"])
    columns = {root.term: 0 for root in roots}
    found: dict[Triple, tuple[Term, Term, StepRecord]] = {}
    for root in roots:
        _visit(root, (root.term,), frozenset(columns), columns, found)
    answers = frozenset(answer["term"] for answer in reply["answers"])
    called, tops = names(reply), frozenset(root.term for root in roots)
    layout = Layout({}, [], columns, called, tops, answers)
    layout.bundles = _bundles(found.values(), columns)
    _shape(layout)
    right, left = _sides(layout)
    for shape in layout.shapes.values():
        lines = max(len(right.get(id(shape), ())), len(left.get(id(shape), ())))
        shape.height = max(shape.height, lines * _LINE)
    _stand(layout)
    _attach(layout, right, left)
    return layout


def _visit(
    place: Place,
    above: tuple[Term, ...],
    roots: frozenset[Term],
    columns: dict[Term, int],
    found: dict[Triple, tuple[Term, Term, StepRecord]],
) -> None:
    """Gather triples with the ends between which they are drawn, and the columns of entities."""
    for branch in place.branches.values():
        assert branch.step is not None
        if branch.term not in above and branch.term not in roots:
            columns[branch.term] = max(columns.get(branch.term, 0), len(above))
        found.setdefault(step_of(branch.step).triple, (place.term, branch.term, branch.step))
        _visit(branch, (*above, branch.term), roots, columns, found)


def _bundles(
    found: Iterable[tuple[Term, Term, StepRecord]], columns: Mapping[Term, int]
) -> list[Bundle]:
    bundles: dict[tuple[Term, str, bool], Bundle] = {}
    for source, target, step in found:
        inverse = step["inverse"]
        if columns[source] > columns[target]:
            source, target, inverse = target, source, not inverse
        told = f" {step['tail']['label']}" if is_triple_term(step["tail"]["term"]) else ""
        label = f"{step['relation']['label']}{told}"
        key = (source, f"{step['relation']['term']}{told}", not inverse)
        if key not in bundles:
            pill = Shape((), _width(shown(label)) - 4, _PILL)
            bundles[key] = Bundle(source, label, not inverse, pill)
        bundles[key].ends.append(End(target, step["verdict"]))
    return list(bundles.values())


def _shape(layout: Layout) -> None:
    """Give every entity a shape, alone or in a group."""
    degrees = Counter(end.term for bundle in layout.bundles for end in bundle.ends)
    degrees.update(bundle.source for bundle in layout.bundles)
    for bundle, among in product(layout.bundles, (True, False)):
        leaves = [
            end.term
            for end in bundle.ends
            if degrees[end.term] == 1
            and layout.columns[end.term] > layout.columns[bundle.source]
            and (end.term in layout.answers) == among
        ]
        if len(leaves) >= _GROUPED:
            group = _group(tuple(leaves), layout.names)
            layout.shapes.update(dict.fromkeys(leaves, group))
    for term in layout.columns:
        if term not in layout.shapes:
            width = _width(shown(layout.names[term])) + _MARK
            layout.shapes[term] = Shape((term,), width, _ROW)


_Ports = dict[int, list[tuple[Bundle, bool]]]
"""The lines at one side of shapes, by their numbers: whose they are, and whether they arrive."""


def _sides(layout: Layout) -> tuple[_Ports, _Ports]:
    """The lines at the right and at the left side of every shape."""
    right: _Ports = {}
    left: _Ports = {}
    for bundle in layout.bundles:
        source = id(layout.shapes[bundle.source])
        right.setdefault(source, []).append((bundle, False))
        behind: set[int] = set()
        for term in dict.fromkeys(end.term for end in bundle.ends):
            target = id(layout.shapes[term])
            ahead = layout.columns[term] > layout.columns[bundle.source]
            if ahead and (bundle, True) not in left.setdefault(target, []):
                left[target].append((bundle, True))
            elif not ahead:
                right.setdefault(target, []).append((bundle, True))
                behind.add(target)
        bundle.behind = frozenset(behind)
    return right, left


def _attach(layout: Layout, *sides: _Ports) -> None:
    """Where lines touch shapes, in the order in which they come."""
    shapes = {id(shape): shape for shape in layout.shapes.values()}
    for number, lines in (pair for side in sides for pair in side.items()):
        shape = shapes[number]
        ordered = sorted(lines, key=lambda line: line[0].shape.y)
        for place, (bundle, arrives) in enumerate(ordered):
            height = shape.y + shape.height * (place + 0.5) / len(ordered)
            if arrives:
                bundle.arrivals[number] = height
            else:
                bundle.start = height


def _group(terms: tuple[Term, ...], called: Mapping[Term, str]) -> Shape:
    columns = min(4, -(-len(terms) // 9))
    rows = -(-len(terms) // columns)
    width = max(_width(shown(called[term])) for term in terms) + _MARK
    return Shape(terms, columns * width, rows * CELL + 12, columns)


def _stand(layout: Layout) -> None:
    """Put shapes and bundles in their places, without overlaps in a column."""
    ordered = [shape for _, shape in _distinct(layout.shapes[term] for term in layout.columns)]
    column = {id(layout.shapes[term]): number for term, number in layout.columns.items()}
    levels: list[list[Shape]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for shape in ordered:
        levels[column[id(shape)]].append(shape)
    after: dict[int, list[Shape]] = {}
    before: dict[int, list[Shape]] = {}
    for bundle in layout.bundles:
        for end in bundle.ends:
            left, right = layout.shapes[bundle.source], layout.shapes[end.term]
            if column[id(left)] < column[id(right)]:
                after.setdefault(id(left), []).append(right)
                before.setdefault(id(right), []).append(left)
    for level in levels:
        _stack(level, {}, _GAP)
    for level in reversed(levels[:-1]):
        _stack(level, after, _GAP)
    for level in levels[1:]:
        _stack(level, {k: v for k, v in before.items() if k not in after}, _GAP)
    x = 0.0
    for number, level in enumerate(levels):
        own = [b for b in layout.bundles if layout.columns[b.source] == number]
        width = max((shape.width for shape in level), default=0.0)
        for shape in level:
            shape.x = x + (width - shape.width) / 2 if number == 0 else x
        x += width
        wanted = {id(b.shape): [layout.shapes[t] for t in _middles(b)] for b in own}
        pills = sorted((b.shape for b in own), key=lambda pill: _mean(wanted[id(pill)]))
        _stack(pills, wanted, _PILL_GAP)
        room = max((pill.width for pill in pills), default=0.0)
        for pill in pills:
            pill.x = x + _REACH + (room - pill.width) / 2
        x += room + 2 * _REACH if pills else 0.0
    everything = [*ordered, *(bundle.shape for bundle in layout.bundles)]
    top = min((shape.y for shape in everything), default=0.0)
    for shape in everything:
        shape.y -= top
    layout.width = x
    layout.height = max((shape.y + shape.height for shape in everything), default=0.0)


def _middles(bundle: Bundle) -> list[Term]:
    """What a relation stands between: its entity weighs as much as all its ends."""
    ends = [end.term for end in bundle.ends]
    return [*ends, *[bundle.source] * len(ends)]


def _stack(shapes: Sequence[Shape], towards: Mapping[int, Sequence[Shape]], gap: float) -> None:
    """Put shapes under one another, as near as can be to the middle of what they go with."""
    place, drift, wishes = -1e9 if towards else 0.0, 0.0, 0
    for shape in shapes:
        others = towards.get(id(shape))
        wanted = _mean(others) if others else shape.middle
        shape.y = max(wanted - shape.height / 2, place) if towards else place
        place = shape.y + shape.height + gap
        drift += wanted - shape.middle
        wishes += 1
    for shape in shapes if towards else ():
        shape.y += drift / wishes


def _mean(shapes: Sequence[Shape]) -> float:
    return sum(shape.middle for shape in shapes) / len(shapes)


def _distinct(shapes: Iterable[Shape]) -> Iterable[tuple[int, Shape]]:
    return {id(shape): shape for shape in shapes}.items()


def _width(text: str) -> float:
    """About as wide as a text is drawn."""
    letters = sum(1.8 if east_asian_width(c) in "WF" else 1.0 for c in text)
    return letters * _LETTER + _PADDING
