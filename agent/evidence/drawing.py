"""What the page draws of a walk: rectangles, texts and lines, as numbers and plain text."""

from typing import NamedTuple

from ..kg.terms import Term, is_literal
from .layout import CELL, Bundle, End, Layout, Shape, drawn_name, lay_out
from .reply import Reply, cropped, printable
from .text import MARKS

MARGIN = 12.0
_BEND = 36.0
_LONGEST_TITLE = 500
"""Characters of a name and of a term in the title of what is pointed at."""


class Name(NamedTuple):
    """A name at a point (the middle of its line), and the title and verdict of what it names."""

    x: float
    y: float
    text: str
    title: str
    mark: str
    verdict: str


class Box(NamedTuple):
    """An entity or a group of them. `kind` is topic, answer, value or other."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    names: list[Name]


class Line(NamedTuple):
    """A line of an SVG path, with an arrowhead where the triple's tail is."""

    path: str
    at_start: bool
    at_end: bool
    verdict: str


class Mark(NamedTuple):
    """A verdict, where it is drawn on a line."""

    x: float
    y: float
    mark: str
    verdict: str


class Drawing(NamedTuple):
    """Everything of one picture, and its size."""

    width: float
    height: float
    boxes: list[Box]
    relations: list[Box]
    lines: list[Line]
    marks: list[Mark]


def draw(reply: Reply) -> Drawing | None:
    """The walks of all answers; None where there is nothing to draw."""
    layout = lay_out(reply)
    if not layout.bundles:
        return None
    verdicts = {end.term: end.verdict for bundle in layout.bundles for end in bundle.ends}
    boxes = [_box(shape, layout, verdicts) for shape in dict.fromkeys(layout.shapes.values())]
    drawing = Drawing(layout.width + 2 * MARGIN, layout.height + 2 * MARGIN, boxes, [], [], [])
    for bundle in layout.bundles:
        _draw_bundle(bundle, layout, drawing)
    return drawing


def _box(shape: Shape, layout: Layout, verdicts: dict[Term, str]) -> Box:
    term, grouped = shape.terms[0], len(shape.terms) > 1
    names: list[Name] = []
    rows = -(-len(shape.terms) // shape.columns)
    for number, member in enumerate(shape.terms):
        label = layout.names[member]
        title = cropped(printable(label), _LONGEST_TITLE)
        if member != label:
            title += f"\n{cropped(printable(member), _LONGEST_TITLE)}"
        across, down = divmod(number, rows)
        x = shape.x + across * shape.width / shape.columns + 12
        y = shape.y + 6 + (down + 0.5) * CELL if grouped else shape.middle
        verdict = verdicts[member] if grouped else ""
        names.append(Name(x, y, drawn_name(label), title, MARKS.get(verdict, ""), verdict))
    kind = "other"
    if term in layout.roots:
        kind = "topic"
    elif term in layout.answers:
        kind = "answer"
    elif is_literal(term):
        kind = "value"
    return Box(shape.x, shape.y, shape.width, shape.height, kind, names)


def _draw_bundle(bundle: Bundle, layout: Layout, drawing: Drawing) -> None:
    """The line to a relation, its name, and the lines from it to its ends."""
    source, pill = layout.shapes[bundle.source], bundle.shape
    verdicts = {end.verdict for end in bundle.ends}
    (verdict,) = verdicts if len(verdicts) == 1 else ("unknown",)
    title = cropped(printable(bundle.label), _LONGEST_TITLE)
    name = Name(pill.x + pill.width / 2, pill.middle, drawn_name(bundle.label), title, "", "")
    drawing.relations.append(Box(pill.x, pill.y, pill.width, pill.height, "relation", [name]))
    trunk = _curve(source.right, bundle.start, pill.x, pill.middle)
    drawing.lines.append(Line(trunk, not bundle.outward, False, verdict))
    drawn: dict[Shape, End] = {layout.shapes[end.term]: end for end in bundle.ends}
    for target, end in drawn.items():
        y = bundle.arrivals[target]
        if target in bundle.behind:
            x, way = target.right, -1
            path = _hook(pill.x + pill.width / 2, pill.y + pill.height, x, y)
        else:
            x, way = target.x, 1
            path = _curve(pill.right, pill.middle, x, y)
        drawing.lines.append(Line(path, False, bundle.outward, end.verdict))
        if len(target.terms) == 1:
            drawing.marks.append(Mark(x - 22 * way, y, MARKS[end.verdict], end.verdict))


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    """From a right side to a left one."""
    return _path(x, y, x + _BEND, y, to_x - _BEND, to_y, to_x, to_y)


def _hook(x: float, y: float, to_x: float, to_y: float) -> str:
    """From below to a right side."""
    return _path(x, y, x, y + _BEND / 2, to_x + _BEND * 2, to_y, to_x, to_y)


def _path(x: float, y: float, *curve: float) -> str:
    return f"M{x:.1f} {y:.1f}C{' '.join(f'{number:.1f}' for number in curve)}"
