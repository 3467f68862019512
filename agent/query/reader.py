"""A local model that reads questions as queries: it writes the likeliest that the schema allows."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ..caching import Pool
from ..decoding.plan import BeamPlan, Cost, Question
from ..decoding.search import search
from ..errors import NoPathError, QuestionError
from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..llm.local import LocalModel
from .actions import Action
from .automaton import query_of
from .binding import Bound, TermNames, bind
from .constraint import ActionTokens, Queries
from .facts import Facts
from .normal import normal
from .prompt import asked_tokens
from .question import Asked, Mentions
from .schema import GraphSchema
from .schema_tables import GraphTables
from .tree import EarlierSet, Query
from .truths import with_truth_values
from .whole_dates import with_whole_dates
from .word_reader import WordReader


@dataclass(frozen=True)
class ReadQuery:
    """A query that a question may be: the likeliest actions that make it, its names looked up.

    `probability` is that of all actions found that come to the same query; where the query was
    weighed, that of being right. `unread` is how surely
    it leaves out the word of the question that it leaves out most surely; 0 before that is asked.
    `sure` is how sure the same query was before of another thing; 0 for one that was not asked.
    """

    bound: Bound
    actions: tuple[Action, ...]
    probability: float
    unread: float = 0.0
    sure: float = 0.0


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
            result = search(local.model, Question(tokens, words, shared), plan)
            actions = [words.actions(hypothesis.state) for hypothesis in result.hypotheses]
            chances = [hypothesis.relevance for hypothesis in result.hypotheses]
            queries = distinct_queries(
                tools.facts.kg, tools.naming, actions, chances, pointed, asked.before.terms()
            )
        return ReadQueries(queries, result.cost)

    @contextmanager
    def facts(self) -> Generator[Facts]:
        """The facts of the graph, for executing what was read."""
        with self._tools.lent() as tools:
            yield tools.facts


def explained(asked: Asked, queries: Sequence[ReadQuery], account: WordReader) -> list[ReadQuery]:
    """The queries, weighed anew by what the account knows of the whole of each."""
    readings = [query.actions for query in queries]
    weighed = account.weighed(asked, readings, [query.probability for query in queries])
    explained_queries = [
        replace(query, probability=probability, unread=unread)
        for query, (probability, unread) in zip(queries, weighed, strict=True)
    ]
    return sorted(explained_queries, key=lambda query: -round(query.probability, 9))


class _Tools:
    """What reading a question needs of the graph and the model, kept for the next one."""

    def __init__(self, kg: KnowledgeGraph, local: LocalModel) -> None:
        self.facts = Facts(kg)
        self.tables = GraphTables(self.facts)
        self.tokens = ActionTokens(local.tokenizer, kg.walk_labels)
        self.naming = TermNames(kg)


def distinct_queries(
    kg: KnowledgeGraph,
    naming: TermNames,
    sequences: Sequence[tuple[Action, ...]],
    chances: Sequence[float],
    pointed: Mentions,
    earlier: Mapping[EarlierSet, Sequence[Term]] | None = None,
) -> list[ReadQuery]:
    """Each query once, in the order of the legal sequences, with the sum of their probabilities.

    `earlier` has the last answers and topics of the conversation.
    Raises NoPathError where no sequence makes a query, and ServiceError.
    """
    mention_terms = [mention.term for mention in pointed.bound]
    first: dict[Query, tuple[Action, ...]] = {}
    chance_of: dict[Query, float] = {}
    for actions, chance in zip(sequences, chances, strict=True):
        try:
            query = query_of(actions, pointed.values, are_legal=True)
        except QuestionError:  # a number of things that is compared with a length
            continue
        query = with_whole_dates(with_truth_values(kg, query, actions, mention_terms), pointed)
        query = normal(query)
        first.setdefault(query, actions)
        chance_of[query] = chance_of.get(query, 0.0) + chance
    if not first:
        raise NoPathError("no query can be made of what the question says")
    read = list[ReadQuery]()
    for query, actions in first.items():
        bound = replace(bind(kg, naming.named(query), pointed.bound), earlier=earlier or {})
        read.append(ReadQuery(bound, actions, chance_of[query]))
    return read
