"""Where a set stands in a query, and what that asks of it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .choices import Needs, Suits, leads
from .normal import Field, follows
from .schema import Schema
from .tree import Query

MOST_OPEN = 4
"""Sets that may stand in one another."""
MOST_WRAPPED = 4
"""Nodes that may begin at one another."""

Closer: TypeAlias = Literal["end", "or"]


@dataclass
class Place:
    """Where a set stands: how it is closed, and what is asked of it."""

    form: Literal["whole", "value", "part"]
    closers: tuple[Closer, ...]
    rest: int
    """Actions that have to come at least once it is ended."""
    open: int = 0
    needs: Needs | None = None
    wrapped: int = 0

    @property
    def ending(self) -> int:
        """Actions that have to come at least, where the set is as it should be."""
        return self.rest + (1 if "end" in self.closers else 3)

    @property
    def close(self) -> int:
        """Actions that have to come at least after an operation on the set."""
        return self.ending + (self.needs is not None)

    def within(
        self,
        rest: int,
        form: Literal["value", "part"] = "part",
        closers: tuple[Closer, ...] = ("end",),
        needs: Needs | None = None,
    ) -> "Place":
        """The place of a set inside this one."""
        return Place(form, closers, rest, self.open + 1, needs)

    def is_free(self, schema: Schema) -> bool:
        """Whether nothing is needed of the set, or how many it has would do."""
        return self.needs is None or bool(self.needs(schema) & {"number", "count"})

    def is_fit(self, schema: Schema, query: Query) -> bool:
        """Whether a set is what is needed here."""
        return self.needs is None or bool(schema.measures(query) & self.needs(schema))

    def suits(self, schema: Schema, query: Query) -> bool:
        """Whether a set is what is needed here, or can become so."""
        return (
            self.needs is None or self.is_free(schema) or leads(schema, query, self.needs(schema))
        )

    @property
    def suiting(self) -> Suits | None:
        """The same, where anything is needed."""
        return None if self.needs is None else self.suits

    def has_room(self, query: Query, field: Field, *, aggregate: bool = False) -> bool:
        """Whether a part may be added, in a node around this one where it takes one."""
        wraps = not follows(query, field, aggregate=aggregate)
        kept = self.needs is not None and field != "steps"
        return self.wrapped + wraps + kept <= MOST_WRAPPED

    def opened(self, query: Query, field: Field, *, aggregate: bool = False) -> Query:
        """The node that a part is added to."""
        if follows(query, field, aggregate=aggregate):
            return query
        self.wrapped += 1
        return Query(start=query)

    def added(self, query: Query, field: Field, part: object) -> Query:
        """The set with another part of a field."""
        node = self.opened(query, field)
        return node.model_copy(update={field: (*getattr(node, field), part)})
