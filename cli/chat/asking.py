"""One turn of the conversation: its steps as they happen, and what came of it."""

from typing import TYPE_CHECKING, cast

from .talk import Talk

if TYPE_CHECKING:
    from ...agent.state import State
    from ..session import Choose
    from .screen import ChatScreen


def answer(
    talk: Talk, screen: "ChatScreen", question: str, choose: "Choose", query: object = None
) -> None:
    """Answer a question, or a query that was given for it, and show the result.

    The readings of the question stay as they were where a query was given.
    """
    from ..evidence import origin_of
    from ..session import run
    from .understood import offer

    session = talk.session()
    origin = origin_of(talk.kg, talk.wanted.model)
    for event in screen.watched(run(session, question, talk.thread, choose, query), "thinking"):
        if "event" in event:
            screen.event(event)
        else:
            state = cast("State", event)
            talk.remember(state, origin, reads=query is None)
            screen.result(state, talk.kg)
    if query is None:
        offer(talk)
