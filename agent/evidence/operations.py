"""What was computed of answers, as SPARQL, as far as SPARQL can say it."""

from collections.abc import Sequence

from ..kg.nodes import literal_tag
from ..kg.sparql.queries import can_spell, spell
from ..kg.terms import Term, is_literal
from ..state import Result, Source
from .reply import Reply, step_of
from .routes import ANSWER, opened
from .sets import either, indented, members, reached, unnamed, within

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBERS = frozenset(
    f"{_XSD}{name}"
    for name in (
        *("integer", "decimal", "double", "float", "int", "long", "short", "byte"),
        *("nonNegativeInteger", "positiveInteger", "unsignedInt", "unsignedLong"),
    )
)
_DATES = frozenset(f"{_XSD}{name}" for name in ("date", "dateTime"))
_NO_SOURCE = "What was computed of them is not asked: the query finds the answers before that."
_NO_VALUES = (
    "The comparison is not asked: its values are not all numbers, or all dates, of one relation. "
    "The query finds the answers before it."
)
_NOT_SAID = "No query says what the graph does not say; below are the triples that it has instead."


def body(reply: Reply, graphs: Sequence[Term]) -> list[str]:
    """The patterns that find the answers, or the set that was counted or compared."""
    source = _source(reply)
    if source is not None:
        return members(source, graphs)
    return reached(reply["topics"], reply["answers"], graphs)


def is_asked(reply: Reply) -> bool:
    """Whether what was computed is itself asked, and not only the answers that it rests on."""
    result = reply.get("result")
    if result is None or not reply["answers"]:
        return False
    if result["kind"] == "truth":
        return result["value"] is True
    if _source(reply) is None:
        return False
    if result["kind"] == "count":
        return result["value"] is not None
    return result["kind"] == "extreme" and _compared(reply, result) is not None


def asked(reply: Reply, graphs: Sequence[Term]) -> list[str]:
    """The lines of the query for what was computed; only where it `is_asked`."""
    result, source = reply.get("result"), _source(reply)
    assert result is not None
    if result["kind"] == "truth":
        chains = [chain for answer in reply["answers"] for chain in answer["chains"] if chain]
        proofs = [[step_of(record).triple for record in chain] for chain in chains]
        body = either([within(opened(proof), graphs) for proof in proofs])
        return ["ASK", "WHERE {", *indented(body), "}"]
    assert source is not None
    found = members(source, graphs)
    if result["kind"] == "count":
        return [f"SELECT (COUNT(DISTINCT {ANSWER}) AS ?count)", "WHERE {", *indented(found), "}"]
    compared = _compared(reply, result)
    assert compared is not None
    relation, condition = compared
    selected = ["{", f"  SELECT DISTINCT {ANSWER} WHERE {{", *indented(indented(found)), "  }", "}"]
    value = within([f"{ANSWER} {spell(relation)} ?own ."], graphs)
    operation = reply.get("operation")
    best, order = ("MAX", "DESC") if operation and operation["most"] else ("MIN", "ASC")
    return [
        f"SELECT {ANSWER} ({best}(?own) AS ?value)",
        "WHERE {",
        *indented([*selected, *value, f"FILTER({condition})"]),
        "}",
        f"GROUP BY {ANSWER}",
        f"ORDER BY {order}(?value) {ANSWER}",
        f"LIMIT {len(reply['answers'])}",
    ]


def told(reply: Reply) -> list[str]:
    """What to say of a query for something that was computed."""
    result = reply.get("result")
    if result is None:
        return []
    if is_asked(reply):
        return [f"Computed: {'yes or no' if result['kind'] == 'truth' else result['kind']}."]
    if result["kind"] == "truth":
        return [_NOT_SAID]
    if _source(reply) is None:
        return [_NO_SOURCE]
    return [_NO_VALUES] if result["kind"] == "extreme" else []


def _source(reply: Reply) -> Source | None:
    """How the set came about that something was computed of; None where no query can say it."""
    result = reply.get("result")
    source = result.get("source") if result else None
    return None if source is None or any(True for _ in unnamed(source)) else source


def _compared(reply: Reply, result: Result) -> tuple[Term, str] | None:
    """The relation to the values that were compared, and what they are; None for what is mixed."""
    steps = [step_of(record) for record in result["triples"]]
    relations = {step.triple.relation for step in steps}
    tails = [step.triple.tail for step in steps]
    tags = {literal_tag(tail) if is_literal(tail) else "" for tail in tails}
    heads = {step.triple.head for step in steps}
    if len(relations) != 1 or not heads.issuperset(own["term"] for own in reply["answers"]):
        return None
    (relation,) = relations
    if reply.get("operation") is None or not can_spell(relation):
        return None
    if tags <= _NUMBERS:
        return relation, "isNumeric(?own)"
    (tag, *others) = tags
    return None if others or tag not in _DATES else (relation, f"DATATYPE(?own) = <{tag}>")
