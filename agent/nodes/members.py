"""The set of answers that an operation is about, where parts of the question make it."""

from collections.abc import Sequence
from dataclasses import replace

from ..conversation.computing import difference, intersection, union
from ..conversation.sources import joined, less, walks
from ..query.values import value_of
from ..state import Answer, Entity, Operation, Part, Source, is_understood
from .computed import Computed, listed, some, told
from .judged import SURE


def members_of(operation: Operation, parts: Sequence[Part]) -> Computed | None:
    """The set that the parts make; None where the next one is needed for it."""
    answered = [part for part in parts if "status" in part]
    if not answered:
        return None
    if operation["over"] == "first":
        return _first(answered)
    if operation["over"] == "one" and operation["kind"] == "count":
        return _number_or_set(answered)
    if operation["over"] == "each":
        return _each(answered) if len(answered) == len(parts) else None
    if (failed := answered[-1]).get("status") != "answered":
        said = is_understood(failed.get("notes", []))
        notes = [f"the graph does not say: {failed['question']}"] if said else []
        return Computed(failed.get("status", "abstained"), topics=_topics(answered), notes=notes)
    if len(answered) < len(parts):
        return None
    if len(parts) > 1 and (unsure := [part for part in parts if is_unsure(part)]):
        notes = [unsure_of(part) for part in unsure]
        return Computed("abstained", topics=_topics(answered), notes=notes)
    sets = [part.get("answers", []) for part in parts]
    if operation["over"] == "one":
        return _as_answered(parts[0])
    sources = [_walked(part) for part in parts]
    if operation["over"] == "both":
        answers, source = intersection(sets), joined("both", sources)
        how = f"what {' and '.join(str(len(own)) for own in sets)} answers have in common"
    elif operation["over"] == "either":
        answers, source = union(sets), joined("either", sources)
        how = f"{' and '.join(str(len(own)) for own in sets)} answers together, each once"
        if operation["kind"] == "count" and any(value_of(own["term"]) for own in answers):
            notes = [f"these are no things to count: {listed(answers)}"]
            return Computed("abstained", topics=_topics(parts), notes=notes)
    else:
        out = {mention["candidates"][0]["term"] for mention in operation["named"]}
        answers, source = difference(sets[0], sets[1:], out), less(sources[0], sources[1:], [*out])
        how = f"{len(sets[0])} answers without {len(sets[0]) - len(answers)} of them"
    return listing(answers, _topics(parts), how, _least(parts), source)


def is_unsure(part: Part) -> bool:
    """Whether what a part came to is too doubtful to compute with."""
    return part.get("confidence", 0.0) < SURE


def unsure_of(part: Part) -> str:
    """Why nothing is computed of an unsure part."""
    confidence = part.get("confidence", 0.0)
    return f"not sure enough to compute with ({confidence:.2f}): {part['question']}"


def listing(
    answers: list[Answer],
    topics: list[Entity],
    how: str,
    confidence: float,
    source: Source | None,
    notes: Sequence[str] = (),
) -> Computed:
    """A computed set; one that has no members is no answer, since the graph may not hold all."""
    text = "; ".join(answer["label"] for answer in answers) or "None that the graph says."
    result = told("list", text, how)
    status = "answered" if answers else "abstained"
    return Computed(status, answers, topics, result, list(notes), confidence, source=source)


def _walked(part: Part) -> Source:
    return walks(part.get("topics", []), part.get("answers", []))


def _as_answered(part: Part) -> Computed:
    status, answers = part.get("status", "abstained"), part.get("answers", [])
    topics, confidence = part.get("topics", []), part.get("confidence", 0.0)
    return Computed(status, answers, topics, None, [], confidence, source=_walked(part))


def _first(answered: Sequence[Part]) -> Computed | None:
    """The first part with an answer, as if it had been asked alone."""
    part = answered[-1]
    found = _as_answered(part)
    if found.status == "abstained":
        return None
    return replace(found, notes=part.get("notes", []), asked=part["question"])


def _each(parts: Sequence[Part]) -> Computed:
    """What the same question says of each member of a set."""
    said = [part for part in parts if part.get("status") == "answered"]
    silent = [part["question"] for part in parts if part.get("status") != "answered"]
    notes = [f"the graph does not say: {some(silent)}"] if silent else []
    if not said:
        return Computed("abstained", notes=notes)
    lines = [f"{_about(part)}: {listed(part.get('answers', []))}" for part in said]
    result = told("list", "; ".join(lines), f"asked of each of {len(parts)}")
    answers = union([part.get("answers", []) for part in said])
    source = joined("either", [_walked(part) for part in said])
    return Computed("answered", answers, _topics(said), result, notes, _least(said), source=source)


def _number_or_set(answered: Sequence[Part]) -> Computed | None:
    """The number that the graph holds, where the question as it is leads to one; else the set."""
    found = _as_answered(answered[-1])
    if len(answered) > 1 or found.status in ("ambiguous", "unchecked"):
        return found
    if not found.answers or any(value_of(answer["term"]) is None for answer in found.answers):
        return None
    result = told("count", listed(found.answers), "a number that the graph holds")
    return replace(found, result=result)


def _topics(parts: Sequence[Part]) -> list[Entity]:
    return [topic for part in parts for topic in part.get("topics", [])]


def _least(parts: Sequence[Part]) -> float:
    return min(part.get("confidence", 0.0) for part in parts)


def _about(part: Part) -> str:
    return ", ".join(topic["label"] for topic in part.get("topics", []))
