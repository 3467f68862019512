"""A local model that reads questions as queries: it writes the likeliest that the schema allows."""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ..decoding.gathering import search
from ..decoding.plan import BeamPlan, Cost
from ..decoding.search import Question
from ..errors import NoPathError, QuestionError
from ..kg import KnowledgeGraph
from ..llm.local import LocalModel
from ..pool import Pool
from .account import WordReader
from .actions import Action
from .automaton import query_of
from .before import Before
from .binding import Bound, bind
from .constraint import ActionTokens, Queries
from .facts import Facts
from .mentions import Mentions
from .naming import Naming
from .prompt import asked_tokens
from .schema import GraphSchema
from .tables import GraphTables
from .tree import Query

_LEAST_WHOLE = 0.02
"""What is left of the weight of a query that surely leaves a word out."""


@dataclass(frozen=True)
class Asked:
    """A question with its mentions, and what came before it."""

    question: str
    mentions: Mentions
    before: Before = Before()

    @property
    def pointed(self) -> Mentions:
        """All that a query can point at: the mentions, then those of the question before."""
        return self.mentions.followed_by(self.before.mentions)


@dataclass(frozen=True)
class ReadQuery:
    """A query that a question may be: the likeliest actions that make it, its names looked up.

    `probability` is that of all actions found that come to the same query.
    """

    bound: Bound
    actions: tuple[Action, ...]
    probability: float


@dataclass(frozen=True)
class ReadQueries:
    """The distinct queries that a question may be, the likeliest first, and what they cost."""

    queries: Sequence[ReadQuery]
    cost: Cost
    notes: Sequence[str] = ()
    """What the user should know of the reading."""


class Reader(Protocol):
    """Reads questions over one graph as queries."""

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        """The queries that the beams of a search end in.

        Raises NoPathError where no query can begin, ConstraintError, ServiceError, ShortageError.
        """
        ...

    def facts(self) -> AbstractContextManager[Facts]:
        """The facts of the graph, for executing what was read."""
        ...


class QueryReader:
    """Reads questions over one graph with one model, which is loaded when it is first needed."""

    def __init__(
        self,
        kg: KnowledgeGraph,
        generator: Callable[[], LocalModel],
        prompts: Path | None = None,
    ) -> None:
        self._generator = generator
        self._prompts = prompts
        self._tools = Pool(lambda: _Tools(kg, generator()))

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        """The queries that the beams of a search end in.

        Raises NoPathError where no query can begin, ConstraintError where the model cannot write
        queries, ServiceError and ShortageError.
        """
        local, pointed = self._generator(), asked.pointed
        tokens, shared = asked_tokens(
            local, asked.question, asked.mentions.numbered, asked.before.asked, self._prompts
        )
        with self._tools.lent() as tools:
            schema = GraphSchema(
                tools.tables, pointed.bound, values=pointed.values, earlier=asked.before.terms()
            )
            words = Queries(schema, tools.tokens)
            found = search(local.model, Question(tokens, words, shared), plan)
            actions = [words.actions(own.state) for own in found.hypotheses]
            chances = [own.relevance for own in found.hypotheses]
            queries = distinct_queries(tools.facts.kg, tools.naming, actions, chances, pointed)
        return ReadQueries(queries, found.cost)

    @contextmanager
    def facts(self) -> Generator[Facts]:
        """The facts of the graph, for executing what was read."""
        with self._tools.lent() as tools:
            yield tools.facts


def explained(asked: Asked, queries: Sequence[ReadQuery], account: WordReader) -> list[ReadQuery]:
    """The queries by how likely each is, and how likely it leaves no word of the question out.

    What they are likely together stays; it is shared out anew.
    """
    numbered = asked.mentions.numbered
    weights = [
        own.probability
        * max(1.0 - account.most_unread(asked.question, numbered, own.actions), _LEAST_WHOLE)
        for own in queries
    ]
    total, chance = sum(weights), sum(own.probability for own in queries)
    if not total:
        return list(queries)
    shared = [
        replace(own, probability=chance * weight / total)
        for own, weight in zip(queries, weights, strict=True)
    ]
    return sorted(shared, key=lambda own: -round(own.probability, 9))


class _Tools:
    """What reading a question needs of the graph and the model, kept for the next one."""

    def __init__(self, kg: KnowledgeGraph, local: LocalModel) -> None:
        self.facts = Facts(kg)
        self.tables = GraphTables(self.facts)
        self.tokens = ActionTokens(local.tokenizer, kg.walk_labels)
        self.naming = Naming(kg)


def distinct_queries(
    kg: KnowledgeGraph,
    naming: Naming,
    several: Sequence[tuple[Action, ...]],
    chances: Sequence[float],
    pointed: Mentions,
) -> list[ReadQuery]:
    """Each query once, in the order of the actions that make it, with what they are likely.

    Raises NoPathError where the actions make none.
    """
    first: dict[Query, tuple[Action, ...]] = {}
    chance_of: dict[Query, float] = {}
    for actions, chance in zip(several, chances, strict=True):
        try:
            query = query_of(actions, pointed.values)
        except QuestionError:  # a number of things that is compared with a length
            continue
        first.setdefault(query, actions)
        chance_of[query] = chance_of.get(query, 0.0) + chance
    if not first:
        raise NoPathError("no query can be made of what the question says")
    read = list[ReadQuery]()
    for query, actions in first.items():
        bound = bind(kg, naming.named(query), pointed.bound)
        read.append(ReadQuery(bound, actions, chance_of[query]))
    return read
