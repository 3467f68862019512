"""`groundwalk chat`: from the options to the first prompt, without waiting for the model."""

import logging
import os
import sys
import warnings
from typing import TYPE_CHECKING

from .. import options as o

if TYPE_CHECKING:
    from .talk import Talk


def chat(
    kg: o.KG = None,
    profile: o.Profile = "generic",
    graph: o.Graphs = None,
    language: o.Language = None,
    mediators: o.Mediators = None,
    infer: o.Infer = None,
    on_broken: o.OnBroken = "fail",
    method: o.Method = None,
    model: o.Model = None,
    reader: o.Reader = None,
    llm: o.LLM = None,
    beams: o.Beams = None,
    hops: o.Hops = None,
    paper: o.Paper = False,
    settings: o.Settings = None,
    on_ambiguous: o.OnAmbiguous = "ask",
    no_partial: o.NoPartial = False,
    thread: o.Thread = None,
    device: o.Device = None,
    dtype: o.Dtype = None,
    prompts: o.Prompts = None,
) -> None:
    """Ask question after question; steps, answers and proofs appear as they come."""
    from rich.console import Console

    from ...agent.kg.names import one_line
    from ...agent.llm.local import check_source, use_few_threads
    from ...agent.reader.weights import open_reader
    from ...agent.settings import read_settings
    from ..session import graph_notes, open_source, question_options
    from ..terminal import is_terminal, waiting
    from .loading import Wanted
    from .loop import converse
    from .talk import Talk

    _hush()
    is_named = o.named_method(method) is not None
    method = o.chosen_method(method, model)
    broken = o.on_broken_of(on_broken)
    options = question_options(
        settings or (), beams, hops, on_ambiguous, prompts, no_partial=no_partial
    )
    own = read_settings()
    wanted = Wanted(
        method=method,
        model=model or own.model,
        reader=reader or own.reader,
        llm=llm or own.llm,
        device=device or own.device,
        dtype=dtype or own.dtype,
        prompts=prompts,
        options=options,
        pairs=tuple(settings or ()),
        paper=paper,
        thread=thread,
        is_named=is_named,
    )
    use_few_threads(wanted.model)
    check_source(wanted.model)
    if wanted.reader:
        open_reader(wanted.reader)
    typing = is_terminal()
    console = Console(
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not typing,
        color_system="auto" if typing else None,
    )
    with waiting(console, "opening the graph"):
        opened = open_source(
            own,
            kg=kg,
            profile=profile,
            graphs=graph or (),
            language=language,
            mediators=mediators,
            infer=infer,
            on_broken=broken,
        )
    talk = Talk(opened, wanted, console)
    if typing:
        from .reading import Typed

        lines = Typed(talk)
    else:
        from .plain import Lines

        lines = Lines()
        talk.session()
    for note in graph_notes(opened):
        console.print(one_line(note))
    console.print(f"{_introduction(talk)} Ask, or /help.")
    converse(talk, lines)
    if talk.loading.is_at_work:  # libraries that are half imported crash where Python ends
        sys.stdout.flush()
        os._exit(0)


def _introduction(talk: "Talk") -> str:
    from ...agent.kg.names import one_line

    kg, thread = talk.kg, talk.wanted.thread
    going_on = f" This is thread {one_line(thread)}." if thread else ""
    if not kg.pinned:
        told = "asked as you ask; names must be spelled as it spells them."
        return f"{one_line(kg.source)}, {told}{going_on}"
    counts = kg.counts
    size = f"{counts.facts:,} facts about {counts.entities:,} entities."
    return f"{one_line(kg.source)}: {size}{going_on}"


def _hush() -> None:
    """Keep what libraries warn of and log off the screen."""
    if not os.environ.get("GROUNDWALK_DEBUG"):
        warnings.simplefilter("ignore")
        logging.getLogger().addHandler(logging.NullHandler())
