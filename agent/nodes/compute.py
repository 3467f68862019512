"""What an operation comes to: its tree, executed over the verified answers of parts and turns."""

from collections.abc import Sequence
from dataclasses import replace

from ..conversation.lookups import valued
from ..conversation.trees import counted, with_extreme
from ..kg import KnowledgeGraph
from ..query.values import value_of
from ..state import NOT_UNDERSTOOD, Operation, Part, Result, Turn
from .basis import Basis, executed
from .called import are, compared_ways, left_out
from .computed import Computed, listed, some, told
from .earlier import again, earlier_members
from .members import members_of
from .rest import rest_of
from .truth import truth

_UNREAD = f"{NOT_UNDERSTOOD} well enough to be answered"
_NONE = "None that the graph says."


def compute(
    kg: KnowledgeGraph, operation: Operation, parts: Sequence[Part], turns: Sequence[Turn]
) -> Computed | None:
    """The outcome, given the parts, as far as they are answered; None where the next is needed.

    Raises ServiceError where the store does not answer, and ShortageError.
    """
    if (read := operation.get("read")) is not None:
        return rest_of(kg, read, parts, turns)
    kind = operation["kind"]
    if kind == "unread":
        return Computed("abstained", notes=[_UNREAD])
    if kind == "why":
        return again(kg, turns)
    if kind == "truth":
        return truth(kg, operation)
    if operation["over"] == "last":
        basis = earlier_members(kg, operation, parts, turns)
    else:
        basis = members_of(operation, parts)
    return _of_basis(kg, operation, basis) if isinstance(basis, Basis) else basis


def _of_basis(kg: KnowledgeGraph, operation: Operation, basis: Basis) -> Computed:
    kind = operation["kind"]
    if basis.is_empty and kind == "count":
        return _count_of_nothing(kg, basis)
    members = executed(kg, basis, basis.query)
    if members.status != "answered":
        return members
    if not members.answers:
        return _listed(basis, members)
    if kind == "extreme":
        return _extreme(kg, operation, basis, members)
    if kind == "count" and not basis.is_number:
        return _counted(kg, operation, basis, members)
    return _listed(basis, members)


def _listed(basis: Basis, members: Computed) -> Computed:
    """The set itself; one without members is no answer, since the graph may not hold all."""
    answers = members.answers
    if basis.is_number:
        result = told("count", listed(answers), "a number that the graph holds")
        return replace(members, result=result)
    found = members if answers else replace(members, status="abstained")
    if basis.how is None:
        return replace(found, result=None)
    text = basis.text or "; ".join(answer["label"] for answer in answers) or _NONE
    return replace(found, result=told("list", text, basis.how(len(answers))))


def _count_of_nothing(kg: KnowledgeGraph, basis: Basis) -> Computed:
    members = executed(kg, basis, counted(basis.query))
    how = basis.how(0) if basis.how else ""
    result = told("count", "0 of the last result", how, value=0)
    return replace(members, status="abstained", result=result)


def _counted(kg: KnowledgeGraph, operation: Operation, basis: Basis, members: Computed) -> Computed:
    """The number of distinct members, where they are what was to be counted."""
    noun = operation["noun"]
    if noun and not are(kg, members.answers, noun):
        note = f"what was found is not said to be {noun}: {listed(members.answers)}"
        return Computed("abstained", topics=members.topics, notes=[*members.notes, note])
    number = executed(kg, basis, counted(basis.query))
    if number.result is None:
        return number
    result: Result = {
        **number.result,
        "how": "counted over verified answers; the graph may not hold all that there are",
    }
    if apart := left_out(kg, members):
        size, _, members_of_it = result["text"].partition(" ")
        result["text"] = f"{size}, not counting {some(apart)} {members_of_it}"
    return replace(number, answers=members.answers, result=result)


def _extreme(kg: KnowledgeGraph, operation: Operation, basis: Basis, members: Computed) -> Computed:
    """The members with the largest or smallest value, and the verified values of all."""
    answers, properties = members.answers, operation["properties"]
    values = valued(kg, [answer["term"] for answer in answers], properties)
    found = None
    if values is not None:
        found = executed(kg, basis, with_extreme(basis.query, values.step, most=operation["most"]))
    if found is not None and found.status != "answered":
        return found
    if values is None or found is None or found.result is None or not found.answers:
        note = f"none of {len(answers)} has a value for {properties[0]} in the graph"
        return Computed("abstained", topics=members.topics, notes=[*members.notes, note])
    name, triples = values.step.relation, found.result["triples"]
    of_dates = any(own.unit == "date" for s in triples if (own := value_of(s["tail"]["term"])))
    ends = ("earliest", "latest") if of_dates else ("smallest", "largest")
    compared = some([f"{step['head']['label']} {step['tail']['label']}" for step in triples])
    how = f"the {ends[operation['most']]} {name} of {len(values.having)}: {compared}"
    lacking = [own["label"] for own in answers if own["term"] not in values.having]
    known = f"{len(lacking)} of {len(answers)} have no {name} in the graph"
    notes = [
        f"{note} to compare: {some(lacking)}" if note == known else note for note in found.notes
    ]
    notes += compared_ways(answers)
    return replace(found, result={**found.result, "how": how}, notes=notes)
