"""What became of a question."""

from enum import IntFlag

from ..records import Record
from ..summary import is_partial, is_right, is_said


class Outcome(IntFlag):
    """What a record can be filtered by.

    One that is neither an error nor partial nor without answers is right or wrong.
    """

    RIGHT = 1
    """The first answer is right, or there is rightly none."""
    WRONG = 2
    """There are answers, and the first is wrong."""
    UNSUPPORTED = 4
    """Something was written that the graph does not hold."""
    ABSTAINED = 8
    """There is no answer, and no error."""
    ERROR = 16
    UNANSWERABLE = 32
    """The dataset says that there is no answer."""
    PARTIAL = 64
    """The answer leaves words of the question out, and says so."""


def outcome(record: Record) -> Outcome:
    """What became of a record's question."""
    scores, found = record["metrics"], Outcome(0)
    if scores is None:
        found |= Outcome.UNANSWERABLE
    if record["status"] == "error":
        found |= Outcome.ERROR
    elif is_partial(record):
        found |= Outcome.PARTIAL
        if is_right(record):
            found |= Outcome.RIGHT
    elif not is_said(record):
        found |= Outcome.ABSTAINED
        if scores is None and is_right(record):
            found |= Outcome.RIGHT
    else:
        found |= Outcome.RIGHT if scores and scores["hits_at_1"] else Outcome.WRONG
    untrue = record["emitted"]["unsupported"] or record["triples"] - record["supported"]
    if record["unsupported"] or untrue:
        found |= Outcome.UNSUPPORTED
    return found
