"""What reading over one graph needs of it and of the reader, kept for the next question."""

from collections.abc import Callable

from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..pool import Pool
from ..query.execute import SECONDS
from ..query.facts import Facts
from ..query.naming import Naming
from ..query.tables import GraphTables
from .inputs import Inputs
from .labels import GraphLabels
from .weights import ReaderWeights


class ReadingTools:
    """The facts, tables and labels of a graph, and the network. Not safe to share.

    Relations `without` are never read, as if the graph lacked them.
    """

    def __init__(
        self, kg: KnowledgeGraph, weights: ReaderWeights, without: frozenset[Term] = frozenset()
    ) -> None:
        self.facts = Facts(kg)
        self.tables = GraphTables(self.facts, without)
        self.naming = Naming(kg)
        self.labels = GraphLabels(self.tables)
        self.network = weights.network
        self.is_foreign = weights.settings.kg not in ("", kg.digest)
        self.unread = weights.settings.unread
        self.inputs = Inputs(weights.lexicon)

    def begin(self) -> None:
        """Give the next question the time that it may take."""
        self.facts.limit(SECONDS)


def reading_tools(
    kg: KnowledgeGraph,
    weights: Callable[[], ReaderWeights],
    without: frozenset[Term] = frozenset(),
) -> Pool[ReadingTools]:
    """Tools for each thread that reads; the weights are loaded when the first are made."""
    return Pool(lambda: ReadingTools(kg, weights(), without))
