"""`groundwalk chat`: from the options to the first prompt, without waiting for the model."""

import logging
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from .. import options as o

if TYPE_CHECKING:
    from .talk import Talk


@o.takes_options
def chat(
    *,
    answering: o.Answering,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show each step and every chain with an answer.")
    ] = False,
) -> None:
    """Ask question after question; steps, answers and proofs appear as they come."""
    from ..terminal import held_keys, is_terminal

    with ExitStack() as held:
        if is_terminal():
            held.enter_context(held_keys())
        talk = _chat(answering, trace, held.close)
    if talk.loading.is_at_work:  # libraries that are half imported crash where Python ends
        sys.stdout.flush()
        os._exit(0)


def _chat(answering: o.Answering, trace: bool, ready: Callable[[], None]) -> "Talk":
    """Have the conversation. Keys are held until it is `ready` to read them."""
    from rich.console import Console

    from ...agent.kg.labels.names import one_line
    from ..session import check_answering, graph_notes
    from ..terminal import is_terminal, spare_imports, waiting
    from .loop import Lines, converse
    from .talk import Talk, Wanted
    from .threads import last_turns

    _hush()
    spare_imports()
    method, options = check_answering(answering)
    answering = o.with_settings(answering)
    wanted = Wanted(
        method=method,
        model=answering.model,
        reader=answering.reader,
        llm=answering.llm,
        device=answering.device,
        dtype=answering.dtype,
        prompts=answering.prompts,
        options=options,
        pairs=tuple(answering.pairs or ()),
        paper=answering.paper,
        thread=answering.thread,
        trace=trace,
        is_named=bool(o.named_method(answering.method)),
    )
    typing = is_terminal()
    console = Console(
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not typing,
        color_system="auto" if typing else None,
    )
    with waiting(console, "opening the graph"):
        kg = answering.source.open()
    talk = Talk(kg, wanted, console)
    if typing:
        from .prompt import Typed

        lines = Typed(talk, ready)
    else:
        from .loop import Lines

        lines = Lines()
        talk.session()
    for note in graph_notes(kg):
        console.print(one_line(note))
    console.print(f"{_introduction(talk)} Ask, or /help.")
    if wanted.thread:
        last_turns(talk)
    converse(talk, lines)
    return talk


def _introduction(talk: "Talk") -> str:
    from ...agent.kg.labels.names import one_line

    kg, thread = talk.kg, talk.wanted.thread
    going_on = f" This is thread {one_line(thread)}." if thread else ""
    if not kg.pinned:
        return (
            f"{one_line(kg.source)}, asked as you ask; names must be spelled as it spells "
            f"them.{going_on}"
        )
    counts = kg.counts
    size = f"{counts.facts:,} facts about {counts.entities:,} entities."
    return f"{one_line(kg.source)}: {size}{going_on}"


def _hush() -> None:
    """Keep what libraries warn of and log off the screen."""
    if not os.environ.get("GROUNDWALK_DEBUG"):
        warnings.simplefilter("ignore")
        logging.getLogger().addHandler(logging.NullHandler())
