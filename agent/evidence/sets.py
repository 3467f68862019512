"""What walks reach, as patterns of SPARQL that bind `?answer`."""

from collections.abc import Collection, Iterable, Sequence

from ..kg.sparql.queries import can_spell, spell
from ..kg.terms import Term
from ..state import Answer, Named
from .reply import step_of
from .routes import ANSWER, Route, routes

_INDENT = "  "


def reached(
    topics: Sequence[Named], answers: Sequence[Answer], graphs: Sequence[Term]
) -> list[str]:
    """What is at the end of the relation paths of the answers' chains; nothing without chains.

    Several routes that an answer has in common with all answers of the same routes are joined,
    others are alternatives, so that every answer is found, and an answer of two topics is only what
    both lead to. Where no walk comes back to a topic entity, none may.
    """
    terms = {topic["term"] for topic in topics}
    banned = [] if _comes_back(terms, answers) else [*map(spell, sorted(filter(can_spell, terms)))]
    return either([_block(group, banned, graphs) for group in _groups(terms, answers)])


def either(bodies: Sequence[list[str]]) -> list[str]:
    """What any of some groups of patterns finds."""
    if len(bodies) < 2:
        return [line for body in bodies for line in body]
    lines = ["{"]
    for number, body in enumerate(bodies):
        lines += ["} UNION {"] * bool(number) + indented(body)
    return [*lines, "}"]


def within(patterns: Sequence[str], graphs: Sequence[Term]) -> list[str]:
    """Patterns in one graph; of several graphs, each pattern in any of them."""
    match [spell(graph) for graph in graphs]:
        case []:
            return list(patterns)
        case [graph]:
            return [f"GRAPH {graph} {{", *indented(patterns), "}"]
        case several:
            among = " ".join(several)
            return [
                f"VALUES ?g{number} {{ {among} }} GRAPH ?g{number} {{ {pattern} }}"
                for number, pattern in enumerate(patterns, 1)
            ]


def indented(lines: Iterable[str]) -> list[str]:
    """Lines, one step further in."""
    return [f"{_INDENT}{line}" for line in lines]


def _groups(topics: Collection[Term], answers: Sequence[Answer]) -> list[list[Route]]:
    """The least sets of routes that prove an answer, each once."""
    found = [frozenset(routes(answer, topics)) for answer in answers]
    least = [own for own in dict.fromkeys(found) if own and not any(o < own for o in found if o)]
    return [sorted(group) for group in least]


def _block(group: Sequence[Route], banned: Sequence[str], graphs: Sequence[Term]) -> list[str]:
    """What all routes of a group reach, without coming to what is banned."""
    bodies: list[list[str]] = []
    for route in group:
        body = within(route.patterns, graphs)
        for variable in route.reached if banned else ():
            body.append(f"FILTER({variable} NOT IN ({', '.join(banned)}))")
        bodies.append(body)
    return bodies[0] if len(bodies) == 1 else [line for own in bodies for line in _selected(own)]


def _selected(body: Sequence[str]) -> list[str]:
    """The answers of a group of patterns, whose other variables are its own."""
    inner = [f"SELECT DISTINCT {ANSWER} WHERE {{", *indented(body), "}"]
    return ["{", *indented(inner), "}"]


def _comes_back(topics: set[Term], answers: Sequence[Answer]) -> bool:
    """Whether some walk returns to a topic entity, or one is an answer."""
    walks = (a["chains"] for a in answers if a.get("form") != "chain")
    ends = {step_of(step).target for chains in walks for chain in chains for step in chain}
    return not topics.isdisjoint(ends | {answer["term"] for answer in answers})
