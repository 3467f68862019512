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
from ..records import StepRecord
from .reply import Reply, cropped, names, printable, step_of
from .text import TreeNode, chain_trees

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


@dataclass(eq=False)
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
        """The x of its right side."""
        return self.x + self.width


class End(NamedTuple):
    """The far end of a triple in a bundle, and the triple's verdict."""

    term: Term
    verdict: str


@dataclass
class Bundle:
    """Triples of one relation at one entity; `outward` where that is their head.

    Their line leaves the entity at the height `start`, and reaches each shape at the height in
    `arrivals`. Shapes `behind` the entity are reached from the right.
    """

    source: Term
    label: str
    outward: bool
    shape: Shape
    ends: list[End] = field(default_factory=list)
    start: float = 0.0
    arrivals: dict[Shape, float] = field(default_factory=dict)
    behind: frozenset[Shape] = frozenset()


@dataclass
class Layout:
    """All shapes and lines with their coordinates, and the size of the whole."""

    shapes: dict[Term, Shape]
    bundles: list[Bundle]
    columns: dict[Term, int]
    names: Mapping[Term, str]
    roots: frozenset[Term]
    answers: frozenset[Term]
    width: float = 0.0
    height: float = 0.0


class _Edge(NamedTuple):
    """A triple, and the entities between which it is drawn."""

    source: Term
    target: Term
    step: StepRecord


def drawn_name(name: str) -> str:
    """A name as it is drawn."""
    return cropped(printable(name), LONGEST)


def lay_out(reply: Reply) -> Layout:
    """The coordinates of everything in the chains of a reply; empty where there are none."""
    roots = chain_trees(reply["answers"], reply["topics"])
    columns = {root.term: 0 for root in roots}
    edges: dict[Triple, _Edge] = {}
    for root in roots:
        _gather(root, (root.term,), frozenset(columns), columns, edges)
    answers = frozenset(answer["term"] for answer in reply["answers"])
    bundles, tops = _bundles(edges.values(), columns), frozenset(root.term for root in roots)
    layout = Layout({}, bundles, columns, names(reply), tops, answers)
    _make_shapes(layout)
    right, left = _lines_by_side(layout)
    for shape in layout.shapes.values():
        lines = max(len(right.get(shape, ())), len(left.get(shape, ())))
        shape.height = max(shape.height, lines * _LINE)
    _arrange(layout)
    _attach(right, left)
    return layout


def _gather(
    node: TreeNode,
    above: tuple[Term, ...],
    roots: frozenset[Term],
    columns: dict[Term, int],
    edges: dict[Triple, _Edge],
) -> None:
    """Gather the triples below a node, and the columns of their entities."""
    for branch in node.branches.values():
        assert branch.step is not None
        if branch.term not in above and branch.term not in roots:
            columns[branch.term] = max(columns.get(branch.term, 0), len(above))
        edges.setdefault(step_of(branch.step).triple, _Edge(node.term, branch.term, branch.step))
        _gather(branch, (*above, branch.term), roots, columns, edges)


def _bundles(edges: Iterable[_Edge], columns: Mapping[Term, int]) -> list[Bundle]:
    bundles: dict[tuple[Term, str, bool], Bundle] = {}
    for source, target, step in edges:
        inverse = step["inverse"]
        if columns[source] > columns[target]:
            source, target, inverse = target, source, not inverse
        quoted = f" {step['tail']['label']}" if is_triple_term(step["tail"]["term"]) else ""
        label = f"{step['relation']['label']}{quoted}"
        key = (source, f"{step['relation']['term']}{quoted}", not inverse)
        if key not in bundles:
            pill = Shape((), _width(drawn_name(label)) - 4, _PILL)
            bundles[key] = Bundle(source, label, not inverse, pill)
        bundles[key].ends.append(End(target, step["verdict"]))
    return list(bundles.values())


def _make_shapes(layout: Layout) -> None:
    """Give every entity a shape, alone or in a group."""
    degrees = Counter(end.term for bundle in layout.bundles for end in bundle.ends)
    degrees.update(bundle.source for bundle in layout.bundles)
    for bundle, with_answers in product(layout.bundles, (True, False)):
        leaves = [
            end.term
            for end in bundle.ends
            if degrees[end.term] == 1
            and layout.columns[end.term] > layout.columns[bundle.source]
            and (end.term in layout.answers) == with_answers
        ]
        if len(leaves) >= _GROUPED:
            group = _group(tuple(leaves), layout.names)
            layout.shapes.update(dict.fromkeys(leaves, group))
    for term in layout.columns:
        if term not in layout.shapes:
            width = _width(drawn_name(layout.names[term])) + _MARK
            layout.shapes[term] = Shape((term,), width, _ROW)


_Ports = dict[Shape, list[tuple[Bundle, bool]]]
"""The lines at one side of each shape: of which bundle, and whether they arrive."""


