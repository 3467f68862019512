"""The chains of the answers as trees of text: one a topic entity, shared steps one branch."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..kg.terms import Term, is_triple_term
from ..state import Answer, Named, StepRecord
from .reply import Reply, notes, said, step_of
from .text import printable

MARKS: Mapping[str, str] = {"supported": "✓", "unsupported": "✗", "unknown": "?"}


@dataclass
class Place:
    """An entity in a tree, the step that leads there (none at the root), and what it leads to.

    `hidden` branches are left out.
    """

    term: Term
    label: str
    step: StepRecord | None = None
    branches: "dict[tuple[str, ...], Place]" = field(default_factory=dict)
    hidden: int = 0


def grow(
    answers: Sequence[Answer], topics: Sequence[Named], most: int | None = None
) -> list[Place]:
    """The trees of all chains, with at most `most` branches at a place.

    A triple of a chain that is no walk (DoG section 2.2) grows where the chain has met one of its
    ends, in the direction away from there.
    """
    labels = {topic["term"]: topic["label"] for topic in topics}
    roots: dict[Term, Place] = {}
    for chain in (chain for answer in answers for chain in answer["chains"]):
        met: dict[Term, Place] = {}
        for record in chain:
            step = step_of(record)
            back = step.source not in met and step.target in met
            start, end = (step.target, step.source) if back else (step.source, step.target)
            inverse = record["inverse"] != back
            first, last = (record["head"], record["tail"])[:: -1 if inverse else 1]
            if start not in met:
                root = Place(start, labels.get(start, first["label"]))
                met[start] = roots.setdefault(start, root)
            place = met[start]
            key = (*step.triple, str(inverse))
            if key not in place.branches:
                if most is not None and len(place.branches) >= most:
                    place.hidden += 1
                    break
                place.branches[key] = Place(end, last["label"], {**record, "inverse": inverse})
            met[end] = place.branches[key]
    return list(roots.values())


def spoken(step: StepRecord) -> tuple[str, str, str]:
    """A step as read from where it starts: an arrow's beginning, the relation, its end and target.

    A step from a triple term, which stands for its subject, begins with the triple.
    """
    told = step["inverse"] and is_triple_term(step["tail"]["term"])
    start = f"{printable(step['tail']['label'])} " if told else ""
    left, right = ("←", "─") if step["inverse"] else ("─", "→")
    target = (step["head"] if step["inverse"] else step["tail"])["label"]
    return f"{start}{left} ", printable(step["relation"]["label"]), f" {right} {printable(target)}"


def tree(reply: Reply) -> str:
    """The question, its answers, the trees that prove them, and the notes, as plain text."""
    lines = [printable(reply["question"]), printable(said(reply))]
    for root in grow(reply["answers"], reply["topics"]):
        lines += ["", printable(root.label), *_below(root, "")]
    if computed := reply.get("result"):
        for step in computed["triples"]:
            line = f"{step['head']['label']} {''.join(spoken({**step, 'inverse': False}))}"
            lines += ["", f"{MARKS[step['verdict']]} {printable(line)}"]
    if notes(reply):
        lines += ["", *map(printable, notes(reply))]
    return "\n".join(lines) + "\n"


def _below(place: Place, margin: str) -> Iterator[str]:
    last = len(place.branches) - 1
    for number, branch in enumerate(place.branches.values()):
        assert branch.step is not None
        corner, below = ("└── ", "    ") if number == last else ("├── ", "│   ")
        yield f"{margin}{corner}{MARKS[branch.step['verdict']]} {''.join(spoken(branch.step))}"
        yield from _below(branch, margin + below)
