"""link: the question's mentions become entities of the KG, each with its rivals and scores."""

from collections.abc import Sequence
from time import perf_counter

from langgraph.runtime import Runtime

from ..answers.topics import Linked, linked, settled_topics
from ..conversation.messages import readable
from ..kg import KnowledgeGraph
from ..linking import Linker
from ..options import Options
from ..records import Part, spent
from ..state import State
from . import Node

_LONG = 2.0
_SLOW = (
    "names were looked up at the endpoint in {:.1f} s; "
    "a KG built of a dump, with `groundwalk kg build`, has them in milliseconds"
)


def link(
    linker: Linker,
    method: str,
    kg: KnowledgeGraph | None = None,
    notes_of_all: Sequence[str] = (),
) -> Node:
    """Link the question, or the part that is up, and clear what an earlier one left in the state.

    Topics that are `given` take the place of linked ones. Of entities that the reading of `kg`
    takes for one, the representative is the topic. `notes_of_all` are notes of every question. The
    node raises QuestionError for a question that is empty or too long.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        since, part = perf_counter(), current_part(state)
        if part:
            question = part["question"]
            names = Linked(part["mentions"], part.get("notes", []), 0)
        else:
            question = readable(state.get("question"))
            names = linked(linker, kg, question, state.get("given"))
        notes = [*notes_of_all, *names.notes]
        seconds = perf_counter() - since
        slow = names.requests and seconds > _LONG
        is_settled = (runtime.context or Options()).on_ambiguous == "best"
        topics = settled_topics(names.mentions, is_settled=is_settled)
        runtime.stream_writer({"event": "linked", "topics": topics})
        return {
            **unanswered(method),
            "question": question,
            "mentions": names.mentions,
            "topics": topics,
            "notes": [*notes, _SLOW.format(seconds)] if slow else notes,
            "usage": spent(
                state.get("usage"), since, kg_requests=0 if part else names.requests or 1
            ),
        }

    return run


def unanswered(method: str) -> State:
    """Changes that clear what an earlier turn or part left in the state."""
    return {
        "view": None,
        "cut": False,
        "candidates": [],
        "reasoner": "",
        "confidence": 0.0,
        "answers": [],
        "status": "abstained",
        "unsupported": [],
        "lost": 0,
        "refused": [],
        "method": method,
    }


def current_part(state: State) -> Part | None:
    """The part that is being answered; None where the question is answered as it is."""
    parts, number = state.get("parts", []), state.get("part", -1)
    return parts[number] if 0 <= number < len(parts) else None
