"""What the graph of a session holds, for a host that has never seen it."""

from threading import Event

from ..graphs.about import About, tried
from ..graphs.about import describe as describe_kg
from .session import Session


def describe(session: Session, *, tries: bool, stopped: Event) -> About:
    """Describe the graph of a session. Where it `tries` the examples, it loads the models with it.

    They are tried until it is `stopped`, or for some time. Raises ServiceError.
    """
    answers = tried(session.graph, session.options, stopped.is_set) if tries else None
    return describe_kg(session.kg, answers, session.notes)
