"""SPARQL that finds the answers again, and checks the triples, wherever the graph is held.

Made of fixed text, variables and serialised terms. Names stand in comments only, on one line and
without backslashes, because an engine expands codepoint escapes, even to a line break, before it
looks for comments (SPARQL 1.1, section 19.2).
"""

from collections.abc import Iterable, Sequence

from ..kg.sparql.queries import can_spell, spell
from ..kg.terms import Term, Triple, is_triple_term
from .reply import Origin, Reply, said, step_of, triples
from .routes import ANSWER, Route, routes
from .text import cropped, escaped, printable

_INDENT = "  "
_NOTHING = f"SELECT {ANSWER} WHERE {{ FILTER(false) }}"


def sparql(reply: Reply, origin: Origin) -> str:
    """One query that runs as it is, `answers_query`, and in comments below it `check_query`."""
    lines = [f"# {_remark(reply['question'])}", f"# {_remark(said(reply))}"]
    if not triples(reply):
        return "\n".join([*lines, _NOTHING]) + "\n"
    lines += [f"# {line}" for line in about(reply, origin)]
    lines += ["", answers_query(reply, origin.graphs)]
    check = check_query(reply, origin.graphs)
    lines += ["", "# Which of the triples that were shown are held, without the leading #:"]
    lines += [f"# {line}".rstrip() for line in check.splitlines()]
    return "\n".join(lines) + "\n"


def about(reply: Reply, origin: Origin) -> list[str]:
    """What the reader of the queries should know, in a few lines."""
    told = ["Everything that the walks of these answers reach, from the same topics."]
    if not origin.graphs:
        told.append("Asked of the default graph.")
    if any(is_triple_term(triple.tail) for triple in triples(reply)):
        told.append("A triple is about a triple: this needs SPARQL 1.2.")
    loose = {term for one in _all_routes(reply) for term in one.loose}
    if loose:
        shown = ", ".join(_remark(term) for term in sorted(loose))
        told.append(f"No query can name {shown}: here it may be anything that is so connected.")
    return told


def answers_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """A query for `?answer`: what is at the end of the relation paths of the answers' chains.

    Several routes that an answer has in common with all answers of the same routes are joined,
    others are alternatives, so that every answer is found, and an answer of two topics is only what
    both lead to. Where no walk comes back to a topic entity, none may.
    """
    groups = _groups(reply)
    if not groups:
        return _NOTHING
    blocks = [_block(group, reply, graphs) for group in groups]
    if len(blocks) == 1:
        (body,) = blocks
    else:
        body = ["{"]
        for number, block in enumerate(blocks):
            body += ["} UNION {"] * bool(number) + _indented(block)
        body.append("}")
    return escaped("\n".join([f"SELECT DISTINCT {ANSWER}", "WHERE {", *_indented(body), "}"]))


def check_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """A query with a row for every triple that was shown, and whether it is `?held`.

    What no query can name, a blank node, is unbound in its rows; the triples around such nodes are
    held where they are held together.
    """
    found = [*triples(reply)]
    named = [triple for triple in found if all(map(can_spell, triple))]
    pattern = _within(["?head ?relation ?tail ."], graphs)
    parts = [_check(named, pattern)] if named else []
    for group in _connected([triple for triple in found if triple not in named]):
        parts.append(_check(group, _within(_opened(group), graphs)))
    lines = ["SELECT ?head ?relation ?tail ?held", "WHERE {"]
    for number, part in enumerate(parts):
        lines += ["  UNION"] * bool(number) + _indented(part)
    return escaped("\n".join([*lines, "}"]))


def _all_routes(reply: Reply) -> Iterable[Route]:
    topics = {topic["term"] for topic in reply["topics"]}
    return (route for answer in reply["answers"] for route in routes(answer, topics))


def _groups(reply: Reply) -> list[list[Route]]:
    """The least sets of routes that prove an answer, each once."""
    topics = {topic["term"] for topic in reply["topics"]}
    found = [frozenset(routes(answer, topics)) for answer in reply["answers"]]
    least = [own for own in dict.fromkeys(found) if own and not any(o < own for o in found if o)]
    return [sorted(group) for group in least]


def _block(group: Sequence[Route], reply: Reply, graphs: Sequence[Term]) -> list[str]:
    """What all routes of a group reach."""
    topics = sorted({t["term"] for t in reply["topics"] if can_spell(t["term"])})
    banned = [] if _comes_back(reply) else [spell(topic) for topic in topics]
    bodies: list[list[str]] = []
    for route in group:
        body = _within(route.patterns, graphs)
        for variable in route.reached if banned else ():
            body.append(f"FILTER({variable} NOT IN ({', '.join(banned)}))")
        bodies.append(body)
    if len(bodies) == 1:
        return bodies[0]
    joined: list[str] = []
    for body in bodies:
        joined += ["{", f"  SELECT DISTINCT {ANSWER} WHERE {{", *_indented(_indented(body))]
        joined += ["  }", "}"]
    return joined


def _comes_back(reply: Reply) -> bool:
    """Whether some walk returns to a topic entity, or one is an answer."""
    topics = {topic["term"] for topic in reply["topics"]}
    walks = (a["chains"] for a in reply["answers"] if a.get("form") != "chain")
    reached = {step_of(step).target for chains in walks for chain in chains for step in chain}
    return not topics.isdisjoint(reached | {answer["term"] for answer in reply["answers"]})


def _within(patterns: Sequence[str], graphs: Sequence[Term]) -> list[str]:
    """Patterns in one graph; of several graphs, each pattern in any of them."""
    match [spell(graph) for graph in graphs]:
        case []:
            return list(patterns)
        case [graph]:
            return [f"GRAPH {graph} {{", *_indented(patterns), "}"]
        case several:
            among = " ".join(several)
            return [
                f"VALUES ?g{number} {{ {among} }} GRAPH ?g{number} {{ {pattern} }}"
                for number, pattern in enumerate(patterns, 1)
            ]


def _check(rows: Sequence[Triple], pattern: Sequence[str]) -> list[str]:
    """The rows of triples that are held where a pattern is."""
    spelled = (" ".join(spell(t) if can_spell(t) else "UNDEF" for t in row) for row in rows)
    return [
        "{",
        "  VALUES (?head ?relation ?tail) {",
        *(f"    ({row})" for row in spelled),
        "  }",
        "  BIND(EXISTS {",
        *_indented(_indented(pattern)),
        "  } AS ?held)",
        "}",
    ]


def _connected(rows: Sequence[Triple]) -> list[list[Triple]]:
    """Triples with terms that no query can name, together where they share one."""
    groups: list[tuple[set[Term], list[Triple]]] = []
    for row in rows:
        own, members = {term for term in row if not can_spell(term)}, [row]
        apart: list[tuple[set[Term], list[Triple]]] = []
        for terms, others in groups:
            if terms & own:
                own, members = own | terms, others + members
            else:
                apart.append((terms, others))
        groups = [*apart, (own, members)]
    return [members for _, members in groups]


def _opened(rows: Sequence[Triple]) -> list[str]:
    """The patterns of triples, with a variable for each term that no query can name."""
    unnamed = dict.fromkeys(term for row in rows for term in row if not can_spell(term))
    variables = {term: f"?b{number}" for number, term in enumerate(unnamed, 1)}
    return [f"{' '.join(variables.get(t) or spell(t) for t in row)} ." for row in rows]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"{_INDENT}{line}" for line in lines]


def _remark(text: str) -> str:
    return cropped(printable(text), 300).replace("\\", "·")
