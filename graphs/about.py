"""What a graph holds, for who has never seen it: classes, relations, counts, questions."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from time import monotonic
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from ..agent.errors import GroundwalkError, InputError, ServiceError
from ..agent.kg import KnowledgeGraph, open_kg
from ..agent.kg.labels.index import RelationInfo
from ..agent.kg.labels.names import one_line
from ..agent.kg.nodes import literal_tag
from ..agent.kg.terms import Term, is_literal
from ..agent.options import Options

if TYPE_CHECKING:
    from .nesting import CompiledGraph

_SAMPLE = 100
"""Facts of a relation whose ends are looked at."""
_SECONDS = 30.0
"""After them no further example is tried."""


class Sizes(TypedDict):
    """The size of a graph: its triples, the facts among them, and what they relate."""

    triples: int
    facts: int
    entities: int
    relations: int


class ClassUse(TypedDict):
    """A class and how many members it has."""

    name: str
    members: int


class RelationUse(TypedDict):
    """A relation, how many facts use it, and what most of them lead from and to."""

    name: str
    facts: int
    head: str
    tail: str


class GraphPage(TypedDict):
    """A graph, with some of its classes and relations, the largest first.

    `questions` are examples that the graph answers. There is no size of a remote graph.

    >>> page: GraphPage = describe_graph("world", limit=1)
    >>> page["classes"][0]["name"], page["relations"][0].keys() >= {"name", "facts", "head", "tail"}
    ('city', True)
    """

    source: str
    size: Sizes | None
    classes: list[ClassUse]
    relations: list[RelationUse]
    questions: list[str]
    notes: list[str]
    page: int
    more: bool


@dataclass(frozen=True)
class About:
    """Everything that a graph is described with; pages are cut from it."""

    kg: KnowledgeGraph
    size: Sizes | None
    classes: tuple[ClassUse, ...]
    relations: tuple[RelationInfo, ...]
    questions: tuple[str, ...]
    notes: tuple[str, ...]

    def page(self, number: int, limit: int) -> GraphPage:
        """So many classes and relations, from `number`, which begins at 1. Raises ServiceError."""
        first, last = (number - 1) * limit, number * limit
        return GraphPage(
            source=one_line(self.kg.name),
            size=self.size,
            classes=list(self.classes[first:last]),
            relations=[self._use(relation) for relation in self.relations[first:last]],
            questions=list(self.questions),
            notes=list(self.notes),
            page=number,
            more=max(len(self.classes), len(self.relations)) > last,
        )

    def _use(self, relation: RelationInfo) -> RelationUse:
        head, tail = _ends(self.kg, relation.term) if self.kg.pinned else ("", "")
        return RelationUse(name=relation.name, facts=relation.facts, head=head, tail=tail)


def describe_graph(
    kg: KnowledgeGraph | str | PathLike[str],
    graph: "CompiledGraph[Any] | None" = None,
    *,
    page: int = 1,
    limit: int = 30,
) -> GraphPage:
    """What a graph holds: its size, its classes and relations, the largest first, and questions.

    The questions are examples of what may be asked. With a compiled `graph` only those are given
    that it answers, which loads its models. A page has up to `limit` classes and relations. Call
    it once and keep what it says. A source of `open_kg` is opened for this call. Raises
    ServiceError, KGError, and InputError for what is no page or no graph.

    >>> about = describe_graph(open_kg("world"), limit=2)
    >>> [kind["name"] for kind in about["classes"]], about["more"]
    (['city', 'country'], True)
    """
    for name, number in (("page", page), ("limit", limit)):
        if number < 1:
            raise InputError(f"{name} cannot be {number}", "give 1 or more")
    answers = tried(graph) if graph else None
    if isinstance(kg, KnowledgeGraph):
        return describe(kg, answers).page(page, limit)
    with open_kg(kg) as opened:
        return describe(opened, answers).page(page, limit)


def describe(
    kg: KnowledgeGraph,
    answers: Callable[[str], frozenset[Term]] | None,
    notes: Sequence[str] = (),
) -> About:
    """All that a graph is described with; examples are tried where there are `answers` to them.

    Raises ServiceError.
    """
    if not kg.pinned:
        return About(kg, None, (), _remote_relations(kg), (), tuple(notes))
    from ..agent.conversation.introduction import introduce

    known = introduce(kg, answers)
    sizes = Sizes(**kg.counts._asdict())
    classes = tuple(ClassUse(name=size.name, members=size.members) for size in known.classes)
    return About(kg, sizes, classes, known.relations, known.questions, tuple(notes))


def tried(
    graph: "CompiledGraph[Any]",
    options: Options | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Callable[[str], frozenset[Term]]:
    """The terms that a graph answers a question with, until it `is_over`, or for some time."""
    alone = graph.with_output().copy({"checkpointer": False})
    until = monotonic() + _SECONDS

    def answers(question: str) -> frozenset[Term]:
        if is_over() or monotonic() > until:
            return frozenset()
        try:
            state = alone.invoke({"question": question}, context=options)
        except GroundwalkError:  # it is told to whoever asks
            return frozenset()
        is_whole = state.get("status") == "answered" and not state.get("result")
        return frozenset(answer["term"] for answer in state["answers"]) if is_whole else frozenset()

    return answers


def _remote_relations(kg: KnowledgeGraph) -> tuple[RelationInfo, ...]:
    """The relations of an endpoint; none where it cannot list them in time."""
    try:
        return tuple(kg.walk_labels.relations())
    except ServiceError:
        return ()


def _ends(kg: KnowledgeGraph, relation: Term) -> tuple[str, str]:
    """The class of most heads and of most tails, among the first facts of a relation."""
    triples = list(islice(kg.stated(relation), _SAMPLE))
    return _kind(kg, [t.head for t in triples]), _kind(kg, [t.tail for t in triples])


def _kind(kg: KnowledgeGraph, terms: Sequence[Term]) -> str:
    things = [term for term in terms if not is_literal(term)]
    kinds = Counter(info.kind for info in kg.labels.describe(things) if info.kind)
    kinds.update(_type_of_value(term) for term in terms if is_literal(term))
    return max(sorted(kinds), key=lambda kind: kinds[kind], default="")


def _type_of_value(literal: Term) -> str:
    """`decimal`, `date` and so on, and `text` where there is no more to say."""
    tag = literal_tag(literal)
    return tag.rpartition("#")[2] or tag if ":" in tag and not tag.endswith("#string") else "text"
