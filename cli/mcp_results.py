"""The structured output of the tools for agent hosts."""

from typing_extensions import TypedDict

from ..agent.state import Entity, Named


class Found(TypedDict):
    """The entities that a name may mean, the likeliest first."""

    entities: list[Entity]


class Fact(TypedDict):
    """A triple as the graph holds it."""

    head: Named
    relation: Named
    tail: Named


class Neighbourhood(TypedDict):
    """Facts about an entity; where there are `more`, `relations` are all that it has."""

    entity: Named
    facts: list[Fact]
    more: bool
    relations: list[Named]


class Written(TypedDict):
    """A name as it was given, and the term that it means; None where nothing is called so."""

    term: str | None
    label: str


class JudgedTriple(TypedDict):
    """A triple of a claim and what the graph says of it."""

    head: Written
    relation: Written
    tail: Written
    verdict: str
    flags: list[str]


class JudgedAnswer(Written):
    """An answer of a claim, and whether the chain supports it."""

    verdict: str


class Judged(TypedDict):
    """What the graph says of a claimed chain: supported, unsupported or unknown."""

    verdict: str
    triples: list[JudgedTriple]
    well_formed: bool | None
    flags: list[str]
    answer_verdicts: list[JudgedAnswer]
