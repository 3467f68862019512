"""How sure a model has to be of a query, on questions that it was not trained on."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from ...agent.answers.topics import linked
from ...agent.errors import NoPathError, QuestionError
from ...agent.kg import KnowledgeGraph
from ...agent.kg.store import Labels
from ...agent.linking import LabelLinker, Linker
from ...agent.llm.local import LocalModel
from ...agent.llm.model_folder import BUNDLED
from ...agent.nodes.read import plan_of
from ...agent.options import Options
from ...agent.query.account import WordReader
from ...agent.query.asked import Asked as ReadingOf
from ...agent.query.asked import mentions_of
from ...agent.query.automaton import query_of
from ...agent.query.binding import Naming
from ...agent.query.normal import normal
from ...agent.query.reader import Reader, ReadQuery, explained
from ...agent.query.tree import read_query
from ...agent.reader.weights import GeneralReader
from ...evaluation.samples import Sample as Question
from ...evaluation.scoring.metrics import GoldAnswers, Predicted
from ..encoding.queries import Asked, asked_of
from ..queries.questions import QueryQuestioner
from .answers import Answered
from .calibrate import FALSE_COST, fit_threshold

_ANSWERABLE, _UNANSWERABLE = 240, 120


def query_samples(questioner: QueryQuestioner, seed: int) -> list[Asked]:
    """Made questions that stand alone and that a query says whole, and some without an answer."""
    made = replace(questioner, lessons=())
    found = filter(None, map(asked_of, made.stream(seed)))
    alone = (own for own in found if own.earlier is None)
    whole = (own for own in alone if not any(span.use == "unread" for span in own.spans))
    drawn = list(islice(whole, 4 * (_ANSWERABLE + _UNANSWERABLE)))
    return [
        *islice((own for own in drawn if own.actions is not None), _ANSWERABLE),
        *islice((own for own in drawn if own.actions is None), _UNANSWERABLE),
    ]


def query_judge(
    kg: KnowledgeGraph,
    local: LocalModel | str = BUNDLED,
    reader: GeneralReader | None = None,
) -> Callable[[Asked], Answered]:
    """What lets the agent read a question, however unsure it is; right is the same query.

    A local model reads it, or a `reader` where there is one.
    """
    from ...graphs.build import build_graph

    agent = build_graph("query", kg=kg, generator=local, reader=reader)
    naming = Naming(kg)
    options = Options(on_ambiguous="best", confidence=0.0)

    def answered(asked: Asked) -> Answered:
        state: Any = agent.invoke({"question": asked.question}, context=options)
        said = bool(state["answers"] or state["result"])
        return Answered(
            state["confidence"] if said else 0.0, said and _is_right(asked, state, naming)
        )

    return answered


def written_judge(
    kg: KnowledgeGraph,
    local: LocalModel | str = BUNDLED,
    reader: GeneralReader | None = None,
) -> Callable[[Question], Answered]:
    """What lets the agent read a hand-written question; right are the same answers.

    What is told to be read in part is no answer. A local model reads it, or a `reader` where there
    is one.
    """
    from ...graphs.build import build_graph

    agent = build_graph("query", kg=kg, generator=local, reader=reader)
    options = Options(on_ambiguous="best", confidence=0.0, max_answers=1_000_000, max_chains=1)

    def answered(asked: Question) -> Answered:
        state: Any = agent.invoke({"question": asked.question}, context=options)
        if state["status"] != "answered":
            return Answered(0.0, right=False)
        wanted = GoldAnswers(asked.answers)
        matches = [wanted.matched(Predicted(a["term"], (a["label"],))) for a in state["answers"]]
        whole = len(frozenset[int]().union(*matches)) == wanted.size > 0
        return Answered(state["confidence"], whole and all(matches))

    return answered


def query_threshold(
    answerable: Sequence[bool],
    answered: Sequence[Answered],
    fit: Callable[[Sequence[float], Sequence[bool]], float] = fit_threshold,
) -> float:
    """The threshold that fits questions, of which some are `answerable`: that of least cost.

    An answer where there is none costs `FALSE_COST` times.
    """
    counted = [
        own
        for is_answerable, own in zip(answerable, answered, strict=True)
        for _ in range(1 if is_answerable else FALSE_COST)
    ]
    return fit([own.confidence for own in counted], [own.right for own in counted])


class ReadAlone(NamedTuple):
    """A question that stands alone, and the queries that it is read as, the likeliest first."""

    asked: ReadingOf
    queries: Sequence[ReadQuery]


def read_alone(
    kg: KnowledgeGraph, linker: Linker, reader: Reader, account: WordReader, question: str
) -> ReadAlone:
    """Read a question as the agent does."""
    asked = ReadingOf(question, mentions_of(question, linked(linker, kg, question).mentions))
    try:
        queries = reader.read(asked, plan_of(Options())).queries
    except NoPathError:
        return ReadAlone(asked, ())
    return ReadAlone(asked, explained(asked, queries, account))


def unread_shares(
    kg: KnowledgeGraph,
    reader: Reader,
    account: WordReader,
    questions: Sequence[str],
    labels: Labels | None = None,
) -> list[float]:
    """Of each question, how surely the account takes some word for unread at the most.

    The query is the one that the agent takes.
    """
    linker = LabelLinker(labels or kg.labels)
    shares = list[float]()
    for question in questions:
        asked, queries = read_alone(kg, linker, reader, account, question)
        if queries:
            numbered, actions = asked.mentions.numbered, queries[0].actions
            shares.append(account.most_unread(question, numbered, actions))
    return shares


def share_above(shares: Sequence[float], part: float) -> float:
    """The threshold that a part of some shares are above; no surer and no less sure than sense."""
    ranked = sorted(shares, reverse=True)
    return min(0.95, max(0.05, ranked[int(part * len(ranked))])) if ranked else 0.5


def _is_right(asked: Asked, state: Any, naming: Naming) -> bool:
    if asked.actions is None or not state["readings"]:
        return False
    try:
        wanted = naming.named(query_of(asked.actions, asked.values))
    except QuestionError:
        return False
    return normal(read_query(state["readings"][0]["query"]["query"])) == normal(wanted)
