"""What the evidence of a reading weighs: fitted on questions that are known right or misread.

Made questions have the words of their labels, and people's own have others: so both are asked, over
graphs that nothing was learnt of, and either kind counts as much in all.
"""

from collections import defaultdict
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast

import torch

from ...agent.answers.computed import Computed
from ...agent.answers.outcomes import weighed_and_narrowed
from ...agent.answers.queries import executed
from ...agent.answers.readings import Read, ReadWith, answered, has_nothing
from ...agent.answers.sureness import Evidence
from ...agent.errors import GroundwalkError
from ...agent.kg import KnowledgeGraph, open_kg
from ...agent.kg.terms import Term
from ...agent.linking import LabelLinker
from ...agent.options import Options
from ...agent.query.automaton import query_of
from ...agent.query.binding import TermNames, bind
from ...agent.query.named_values import values_in
from ...agent.query.normal import MentionValue
from ...agent.query.question import Asked
from ...agent.query.truths import with_truth_values
from ...agent.reader.account import LabelAccount
from ...agent.reader.graph import reading_tools
from ...agent.reader.search import LabelReader
from ...agent.reader.values import LabelsWithValues
from ...agent.reader.weights import ReaderWeights
from ..fitting.exams import read_alone
from ..queries.typed import TypedQuestion
from .asked import AskedGraph, write_asked
from .made_graphs import MADE_GRAPH, relation_iri
from .sources import SourceQuestion

_RESTRAINT = 1.0
"""How much weights cost, as L2 regularisation beside the questions' loss."""
_ROUNDS = 100
_FOLLOWED = ("step", "where", "most", "least")
"""Actions that follow a relation, in questions that were asked one by one."""


@dataclass(frozen=True)
class Known:
    """What is known of the reading of a question, and whether it was right."""

    evidence: Evidence
    right: bool


