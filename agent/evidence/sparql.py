"""SPARQL that finds the answers again, and checks the triples, wherever the graph is held.

Made of fixed text, variables and serialised terms. Names stand in comments only, on one line and
without backslashes, because an engine expands codepoint escapes, even to a line break, before it
looks for comments (SPARQL 1.1, section 19.2).
"""

from collections.abc import Sequence

from ..kg.stores.sparql.queries import can_spell, spell
from ..kg.terms import Term, Triple, is_triple_term
from ..query.sparql_patterns import block, indented
from ..query.tree import nested, read_query
from ..records import SILENT
from .reply import (
    Origin,
    Reply,
    begun_at,
    chains,
    cropped,
    escaped,
    printable,
    step_of,
    summary,
    triples,
    understood,
)
from .routes import ANSWER, either, fixed_unnamed, in_graphs, opened, patterns_to_answers

_REACHED = "Everything that the walks of these answers reach, from the same topics."
_CONDITIONS = "Its conditions are not in this query: it may find more."
_NOT_ASKED = "What was computed of them is not asked: the query finds the answers before that."
_NO_QUERY = "No query says what the graph does not say; below are the triples that it has instead."
_NOTHING = f"SELECT {ANSWER} WHERE {{ FILTER(false) }}"


def sparql(reply: Reply, origin: Origin) -> str:
    """One query that runs as it is, `main_query`, and others in comments below it."""
    remarks = (reply["question"], *understood(reply), summary(reply))
    lines = [f"# {_remark(line)}" for line in remarks]
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
    """Remarks for the reader of the queries: what they find, and where they may differ."""
    remarks = list[str]()
    if not _executed(reply):
        remarks += [] if _is_computed_yes(reply) else [_REACHED]
        remarks += [_CONDITIONS] if _has_conditions(reply) else []
        remarks += _about_computed(reply)
    if not origin.graphs:
        remarks.append("Asked of the default graph.")
    if any(is_triple_term(triple.tail) for triple in triples(reply)):
        remarks.append("A triple is about a triple: this needs SPARQL 1.2.")
    if unnamed := fixed_unnamed(begun_at(reply), reply["answers"]):
        shown = ", ".join(map(_remark, sorted(unnamed)))
        remarks.append(f"No query can name {shown}: here it may be anything that is so connected.")
    return remarks


def main_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """The query that was executed; else ASK for a computed yes; else the query for the answers."""
    if query := _executed(reply):
        return escaped(query)
    if _is_computed_yes(reply):
        proofs = [[step_of(record).triple for record in chain] for chain in chains(reply)]
        body = either([in_graphs(opened(proof), graphs) for proof in proofs])
        return escaped("\n".join(["ASK", *block(body, "WHERE {")]))
    return answers_query(reply, graphs)


def answers_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """A query for `?answer`: everything that the walks of the answers reach."""
    body = patterns_to_answers(begun_at(reply), reply["answers"], graphs)
    if not body:
        return _NOTHING
    return escaped("\n".join([f"SELECT DISTINCT {ANSWER}", *block(body, "WHERE {")]))


def check_query(reply: Reply, graphs: Sequence[Term] = ()) -> str:
    """A query with a row for every shown triple, and in `?held` whether the graph has it.

    Blank nodes, which no query can name, are unbound in their rows. Triples that share blank nodes
    are checked together.
    """
    shown = [*triples(reply)]
    named = [triple for triple in shown if all(map(can_spell, triple))]
    pattern = in_graphs(["?head ?relation ?tail ."], graphs)
    parts = [_check(named, pattern)] if named else []
    for group in _connected([triple for triple in shown if triple not in named]):
        parts.append(_check(group, in_graphs(opened(group), graphs)))
    lines = ["SELECT ?head ?relation ?tail ?held", "WHERE {"]
    for number, part in enumerate(parts):
        lines += ["  UNION"] * bool(number) + indented(part)
    return escaped("\n".join([*lines, "}"]))


def _executed(reply: Reply) -> str:
    """The query that was executed; empty where there was none, or its outcome is withheld."""
    return "" if reply["status"] in SILENT else reply.get("sparql", "")


def _has_conditions(reply: Reply) -> bool:
    """Whether the query of the answers is more than walks from what it begins at."""
    tree = reply.get("query")
    if not tree or not reply["answers"]:
        return False
    query = read_query(tree)
    walks = ("start", "steps", "of_class", "class_id", "answer")
    return any(not node.model_fields_set <= {*walks} for node in (query, *nested(query)))


def _is_computed_yes(reply: Reply) -> bool:
    result = reply.get("result")
    is_yes = result is not None and result["kind"] == "truth" and result["value"] is True
    return is_yes and bool(reply["answers"])


def _about_computed(reply: Reply) -> list[str]:
    result = reply.get("result")
    if result is None or result["kind"] == "why":
        return []
    if _is_computed_yes(reply):
        return ["Computed: yes or no."]
    return [_NO_QUERY] if result["kind"] == "truth" else [_NOT_ASKED]


def _check(rows: Sequence[Triple], pattern: Sequence[str]) -> list[str]:
    """Rows of triples, each with whether the pattern holds for it."""
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
    """Triples with unnamed terms, in groups that share one."""
    groups: list[tuple[set[Term], list[Triple]]] = []
    for row in rows:
        unnamed, members = {term for term in row if not can_spell(term)}, [row]
        separate: list[tuple[set[Term], list[Triple]]] = []
        for terms, others in groups:
            if terms & unnamed:
                unnamed, members = unnamed | terms, others + members
            else:
                separate.append((terms, others))
        groups = [*separate, (unnamed, members)]
    return [members for _, members in groups]


def _commented(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]


def _remark(text: str) -> str:
    return cropped(printable(text), 300).replace("\\", "·")
