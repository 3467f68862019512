"""load: settles which part of the KG may be walked; the second time, a wider one."""

from time import perf_counter

from langgraph.runtime import Runtime

from ..llm.model_folder import ModelSettings
from ..options import Options
from ..records import View, spent
from ..state import State
from . import Node


def load(settings: ModelSettings) -> Node:
    """Open a view as wide as the options or, where they are silent, the model's training say."""

    def run(state: State, runtime: Runtime[Options]) -> State:
        since = perf_counter()
        before = state.get("view")
        view = wider(before) if before else first_view(runtime.context or Options(), settings)
        runtime.stream_writer({"event": "loaded", "view": view})
        return {"view": view, "usage": spent(state.get("usage"), since)}

    return run


def first_view(options: Options, settings: ModelSettings) -> View:
    """The view that a question starts with."""
    hops = settings.hops if options.hops is None else options.hops
    inverse = settings.inverse if options.inverse is None else options.inverse
    return View(hops=hops, inverse=inverse, widened=False, cut=[])


def wider(view: View) -> View:
    """One more hop, and both directions."""
    return View(hops=view["hops"] + 1, inverse=True, widened=True, cut=view["cut"])


def can_widen(state: State, options: Options, settings: ModelSettings) -> bool:
    """Whether a wider view could help: once, where the user set no limit that it would break.

    A calibrated model is not asked for longer paths than it was trained on: its confidence in
    them means nothing.
    """
    view = state.get("view")
    if view is None or view["widened"]:
        return False
    if options.hops is not None or options.inverse is not None:
        return False
    return settings.confidence == 0 or view["hops"] < settings.hops or not view["inverse"]
