"""Wire formats: how walks are spelled for a model. Frozen; trained weights depend on them.

reasoning path   <PATH>France -> borders -> Spain -> capital -> Madrid</PATH>     (GCR)
chain            <TRIPLE>France -> borders -> Spain</TRIPLE> one tag pair a triple  (DoG)
relation path    <PLAN>borders -> capital</PLAN>                                   (RoG, plan)

A relation walked from tail to head is spelled with a caret: `^capital`. A name is data: `escape`
takes from it whatever could open or close a tag, look like an arrow or break a line, so that
spelling is reversible and no label can end a constraint. Where a model was trained to say that the
graph holds no answer, it writes `<NONE>` in the place of the opening tag.
"""

from dataclasses import dataclass

SEPARATOR = " -> "
ARROW = " ->"
INVERSE = "^"
NONE = "<NONE>"

_MARKS = str.maketrans({"<": "‹", ">": "›"})


@dataclass(frozen=True)
class Wire:
    """The two tags of a format; each must be one token of the model's tokenizer."""

    open: str
    close: str


PATH = Wire("<PATH>", "</PATH>")
TRIPLE = Wire("<TRIPLE>", "</TRIPLE>")
PLAN = Wire("<PLAN>", "</PLAN>")

MARKERS = (*(tag for wire in (PATH, TRIPLE, PLAN) for tag in (wire.open, wire.close)), NONE)
"""Every marker that a trained tokenizer holds as an additional special token."""


def escape(name: str) -> str:
    """Make a name safe inside a tag: one line, no angle brackets, no leading caret, not empty."""
    line = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    line = line.translate(_MARKS)
    if line.startswith(INVERSE):
        line = "ˆ" + line[1:]
    return line or "…"


def spell_relation(name: str, inverse: bool) -> str:
    """The spelling of an escaped relation name in the direction in which it is walked."""
    return INVERSE + name if inverse else name
