"""The chains of the answers as a Mermaid flowchart, for Markdown pages that draw it."""

from ..kg.terms import is_triple_term, place_of
from .reply import Reply, chains, names, said, step_of, triples
from .text import cropped, printable
from .tree import MARKS

_LONGEST = 60
_PLAIN = frozenset(" .,?()-'")
"""Characters beside letters and digits that mean nothing to Mermaid in a quoted text."""


def mermaid(reply: Reply) -> str:
    """A flowchart with an arrow for each triple, from head to tail, as the KG holds it."""
    called = names(reply)
    lines = ["flowchart LR", f"    %% {_spelled(reply['question'], 300)}"]
    lines.append(f"    %% {_spelled(said(reply), 300)}")
    starts = {step_of(chain[0]).source for chain in chains(reply)}
    found = triples(reply)
    places = dict.fromkeys(starts)
    for triple in found:
        places.update(dict.fromkeys((triple.head, place_of(triple.tail))))
    ids = {term: f"n{number}" for number, term in enumerate(places)}
    for term, name in ids.items():
        left, right = ("([", "])") if term in starts else ("[", "]")
        lines.append(f'    {name}{left}"{_spelled(called[term], _LONGEST)}"{right}')
    for triple, step in found.items():
        told = f" {step['tail']['label']}" if is_triple_term(triple.tail) else ""
        text = _spelled(f"{step['relation']['label']}{told}", _LONGEST)
        mark = MARKS[step["verdict"]]
        arrow = "-->" if step["verdict"] == "supported" else "-.->"
        head, tail = ids[triple.head], ids[place_of(triple.tail)]
        lines.append(f'    {head} {arrow}|"{mark} {text}"| {tail}')
    ends = [ids[a["term"]] for a in reply["answers"] if a["term"] in ids]
    if ends:
        lines += ["    classDef answer stroke-width:3px", f"    class {','.join(ends)} answer"]
    return "\n".join(lines) + "\n"


def _spelled(text: str, most: int) -> str:
    """A text in which Mermaid finds no syntax: its entity codes for all but plain characters."""
    line = cropped(printable(text), most)
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in line)
