"""Wire formats: how walks and queries are spelled for a model. Frozen; weights depend on them.

reasoning path   <PATH>France -> borders -> Spain -> capital -> Madrid</PATH>     (GCR)
chain            <TRIPLE>France -> borders -> Spain</TRIPLE> one tag pair a triple  (DoG)
relation path    <PLAN>borders -> capital</PLAN>                                   (RoG, plan)

A relation walked from tail to head is spelled with a caret: `^capital`. A name is data: `escape`
takes from it whatever could open or close a tag, look like an arrow or break a line, so that
spelling is reversible and no label can end a constraint. Where a model was trained to say that the
graph holds no answer, it writes `<NONE>` in the place of the opening tag.

A query is spelled as a flat sequence of operations on a set, in the order of `agent/query/tree.py`.
An operation that comes earlier in that order than one before it begins a new node around the set.

    query     = "<QUERY>" set form "</QUERY>"
    set       = start operation*
    start     = POINTER+                                   mentions, in rising order
              | "<CLASS>" [NAME]                           all of a class; without a name, anything
              | "<HAS>" NAME                               everything that has the relation
              | "<ANY>" set ("<OR>" set)+ "<END>"
              | "<ANSWERS>" | "<TOPICS>"                   the last ones of the conversation
              | "<PART>" POINTER                           the answers to a plain question
    operation = "<STEP>" HOP
              | "<CLASS>" NAME
              | "<WHERE>" measure comparison
              | ("<AND>" | "<NOT>") set "<END>"
              | "<GROUP>" walk ("<HAVING>" aggregate ORDER POINTER)*
              | ("<MOST>" | "<LEAST>") (measure | aggregate) [("<FIRST>" | "<PLACE>") POINTER]
    measure   = "<SELF>" | walk ["<AMONG>" set "<END>"] ["<MANY>"]
    walk      = HOP ("<THEN>" HOP)*
    aggregate = AGG [walk]                                 over the members of each key of a group
    comparison = "<EXISTS>" | "<MISSING>"                  whether there is a value
              | ["<YEAR>"] ORDER (POINTER | "<VALUE>" set [AGG] "<END>")
              | ("<STARTS>" | "<ENDS>" | "<CONTAINS>") POINTER
    form      = ""                                         the members
              | AGG                                        how many; the sum, ... of the last step
              | "<YESNO>" ("<ALL>" set "<END>")*
              | "<TO>" set "<END>"                         the shortest connection
              | ("<COLUMN>" (walk | aggregate))+
    ORDER     = "<EQUAL>" | "<UNEQUAL>" | "<LESS>" | "<GREATER>" | "<ATMOST>" | "<ATLEAST>"
    AGG       = "<COUNT>" | "<SUM>" | "<AVG>" | "<MIN>" | "<MAX>"
    HOP       = ["^"] NAME                                 an escaped label; the caret is inverse
    POINTER   = "<0>" ... "<31>"                           a mention, a value, or a number as it is

After `<PART>`, `<FIRST>` and `<PLACE>` a pointer is the number itself; the last two take it from 2
on, since without them the first is meant. Aggregates need a group in the same node; only a column
may count what a walk leads to. A sum and the like as a form needs steps in it, and no group.

The rivers in Europe that are longer than the Rhine, and the country with the most rivers:

    <QUERY><CLASS>river<WHERE>length<GREATER><VALUE><0><STEP>length<END>\
<AND><1><STEP>^continent<END></QUERY>
    <QUERY><CLASS>river<GROUP>country<MOST><COUNT></QUERY>
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kg import Labels
from ..kg.terms import Path, Term

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

QUERY = Wire("<QUERY>", "</QUERY>")

MARKERS = (*(tag for wire in (PATH, TRIPLE, PLAN) for tag in (wire.open, wire.close)), NONE)
"""Every marker that a trained tokenizer holds as an additional special token."""

POINTERS = tuple(f"<{number}>" for number in range(32))
"""Numbers of mentions and values, as a query writes them."""

QUERY_MARKERS = (
    QUERY.open,
    QUERY.close,
    *("<CLASS>", "<HAS>", "<ANY>", "<OR>", "<ANSWERS>", "<TOPICS>", "<PART>"),
    *("<STEP>", "<THEN>", "<WHERE>", "<SELF>", "<AMONG>", "<MANY>", "<YEAR>"),
    *("<EQUAL>", "<UNEQUAL>", "<LESS>", "<GREATER>", "<ATMOST>", "<ATLEAST>"),
    *("<STARTS>", "<ENDS>", "<CONTAINS>", "<EXISTS>", "<MISSING>", "<VALUE>"),
    *("<AND>", "<NOT>", "<GROUP>", "<HAVING>", "<MOST>", "<LEAST>", "<FIRST>", "<PLACE>"),
    *("<COUNT>", "<SUM>", "<AVG>", "<MIN>", "<MAX>"),
    *("<YESNO>", "<ALL>", "<TO>", "<COLUMN>", "<END>"),
    *POINTERS,
)
"""Every marker of the spelling of a query. No escaped label holds an angle bracket."""


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


def spell_paths(labels: Labels, paths: Sequence[Path]) -> list[str]:
    """The text of each path; no two different paths are spelled alike."""
    entities = _names(labels, [term for path in paths for term in _entities(path)])
    relations = _names(labels, [step.triple.relation for path in paths for step in path.steps])
    return [_spell(path, entities, relations) for path in paths]


def _spell(path: Path, entities: Mapping[Term, str], relations: Mapping[Term, str]) -> str:
    parts = [entities[path.topic]]
    for step in path.steps:
        parts.append(spell_relation(relations[step.triple.relation], step.inverse))
        parts.append(entities[step.target])
    return SEPARATOR.join(parts)


def _entities(path: Path) -> list[Term]:
    return [path.topic, *(step.target for step in path.steps)]


def _names(labels: Labels, terms: Sequence[Term]) -> dict[Term, str]:
    """A safe name for each term; where escaping makes names equal, the later are numbered."""
    distinct = list(dict.fromkeys(terms))
    safe: dict[str, Term] = {}
    for term, name in zip(distinct, labels.names(distinct), strict=True):
        text, number = escape(name), 1
        while text in safe:
            number += 1
            text = f"{escape(name)} ({number})"
        safe[text] = term
    return {term: text for text, term in safe.items()}
