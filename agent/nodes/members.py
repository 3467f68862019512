"""The set that an operation is about, where parts of the question make it."""

from collections.abc import Sequence
from dataclasses import replace

from ..conversation.sources import joined, less, walks
from ..conversation.trees import of_parts, part
from ..query.tree import Query
from ..query.values import value_of
from ..state import Entity, Operation, Part, Source, is_understood
from .basis import Basis, How, mention_of, said
from .computed import Computed, listed, some
from .judged import SURE


def members_of(operation: Operation, parts: Sequence[Part]) -> Basis | Computed | None:
    """The set that the parts make; None where the next one is needed for it.

    Where nothing can be made of them, what that comes to.
    """
    answered = [own for own in parts if "status" in own]
    if not answered:
        return None
    if operation["over"] == "first":
        return _first(answered)
    if operation["over"] == "one" and operation["kind"] == "count":
        return _number_or_set(answered)
    if operation["over"] == "each":
        return _each(parts, answered) if len(answered) == len(parts) else None
    if stopped := stopped_by(parts):
        return stopped
    if len(answered) < len(parts):
        return None
    if operation["over"] == "one":
        return _as_answered(parts, 0)
    return _made(operation, parts)


def stopped_by(parts: Sequence[Part]) -> Computed | None:
    """What parts come to of which the last one has no answer, or some are too doubtful.

    None where nothing keeps them from being computed with.
    """
    answered = [own for own in parts if "status" in own]
    if answered and (failed := answered[-1]).get("status") != "answered":
        said = is_understood(failed.get("notes", []))
        notes = [f"the graph does not say: {failed['question']}"] if said else []
        return Computed(failed.get("status", "abstained"), topics=topics_of(answered), notes=notes)
    if len(answered) == len(parts) > 1 and (unsure := [own for own in parts if is_unsure(own)]):
        notes = [unsure_of(own) for own in unsure]
        return Computed("abstained", topics=topics_of(answered), notes=notes)
    return None


def is_unsure(own: Part) -> bool:
    """Whether what a part came to is too doubtful to compute with."""
    return own.get("confidence", 0.0) < SURE


def unsure_of(own: Part) -> str:
    """Why nothing is computed of an unsure part."""
    confidence = own.get("confidence", 0.0)
    return f"not sure enough to compute with ({confidence:.2f}): {own['question']}"


def _made(operation: Operation, parts: Sequence[Part]) -> Basis | Computed:
    """The set of several parts, or of one without what the question names."""
    sizes, sources = [len(own.get("answers", [])) for own in parts], [*map(_walked, parts)]
    named = [mention_of(own, own["candidates"][0]) for own in operation["named"]]
    out = [own.term for own in named if own.term is not None]
    made = _basis(parts, of_parts(operation["over"], len(parts), len(out)))
    made = replace(made, mentions=tuple(named))
    match operation["over"]:
        case "both":
            how = f"what {' and '.join(map(str, sizes))} answers have in common"
            return replace(made, how=said(how), source=joined("both", sources))
        case "either":
            answers = [answer for own in parts for answer in own.get("answers", [])]
            if operation["kind"] == "count" and any(value_of(own["term"]) for own in answers):
                each = list({own["term"]: own for own in answers}.values())
                notes = [f"these are no things to count: {listed(each)}"]
                return Computed("abstained", topics=made.topics, notes=notes)
            how = f"{' and '.join(map(str, sizes))} answers together, each once"
            return replace(made, how=said(how), source=joined("either", sources))
        case _:
            source = less(sources[0], sources[1:], out)
            return replace(made, how=_without(sizes[0]), source=source)


def _without(size: int) -> How:
    return lambda left: f"{size} answers without {size - left} of them"


def _basis(parts: Sequence[Part], query: Query) -> Basis:
    return Basis(
        query=query,
        topics=topics_of(parts),
        confidence=min(own.get("confidence", 0.0) for own in parts),
        answered={number: own.get("answers", []) for number, own in enumerate(parts)},
        questions=tuple(own["question"] for own in parts),
    )


def _walked(own: Part) -> Source:
    return walks(own.get("topics", []), own.get("answers", []))


def _as_answered(parts: Sequence[Part], number: int) -> Basis | Computed:
    """What a part came to."""
    own = parts[number]
    status = own.get("status", "abstained")
    topics, confidence = own.get("topics", []), own.get("confidence", 0.0)
    if status != "answered":
        return Computed(status, own.get("answers", []), topics, None, [], confidence)
    made = replace(_basis(parts, part(number)), topics=topics, confidence=confidence)
    return replace(made, source=_walked(own))


def _first(answered: Sequence[Part]) -> Basis | Computed | None:
    """The first part with an answer, as if it had been asked alone."""
    own = answered[-1]
    if own.get("status", "abstained") == "abstained":
        return None
    found = _as_answered(answered, len(answered) - 1)
    return replace(found, notes=own.get("notes", []), asked=own["question"])


def _each(parts: Sequence[Part], answered: Sequence[Part]) -> Basis | Computed:
    """What the same question says of each member of a set."""
    answering = [own for own in answered if own.get("status") == "answered"]
    silent = [own["question"] for own in answered if own.get("status") != "answered"]
    notes = [f"the graph does not say: {some(silent)}"] if silent else []
    if not answering:
        return Computed("abstained", notes=notes)
    lines = [f"{_about(own)}: {listed(own.get('answers', []))}" for own in answering]
    return replace(
        _basis(answering, of_parts("each", len(answering))),
        how=said(f"asked of each of {len(parts)}"),
        text="; ".join(lines),
        notes=notes,
        source=joined("either", [_walked(own) for own in answering]),
    )


def _number_or_set(answered: Sequence[Part]) -> Basis | Computed | None:
    """The number that the graph holds, where the question as it is leads to one; else the set."""
    found = _as_answered(answered, len(answered) - 1)
    if len(answered) > 1 or answered[0].get("status") in ("ambiguous", "unchecked"):
        return found
    answers = answered[0].get("answers", [])
    if not answers or any(value_of(answer["term"]) is None for answer in answers):
        return None
    return replace(found, is_number=True) if isinstance(found, Basis) else found


def topics_of(parts: Sequence[Part]) -> list[Entity]:
    """The entities that parts begin at."""
    return [topic for own in parts for topic in own.get("topics", [])]


def _about(own: Part) -> str:
    return ", ".join(topic["label"] for topic in own.get("topics", []))
