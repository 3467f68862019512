"""The chains of the answers as text: trees for reading, and a Mermaid flowchart for documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..kg.terms import Step, Term, is_triple_term, node_of
from ..records import Answer, Named, StepRecord
from .reply import (
    Reply,
    chains,
    cropped,
    names,
    notes,
    printable,
    step_of,
    summary,
    triples,
    understood,
)

MARKS: Mapping[str, str] = {"supported": "✓", "unsupported": "✗", "unknown": "?"}
_LONGEST = 60
"""Characters of a name in a flowchart."""
_PLAIN = frozenset(" .,?()-'")
"""Characters beside letters and digits that mean nothing to Mermaid in a quoted text."""


@dataclass
class TreeNode:
    """An entity in a tree, the step that leads to it (none at the root), and its branches.

    `hidden` counts the branches that are left out.
    """

    term: Term
    label: str
    step: StepRecord | None = None
    branches: "dict[tuple[str, ...], TreeNode]" = field(default_factory=dict)
    hidden: int = 0


def chain_trees(
    answers: Sequence[Answer], topics: Sequence[Named], most: int | None = None
) -> list[TreeNode]:
    """The trees of all chains, one a topic entity; shared steps are one branch.

    A node has at most `most` branches. A triple of a chain that is no walk (DoG section 2.2) grows
    where the chain has met one of its ends, in the direction away from there. Where a walk turns
    back along a triple and goes on, it goes on from where it was, and the triple stands beside.
    """
    labels = {topic["term"]: topic["label"] for topic in topics}
    roots: dict[Term, TreeNode] = {}
    for answer in answers:
        for chain in answer["chains"]:
            _grow(roots, chain, labels, most)
    return list(roots.values())


def _grow(
    roots: dict[Term, TreeNode],
    chain: Sequence[StepRecord],
    labels: Mapping[Term, str],
    most: int | None,
) -> None:
    """Add a chain to the trees, up to the first branch that is left out."""
    nodes: dict[Term, TreeNode] = {}
    steps = [step_of(record) for record in chain]
    for index, (record, step) in enumerate(zip(chain, steps, strict=True)):
        turned = Step(step.triple, not step.inverse)
        if 0 < index < len(steps) - 1 and steps[index - 1] == turned and step.target in nodes:
            continue
        back = step.source not in nodes and step.target in nodes
        start, end = (step.target, step.source) if back else (step.source, step.target)
        inverse = record["inverse"] != back
        first, last = (record["head"], record["tail"])[:: -1 if inverse else 1]
        if start not in nodes:
            root = TreeNode(start, labels.get(start, first["label"]))
            nodes[start] = roots.setdefault(start, root)
        node = nodes[start]
        key = (*step.triple, str(inverse))
        if key not in node.branches:
            if most is not None and len(node.branches) >= most:
                node.hidden += 1
                break
            node.branches[key] = TreeNode(end, last["label"], {**record, "inverse": inverse})
        nodes[end] = node.branches[key]


def step_parts(step: StepRecord) -> tuple[str, str, str]:
    """A step as it is read: the beginning of its arrow, the relation, the arrow's end and target.

    A step from a triple term, which stands for its subject, begins with the triple.
    """
    is_quoted = step["inverse"] and is_triple_term(step["tail"]["term"])
    start = f"{printable(step['tail']['label'])} " if is_quoted else ""
    left, right = ("←", "─") if step["inverse"] else ("─", "→")
    target = (step["head"] if step["inverse"] else step["tail"])["label"]
    return f"{start}{left} ", printable(step["relation"]["label"]), f" {right} {printable(target)}"


def tree(reply: Reply) -> str:
    """The question, how it was read, its answers with the trees that prove them, and the notes."""
    lines = list(map(printable, (reply["question"], *understood(reply), summary(reply))))
    for root in chain_trees(reply["answers"], reply["topics"]):
        lines += ["", printable(root.label), *_branch_lines(root, "")]
    if computed := reply.get("result"):
        for step in computed["triples"]:
            line = f"{step['head']['label']} {''.join(step_parts({**step, 'inverse': False}))}"
            lines += ["", f"{MARKS[step['verdict']]} {printable(line)}"]
    if notes(reply):
        lines += ["", *map(printable, notes(reply))]
    return "\n".join(lines) + "\n"


def _branch_lines(node: TreeNode, margin: str) -> Iterator[str]:
    last = len(node.branches) - 1
    for number, branch in enumerate(node.branches.values()):
        assert branch.step is not None
        corner, below = ("└── ", "    ") if number == last else ("├── ", "│   ")
        yield f"{margin}{corner}{MARKS[branch.step['verdict']]} {''.join(step_parts(branch.step))}"
        yield from _branch_lines(branch, margin + below)


def mermaid(reply: Reply) -> str:
    """A flowchart with an arrow for each triple, from head to tail, as the KG holds it.

    How the question was read stands in nodes of its own, since comments are not drawn.
    """
    labels = names(reply)
    lines = ["flowchart LR", f"    %% {_quoted(reply['question'], 300)}"]
    lines.append(f"    %% {_quoted(summary(reply), 300)}")
    lines += _question_nodes(reply)
    starts = dict.fromkeys(step_of(chain[0]).source for chain in chains(reply))
    drawn_triples = triples(reply)
    nodes = dict(starts)
    for triple in drawn_triples:
        nodes |= dict.fromkeys((triple.head, node_of(triple.tail)))
    ids = {term: f"n{number}" for number, term in enumerate(nodes)}
    for term, name in ids.items():
        left, right = ("([", "])") if term in starts else ("[", "]")
        lines.append(f'    {name}{left}"{_quoted(labels[term], _LONGEST)}"{right}')
    for triple, step in drawn_triples.items():
        quoted = f" {step['tail']['label']}" if is_triple_term(triple.tail) else ""
        text = _quoted(f"{step['relation']['label']}{quoted}", _LONGEST)
        mark = MARKS[step["verdict"]]
        arrow = "-->" if step["verdict"] == "supported" else "-.->"
        head, tail = ids[triple.head], ids[node_of(triple.tail)]
        lines.append(f'    {head} {arrow}|"{mark} {text}"| {tail}')
    ends = [ids[a["term"]] for a in reply["answers"] if a["term"] in ids]
    if ends:
        lines += ["    classDef answer stroke-width:3px", f"    class {','.join(ends)} answer"]
    return "\n".join(lines) + "\n"


def _question_nodes(reply: Reply) -> list[str]:
    """The nodes of how the question was read, and the invisible link between them."""
    read = understood(reply)
    if not read:
        return []
    texts = [_quoted(line, 300) for line in (reply["question"], *read)]
    ids = [f"q{number}" for number in range(len(texts))]
    nodes = [f'    {name}["{text}"]' for name, text in zip(ids, texts, strict=True)]
    return [*nodes, f"    {' ~~~ '.join(ids)}"]


def _quoted(text: str, most: int) -> str:
    """A text in which Mermaid finds no syntax: its entity codes for all but plain characters."""
    line = cropped(printable(text), most)
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in line)
