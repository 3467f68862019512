"""What a question's walks are decoded over: the index of the whole KG, or one that grows.

A KG at hand that is small enough is indexed once, whole. An endpoint, or a KG of millions of facts,
is looked up where the walk goes, through a bounded view of its own for each question.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from ..decoding.graph_index import GraphIndex
from ..decoding.growing import GrowingIndex
from ..decoding.growing_units import NameTokens
from ..decoding.index import TokenIndex, is_indexed, open_index
from ..decoding.units import wire_tokens
from ..decoding.wire import Wire
from ..errors import ServiceError
from ..kg import KnowledgeGraph, local_name
from ..kg.view import GraphView, NeighbourCache, ViewLimits
from ..llm.local import LocalModel
from ..once import once
from ..options import Options
from ..state import State

MOST_WHOLE = 2_000_000
"""Facts of a KG that is indexed whole; indexing more would take minutes and gigabytes."""


@dataclass(frozen=True)
class Ground:
    """The index of one question, and the view that it grows over; None where it is whole."""

    index: GraphIndex
    view: GraphView | None


OpenGround = Callable[[State, Options], Ground]


def ground(
    kg: KnowledgeGraph, generator: Callable[[], LocalModel], wire: Wire | None
) -> OpenGround:
    """A function that opens the ground of a question.

    It raises ConstraintError, before anything is indexed, where the model has no tags for `wire`.
    """

    @once
    def whole() -> TokenIndex:
        return open_index(kg, generator().tokenizer)

    @once
    def is_small() -> bool:
        """Whether what walks may use, which can be more than the KG's facts, is indexed whole."""
        if kg.counts.facts > MOST_WHOLE:
            return False
        if kg.reading.plain or is_indexed(kg, generator().tokenizer):
            return True
        return sum(1 for _ in islice(kg.walks.facts(), MOST_WHOLE + 1)) <= MOST_WHOLE

    @once
    def tokens() -> NameTokens:
        return NameTokens(generator().tokenizer)

    @once
    def neighbours() -> NeighbourCache:
        return NeighbourCache(kg.walks)

    def open_ground(state: State, options: Options) -> Ground:
        if wire is not None:
            wire_tokens(generator().tokenizer, wire)
        if kg.pinned and is_small():
            return Ground(whole(), None)
        opened = state.get("view")
        inverse = opened is None or opened["inverse"]
        limits = ViewLimits(options.max_triples, options.max_degree, inverse)
        question = state.get("question", "")
        view = GraphView(kg.walks, kg.walk_labels, limits, question, cache=neighbours())
        return Ground(GrowingIndex(view, tokens()), view)

    return open_ground


def told(kg: KnowledgeGraph, view: GraphView) -> list[str]:
    """What a view left out, in words."""
    cuts = view.cuts
    if not cuts:
        return []
    first = max(cuts, key=lambda cut: (cut.found, cut.node))
    name = local_name(first.node)
    with suppress(ServiceError):  # a name is not worth losing an answer for
        (name,) = kg.labels.names([first.node])
    others = f", and parts of {len(cuts) - 1} more" if len(cuts) > 1 else ""
    more = "more than " if first.more else ""
    return [
        f"walks could use {first.kept:,} of the {more}{first.found:,} facts about {name}{others}"
    ]