@contextmanager
def opened(graph: AskedGraph) -> Generator[KnowledgeGraph]:
    """A made graph that has what is named in some questions."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / MADE_GRAPH
        write_asked(graph, file, Random(graph.name))
        with closing(open_kg(str(file))) as kg:
            yield kg


def by_relation(
    questions: Iterable[SourceQuestion],
) -> Mapping[frozenset[Term], Sequence[SourceQuestion]]:
    """The questions that follow one relation, by that, and those without a query, by none."""
    several = defaultdict[frozenset[Term], list[SourceQuestion]](list)
    for question in questions:
        relations = {action.name for action in question.actions if action.kind in _FOLLOWED}
        if len(relations) == 1 or not question.actions:
            several[frozenset(map(relation_iri, relations))].append(question)
    return several


def reading_with(
    kg: KnowledgeGraph, reader: ReaderWeights, without: frozenset[Term] = frozenset()
) -> ReadWith:
    """What a reader reads questions over a graph with, relations `without` left out."""
    tools = reading_tools(kg, lambda: reader, without)
    account = LabelAccount(tools)
    return ReadWith(
        kg,
        LabelLinker(LabelsWithValues(kg)),
        LabelReader(tools),
        lambda: account,
        least=0.0,
        is_general=True,
        likeness=account.likeness,
        weights=reader.settings.sureness,
    )


def read_as_asked(read: ReadWith, question: str) -> tuple[Asked, Read] | None:
    """What comes of a question, however unsure; None where it has no reading."""
    asked, queries = read_alone(read.kg, read.linker, read.reader, read.account(), question)
    if not queries:
        return None
    with read.reader.facts() as facts:
        queries = weighed_and_narrowed(facts, queries, asked)
    return asked, answered(read, asked, queries, Options(confidence=0.0))


def known_of_made(
    read: ReadWith, questions: Sequence[TypedQuestion], naming: TermNames
) -> Iterator[Known]:
    """What is known of made questions; right is what their query comes to."""
    for question in questions:
        if (made := read_as_asked(read, question.question)) is None:
            continue
        asked, outcome = made
        if outcome.evidence is not None and not has_nothing(outcome.computed):
            right = answer_of(outcome.computed) == right_answer(read, question, asked, naming)
            yield Known(outcome.evidence, right)


def known_of_asked(read: ReadWith, graph: AskedGraph) -> Iterator[Known]:
    """What is known of questions that were asked one by one; right is what their query comes to.

    No answer is right where the graph says nothing of a question. Nor is one to a question of which
    the query leaves words out: it answers another question. What cannot be executed tells nothing.
    """
    for question in graph.questions:
        _, outcome = read_as_asked(read, question.question) or (None, None)
        if outcome is None or outcome.evidence is None or has_nothing(outcome.computed):
            continue  # that something comes to nothing is judged by its probability
        if not question.actions or question.unread:
            yield Known(outcome.evidence, right=False)
        elif (wanted := answer_to(read, question)) is not None:
            yield Known(outcome.evidence, answer_of(outcome.computed) == wanted)


def answer_to(read: ReadWith, question: SourceQuestion) -> Hashable:
    """What the query of a question comes to over its graph; None where it cannot be executed."""
    values = {(value.start, value.end): value.value for value in values_in(question.question)}
    numbered = {
        number: values[mention.start, mention.end]
        for number, mention in enumerate(question.mentions)
        if values.get((mention.start, mention.end), MentionValue()) != MentionValue()
    }
    actions = [
        action._replace(name=relation_iri(action.name))
        if action.name and action.kind != "class"
        else action
        for action in question.actions
    ]
    unlinked = [None] * len(question.mentions)
    try:
        query = with_truth_values(read.kg, query_of(actions, numbered), actions, unlinked)
        with read.reader.facts() as facts:
            bound = bind(read.kg, query, [mention.text for mention in question.mentions])
            return answer_of(executed(read.kg, facts, bound).computed)
    except GroundwalkError:
        return None


def with_sureness(
    reader: ReaderWeights, made: Sequence[Known], asked: Sequence[Known]
) -> ReaderWeights:
    """The reader with the weights that tell right readings from others; both kinds count alike.

    Without a right and a wrong one of each kind, the reader is as it was.
    """
    if any(len({one.right for one in kind}) < 2 for kind in (made, asked)):
        return reader
    counts = [1 / len(kind) for kind in (made, asked) for _ in kind]
    scale = 2 * min(len(made), len(asked))
    known = [*made, *asked]
    weights = _fitted(
        torch.tensor([one.evidence.features for one in known]),
        torch.tensor([float(one.right) for one in known]),
        torch.tensor(counts) * scale,
    )
    settings = replace(reader.settings, sureness=tuple(round(w, 4) for w in weights.tolist()))
    return replace(reader, settings=settings)


_SIGNS = (1, 1, -1, 1)
"""Whether more of each feature may make a reading surer, or less sure."""


def _fitted(features: torch.Tensor, right: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """The weights of a logistic regression; the last feature is that of all, and costs nothing.

    A feature whose weight would have the wrong sign counts nothing: others say what it says.
    """
    counted = torch.ones(features.shape[1])
    while True:
        weights = torch.zeros(features.shape[1], requires_grad=True)
        optimiser = torch.optim.LBFGS([weights], max_iter=_ROUNDS, line_search_fn="strong_wolfe")
        loss_of = torch.nn.BCEWithLogitsLoss(counts, reduction="sum")

        def loss(
            weights: torch.Tensor = weights,
            optimiser: torch.optim.LBFGS = optimiser,
            loss_of: torch.nn.BCEWithLogitsLoss = loss_of,
        ) -> torch.Tensor:
            optimiser.zero_grad()
            cost = loss_of((features * counted) @ weights, right)
            cost = cost + _RESTRAINT * weights[:-1].square().sum() / 2
            cost.backward()
            return cost

        optimiser.step(cast(Any, loss))
        fitted = weights.detach() * counted
        wrong = fitted[:-1] * torch.tensor(_SIGNS) < 0
        if not wrong.any():
            return fitted
        counted[:-1][wrong] = 0.0


def comes_to_the_same(read: ReadWith, question: SourceQuestion, computed: Computed) -> bool:
    """Whether an answer is what a question asks for; a yes or no is so by chance."""
    is_truth = computed.result is not None and computed.result["kind"] == "truth"
    return not is_truth and answer_of(computed) == answer_to(read, question)


def answer_of(computed: Computed) -> Hashable:
    """What is answered, in a form that can be compared."""
    text = computed.result["text"] if computed.result else ""
    return text, frozenset(answer["term"] for answer in computed.answers)


def right_answer(
    read: ReadWith, question: TypedQuestion, asked: Asked, naming: TermNames
) -> Hashable:
    """What the query of a made question comes to; None where it has none."""
    if question.actions is None:
        return None
    try:
        query = naming.named(query_of(question.actions, question.values))
        with read.reader.facts() as facts:
            bound = bind(read.kg, query, asked.mentions.bound)
            return answer_of(executed(read.kg, facts, bound).computed)
    except GroundwalkError:
        return None
