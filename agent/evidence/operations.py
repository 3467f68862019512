"""What was computed of answers, as SPARQL, as far as SPARQL can say it."""

from collections.abc import Sequence

from ..kg.terms import Term
from .reply import Reply, step_of
from .routes import opened
from .sets import either, indented, within

_NOT_ASKED = "What was computed of them is not asked: the query finds the answers before that."
_NOT_SAID = "No query says what the graph does not say; below are the triples that it has instead."


def is_asked(reply: Reply) -> bool:
    """Whether what was computed is itself asked, and not only the answers that it rests on."""
    result = reply.get("result")
    is_true = result is not None and result["kind"] == "truth" and result["value"] is True
    return is_true and bool(reply["answers"])


def asked(reply: Reply, graphs: Sequence[Term]) -> list[str]:
    """The lines of the query for what was computed; only where it `is_asked`."""
    chains = [chain for answer in reply["answers"] for chain in answer["chains"] if chain]
    proofs = [[step_of(record).triple for record in chain] for chain in chains]
    body = either([within(opened(proof), graphs) for proof in proofs])
    return ["ASK", "WHERE {", *indented(body), "}"]


def told(reply: Reply) -> list[str]:
    """What to say of a query for something that was computed."""
    result = reply.get("result")
    if result is None or result["kind"] == "why":
        return []
    if is_asked(reply):
        return ["Computed: yes or no."]
    return [_NOT_SAID] if result["kind"] == "truth" else [_NOT_ASKED]
