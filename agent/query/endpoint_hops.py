"""Which relations lead from things, and from others of their classes, where an endpoint has them.

Whoever reads a question asks that of set after set. So what is around its topics is asked about at
once, side by side, and remembered.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ..kg import KnowledgeGraph
from ..kg.stores.sparql.beside import quietly, side_by_side
from ..kg.stores.sparql.store import End, OfMembers, SparqlStore
from ..kg.terms import Term, is_iri, is_literal

_Side = tuple[Term, bool]
"""A node or a class, and whether its relations are walked from tail to head."""

_MOST_AHEAD = 96
"""Things around the topics that are asked about before they are reached."""
_MOST_CLASSES = 23


class EndpointHops:
    """Remembers the relations of things and of the members of classes. Raises ServiceError."""

    def __init__(self, kg: KnowledgeGraph, store: SparqlStore, members: int) -> None:
        """Of each class so many `members` are looked at."""
        self._kg = kg
        self._store = store
        self._members = members
        self._of_nodes: dict[_Side, Sequence[Term]] = {}
        self._of_classes: dict[Term, OfMembers] = {}
        self._with_ends: set[Term] = set()
        self._ends: dict[tuple[Term, Term, bool], set[End]] = {}

    def around(
        self, nodes: Sequence[Term], classes: Sequence[Term], inverse: bool
    ) -> list[Sequence[Term]]:
        """The relations of each node, then of the members of each class."""
        side_by_side(*self._reading(nodes, classes))
        of_nodes = [self._of_nodes[node, inverse] for node in nodes]
        of_classes = [self._of_classes[class_] for class_ in classes]
        return of_nodes + [
            members.reaching if inverse else members.leaving for members in of_classes
        ]

    def classes_of_members(self, class_: Term) -> Sequence[Term]:
        """The classes that members of a class have."""
        side_by_side(*self._reading((), [class_]))
        return [*filter(is_iri, self._of_classes[class_].classes)]

    def ends(self, classes: Sequence[End], relation: Term, inverse: bool) -> list[End]:
        """Where a relation leads from members of classes; nothing where that is not known."""
        ends = (self._ends.get((class_.term, relation, inverse), ()) for class_ in classes)
        return sorted({end for some in ends for end in some})

    def relations_of(self, classes: Sequence[Term]) -> list[tuple[Term, bool]]:
        """The relations of members of classes, in both directions."""
        around = [(inverse, self.around((), classes, inverse)) for inverse in (False, True)]
        return [
            (r, inverse) for inverse, sides in around for r in sorted(set[Term]().union(*sides))
        ]

    def look_ahead(self, topics: Sequence[Term], classes: Sequence[Term]) -> None:
        """Read what is around topics that were looked around, and its names.

        `classes` may be begun at. A failure is none: it is asked for again where it is needed.
        """
        near = self._store.near(topics)
        if len(near) > _MOST_AHEAD:
            near = []
        types = self._kg.profile.types
        steps = (self._store.follow([*topics, *near], kind, False) for kind in types)
        met = [step.target for around in steps for of_node in around for step in of_node]
        named = list(dict.fromkeys([*met, *classes][:_MOST_CLASSES]))
        works: list[Callable[[], object]] = [*self._reading([*topics, *near], named)]
        works += [partial(self._kg.labels.names, near)]
        works += [partial(self._read_ends, named)] if named else []
        side_by_side(*(partial(quietly, work) for work in works))

    def _reading(self, nodes: Sequence[Term], classes: Sequence[Term]) -> list[partial[None]]:
        """What is to be asked for the relations of nodes and classes that are not known yet."""
        unknown = [class_ for class_ in classes if class_ not in self._of_classes]
        works = [partial(self._read_classes, unknown)] if unknown else []
        for inverse in (False, True):
            new = [node for node in nodes if (node, inverse) not in self._of_nodes]
            works += [partial(self._read_nodes, new, inverse)] if new else []
        return works

    def _read_nodes(self, nodes: Sequence[Term], inverse: bool) -> None:
        subjects = [node for node in nodes if inverse or not is_literal(node)]
        relations = dict(zip(subjects, self._store.relations_at(subjects, inverse), strict=True))
        self._of_nodes.update({(node, inverse): relations.get(node, ()) for node in nodes})

    def _read_classes(self, classes: Sequence[Term]) -> None:
        types = self._kg.profile.types
        self._of_classes |= self._store.about_members(classes, types, most=self._members)

    def _read_ends(self, classes: Sequence[Term]) -> None:
        unknown = [class_ for class_ in classes if class_ not in self._with_ends]
        types = self._kg.profile.types
        self._ends |= self._store.ends_of_members(unknown, types, most=self._members)
        self._with_ends.update(unknown)