def _lines_by_side(layout: Layout) -> tuple[_Ports, _Ports]:
    """The lines at the right and at the left side of every shape."""
    right: _Ports = {}
    left: _Ports = {}
    for bundle in layout.bundles:
        right.setdefault(layout.shapes[bundle.source], []).append((bundle, False))
        behind: set[Shape] = set()
        for term in dict.fromkeys(end.term for end in bundle.ends):
            target = layout.shapes[term]
            ahead = layout.columns[term] > layout.columns[bundle.source]
            if ahead and (bundle, True) not in left.setdefault(target, []):
                left[target].append((bundle, True))
            elif not ahead:
                right.setdefault(target, []).append((bundle, True))
                behind.add(target)
        bundle.behind = frozenset(behind)
    return right, left


def _attach(*sides: _Ports) -> None:
    """Spread the lines along the sides of shapes, in the order of their bundles' heights."""
    for shape, lines in (pair for side in sides for pair in side.items()):
        ordered = sorted(lines, key=lambda line: line[0].shape.y)
        for number, (bundle, arrives) in enumerate(ordered):
            height = shape.y + shape.height * (number + 0.5) / len(ordered)
            if arrives:
                bundle.arrivals[shape] = height
            else:
                bundle.start = height


def _group(terms: tuple[Term, ...], labels: Mapping[Term, str]) -> Shape:
    columns = min(4, -(-len(terms) // 9))
    rows = -(-len(terms) // columns)
    width = max(_width(drawn_name(labels[term])) for term in terms) + _MARK
    return Shape(terms, columns * width, rows * CELL + 12, columns)


def _arrange(layout: Layout) -> None:
    """Put shapes and bundles in their columns, without overlaps in one."""
    shapes = list(dict.fromkeys(layout.shapes[term] for term in layout.columns))
    column = {layout.shapes[term]: number for term, number in layout.columns.items()}
    columns: list[list[Shape]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for shape in shapes:
        columns[column[shape]].append(shape)
    _stack_columns(columns, layout, column)
    x = 0.0
    for number, level in enumerate(columns):
        width = max((shape.width for shape in level), default=0.0)
        for shape in level:
            shape.x = x + (width - shape.width) / 2 if number == 0 else x
        bundles = [bundle for bundle in layout.bundles if layout.columns[bundle.source] == number]
        x = _position_relations(bundles, layout, x + width)
    everything = [*shapes, *(bundle.shape for bundle in layout.bundles)]
    top = min((shape.y for shape in everything), default=0.0)
    for shape in everything:
        shape.y -= top
    layout.width = x
    layout.height = max((shape.y + shape.height for shape in everything), default=0.0)


def _stack_columns(
    columns: Sequence[Sequence[Shape]], layout: Layout, column: Mapping[Shape, int]
) -> None:
    """Give entities their heights: near to what they lead to, the others to what leads to them."""
    after: dict[Shape, list[Shape]] = {}
    before: dict[Shape, list[Shape]] = {}
    for bundle in layout.bundles:
        for end in bundle.ends:
            left, right = layout.shapes[bundle.source], layout.shapes[end.term]
            if column[left] < column[right]:
                after.setdefault(left, []).append(right)
                before.setdefault(right, []).append(left)
    for level in columns:
        _stack(level, {}, _GAP)
    for level in reversed(columns[:-1]):
        _stack(level, after, _GAP)
    for level in columns[1:]:
        _stack(level, {k: v for k, v in before.items() if k not in after}, _GAP)


def _position_relations(bundles: Sequence[Bundle], layout: Layout, x: float) -> float:
    """Put relations between two columns, from x on; returns where the next column begins.

    The entity of a relation weighs as much as all its ends.
    """
    if not bundles:
        return x
    ends_by_pill: dict[Shape, list[Shape]] = {}
    for bundle in bundles:
        ends = [end.term for end in bundle.ends]
        terms = [*ends, *[bundle.source] * len(ends)]
        ends_by_pill[bundle.shape] = [layout.shapes[term] for term in terms]
    pills = sorted(ends_by_pill, key=lambda pill: _mean_middle(ends_by_pill[pill]))
    _stack(pills, ends_by_pill, _PILL_GAP)
    room = max(pill.width for pill in pills)
    for pill in pills:
        pill.x = x + _REACH + (room - pill.width) / 2
    return x + room + 2 * _REACH


def _stack(shapes: Sequence[Shape], towards: Mapping[Shape, Sequence[Shape]], gap: float) -> None:
    """Put shapes under one another, as near as can be to the middle of what they go with."""
    top, drift = -1e9 if towards else 0.0, 0.0
    for shape in shapes:
        others = towards.get(shape)
        wanted = _mean_middle(others) if others else shape.middle
        shape.y = max(wanted - shape.height / 2, top) if towards else top
        top = shape.y + shape.height + gap
        drift += wanted - shape.middle
    for shape in shapes if towards else ():
        shape.y += drift / len(shapes)


def _mean_middle(shapes: Sequence[Shape]) -> float:
    return sum(shape.middle for shape in shapes) / len(shapes)


def _width(text: str) -> float:
    """About as wide as a text is drawn."""
    letters = sum(1.8 if east_asian_width(c) in "WF" else 1.0 for c in text)
    return letters * _LETTER + _PADDING
