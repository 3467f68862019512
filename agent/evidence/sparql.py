"""SPARQL that finds the answers again, and checks the triples, wherever the graph is held.

Made of fixed text, variables and serialised terms. Names stand in comments only, on one line and
without backslashes, because an engine expands codepoint escapes, even to a line break, before it
looks for comments (SPARQL 1.1, section 19.2).
"""

from collections.abc import Iterable, Sequence

from ..kg.sparql.queries import can_spell, spell
from ..kg.terms import Term, Triple, is_triple_term
from ..state import SILENT
from . import operations
from .reply import Origin, Reply, said, triples
from .routes import ANSWER, Route, opened, routes
from .sets import indented, reached, within
from .text import cropped, escaped, printable

_REACHED = "Everything that the walks of these answers reach, from the same topics."
_NOTHING = f"SELECT {ANSWER} WHERE {{ FILTER(false) }}"


def sparql(reply: Reply, origin: Origin) -> str:
    """One query that runs as it is, `main_query`, and others in comments below it."""
    lines = [f"# {_remark(reply['question'])}", f"# {_remark(said(reply))}"]
    if not triples(reply) and not _executed(reply):
        return "\n".join([*lines, main_query(reply, origin.graphs)]) + "\n"
    lines += [f"# {line}" for line in about(reply, origin)]
    main, members = main_query(reply, origin.graphs), answers_query(reply, origin.graphs)
    lines += ["", main]
    if main != members and not _executed(reply) and reply["answers"] and members != _NOTHING:
        lines += ["", "# What it rests on, without the leading #:", *_commented(members)]
    lines += ["", "# Which of the triples that were shown are held, without the leading #:"]
    lines += _commented(check_query(reply, origin.graphs))
    return "\n".join(lines) + "\n"


def about(reply: Reply, origin: Origin) -> list[str]:
    """What the reader of the queries should know, in a few lines."""
    told = list[str]()
    if not _executed(reply):
        told += [] if operations.is_asked(reply) else [_REACHED]
        told += operations.told(reply)
    if not origin.graphs:
        told.append("Asked of the default graph.")
    if any(is_triple_term(triple.tail) for triple in triples(reply)):
        told.append("A triple is about a triple: this needs SPARQL 1.2.")
    loose = {term for one in _all_routes(reply) for term in one.loose}
    if loose:
        shown = ", ".join(_remark(term) for term in sorted(loose))
        told.append(f"No query can name {shown}: here it may be anything that is so connected.")
    return told


def main_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """The query for what was said: yes, or as `answers_query` the answers.

    What was computed is asked as far as `operations.told` says.
    """
    if query := _executed(reply):
        return escaped(query)
    if operations.is_asked(reply):
        return escaped("\n".join(operations.asked(reply, graphs)))
    return answers_query(reply, graphs)


def answers_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """A query for `?answer`: what the answers' walks reach."""
    body = reached(reply["topics"], reply["answers"], graphs)
    if not body:
        return _NOTHING
    return escaped("\n".join([f"SELECT DISTINCT {ANSWER}", "WHERE {", *indented(body), "}"]))


def check_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """A query with a row for every triple that was shown, and whether it is `?held`.

    What no query can name, a blank node, is unbound in its rows; the triples around such nodes are
    held where they are held together.
    """
    found = [*triples(reply)]
    named = [triple for triple in found if all(map(can_spell, triple))]
    pattern = within(["?head ?relation ?tail ."], graphs)
    parts = [_check(named, pattern)] if named else []
    for group in _connected([triple for triple in found if triple not in named]):
        parts.append(_check(group, within(opened(group), graphs)))
    lines = ["SELECT ?head ?relation ?tail ?held", "WHERE {"]
    for number, part in enumerate(parts):
        lines += ["  UNION"] * bool(number) + indented(part)
    return escaped("\n".join([*lines, "}"]))


def _executed(reply: Reply) -> str:
    """The query that was executed, where what it came to is not withheld; else empty."""
    return "" if reply["status"] in SILENT else reply.get("sparql", "")


def _all_routes(reply: Reply) -> Iterable[Route]:
    topics = {topic["term"] for topic in reply["topics"]}
    return (route for answer in reply["answers"] for route in routes(answer, topics))


def _check(rows: Sequence[Triple], pattern: Sequence[str]) -> list[str]:
    """The rows of triples that are held where a pattern is."""
    spelled = (" ".join(spell(t) if can_spell(t) else "UNDEF" for t in row) for row in rows)
    return [
        "{",
        "  VALUES (?head ?relation ?tail) {",
        *(f"    ({row})" for row in spelled),
        "  }",
        "  BIND(EXISTS {",
        *indented(indented(pattern)),
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


def _commented(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]


def _remark(text: str) -> str:
    return cropped(printable(text), 300).replace("\\", "·")
