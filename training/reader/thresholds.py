"""How sure a reader has to be: fitted for all graphs, over domains apart, or for one graph."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from ...agent.answers.readings import ReadWith, has_nothing
from ...agent.errors import GroundwalkError
from ...agent.kg import KnowledgeGraph
from ...agent.query.binding import TermNames
from ...agent.reader.account import LabelAccount
from ...agent.reader.graph import reading_tools
from ...agent.reader.search import LabelReader
from ...agent.reader.values import LabelsWithValues
from ...agent.reader.weights import GeneralReader, ReaderWeights
from ...evaluation.samples import Sample as Question
from ..fitting.account import FLAGGED
from ..fitting.exams import query_judge, query_samples, unread_shares, written_judge
from ..fitting.thresholds import (
    Answered,
    fit_threshold,
    lenient_threshold,
    query_threshold,
    share_above,
    silence_threshold,
)
from ..material import Material
from ..queries.typed import TypedQuestion
from ..trainer.watched import Watcher, counted
from .asked import AskedGraph
from .made_graphs import Domain, made_graph
from .sureness import (
    Known,
    answer_of,
    by_relation,
    comes_to_the_same,
    known_of_asked,
    known_of_made,
    opened,
    read_as_asked,
    reading_with,
    right_answer,
    with_sureness,
)

_ANSWERABLE, _UNANSWERABLE = 24, 12
"""Questions of each graph, where there are many graphs."""
_LACKING = 8
"""Questions of each whose relation is taken out of the graph."""
_GRAPHS = 4
"""Graphs over each domain."""
_FOR_EVIDENCE = 500
"""Added to the seed of graphs by which evidence is weighed: thresholds are fitted over others."""
_OTHERS = 1_000
"""Added to the seed, so that labels are drawn which nothing was watched by."""
_OF_ONE, _NONE_OF_ONE = 100, 50
"""Questions of the one graph that a reader is tuned to."""
_ANSWERED = 0.05
"""Of questions whose relation is taken out of a graph, how many may be answered."""
_WRITTEN = 200
"""Hand-written questions that are asked."""
_ACCOUNTED = 60
"""Questions of whose words it is seen which are left out."""


@dataclass(frozen=True)
class Exam:
    """Questions over a graph, of which some are `answerable`; a judge asks each of them.

    A query says each of those in `whole` in full.
    """

    questions: Sequence[Any]
    answerable: Sequence[bool]
    judge: Callable[[Any], Answered]
    whole: Sequence[str]


@dataclass(frozen=True)
class Tried:
    """What a reader made of an exam, and how surely it left a word out of each whole question."""

    answerable: Sequence[bool]
    answered: Sequence[Answered]
    shares: Sequence[float]


def fit_thresholds(
    reader: ReaderWeights,
    apart: Sequence[Domain],
    asked_apart: Sequence[AskedGraph],
    report: Callable[[str], None],
    seed: int = 0,
) -> ReaderWeights:
    """The reader with one threshold for all graphs, and one for words that it leaves out.

    Before that, what the evidence of a reading weighs is fitted anew, on questions of both kinds.
    `apart` are the domains over which graphs are made. Of the questions over `asked_apart` few are
    answered that their graph says nothing of; where there are none, few of the made ones whose
    relation is taken out. Raises ValueError where no domain can be asked about.
    """
    bare = replace(reader, settings=replace(reader.settings, sureness=()))
    of_made, of_asked = list[Known](), list[Known]()
    for kg, made in _over(apart, seed + _FOR_EVIDENCE, report):
        of_made += known_of_made(reading_with(kg, bare), made, TermNames(kg))
        for read, question in _lacking(kg, bare, made, _LACKING, Watcher()):
            without_it = known_of_made(read, [question], TermNames(kg))
            of_made += [one for one in without_it if not one.right]
    for graph in asked_apart:
        report(f"asking over {graph.name}, which is kept apart")
        with opened(graph) as kg:
            of_asked += known_of_asked(reading_with(kg, bare), graph)
    reader = with_sureness(reader, of_made, of_asked)
    tried, without = [Tried([], [], _shares(of_asked))], list[Answered]()
    for kg, made in _over(apart, seed, report):
        tried.append(_tried(kg, reader, _made_exam(kg, reader, made), Watcher()))
        lacking = _tried_without(kg, reader, made, _LACKING, Watcher())
        tried.append(lacking)
        without += lacking.answered
    if not any(part.answered for part in tried):
        raise ValueError("no domain that is kept apart can be asked about")
    if asked_apart:
        without = [
            answer for graph in asked_apart for answer in asked_in_vain(graph, reader, report)
        ]
    return _silent(_fitted(reader, tried, lenient_threshold), without)


def _shares(known: Sequence[Known]) -> list[float]:
    """How surely a word is left out of each question that was read whole."""
    return [one.evidence.unread for one in known if one.right]


def asked_in_vain(
    graph: AskedGraph, reader: ReaderWeights, report: Callable[[str], None]
) -> Iterator[Answered]:
    """What is answered to questions of which a graph says nothing: as it is, or without a relation.

    Each that follows one relation is asked of the graph without it. Where another relation comes to
    the same things, such a question tells nothing.
    """
    report(f"asking over {graph.name} what it does not say")
    with opened(graph) as kg:
        for without, questions in by_relation(graph.questions).items():
            read = reading_with(kg, reader, without)
            for question in questions:
                _, outcome = read_as_asked(read, question.question) or (None, None)
                if outcome is None or has_nothing(outcome.computed):
                    yield Answered(0.0, right=False)
                elif not (without and comes_to_the_same(read, question, outcome.computed)):
                    yield Answered(outcome.computed.confidence, right=False)


def _over(
    apart: Sequence[Domain], seed: int, report: Callable[[str], None]
) -> Iterator[tuple[KnowledgeGraph, list[TypedQuestion]]]:
    """Graphs over domains, each with questions over it, some without an answer."""
    for number, domain in enumerate(d for d in apart for _ in range(_GRAPHS)):
        report(f"asking over {domain.name}, which is kept apart")
        with TemporaryDirectory() as folder:
            try:
                kg, _, material = made_graph(domain, Path(folder), seed + _OTHERS + number)
            except GroundwalkError:
                continue
            with closing(kg):
                yield kg, _made(material, seed + number, _ANSWERABLE, _UNANSWERABLE)


def _silent(
    reader: ReaderWeights, without: Sequence[Answered], for_all: float | None = None
) -> ReaderWeights:
    """The reader, so strict that few questions are answered whose relation is taken out.

    `for_all` is a threshold that was fitted over many graphs. It rests on more questions than those
    `without` their relation. So these raise it only where clearly too many of them are answered at
    it: more than two standard errors above the share that may be. Then it is raised until no more
    than that are answered.
    """
    if len(without) * _ANSWERED < 1:  # too few to tell
        return reader
    scores = [answer.confidence for answer in without]
    least = silence_threshold(scores, share=_ANSWERED)
    if for_all is not None and least > for_all:
        error = (_ANSWERED * (1 - _ANSWERED) / len(without)) ** 0.5
        least = max(for_all, silence_threshold(scores, share=_ANSWERED + 2 * error))
    settings = reader.settings
    return replace(reader, settings=replace(settings, threshold=max(settings.threshold, least)))


def _tried_without(
    kg: KnowledgeGraph,
    reader: ReaderWeights,
    asked: Sequence[TypedQuestion],
    most: int,
    watcher: Watcher,
) -> Tried:
    """What a reader makes of questions over a graph that lacks what they ask for.

    What is then answered is wrong, unless another relation comes to the same: such a question tells
    nothing.
    """
    naming = TermNames(kg)
    sure = (
        sure_of(read, question, naming)
        for read, question in _lacking(kg, reader, asked, most, watcher)
    )
    tried = [Answered(confidence, right=False) for confidence in sure if confidence is not None]
    return Tried([False] * len(tried), tried, [])


def _lacking(
    kg: KnowledgeGraph,
    reader: ReaderWeights,
    asked: Sequence[TypedQuestion],
    most: int,
    watcher: Watcher,
) -> Iterator[tuple[ReadWith, TypedQuestion]]:
    """Questions with what reads them over a graph that lacks what they ask for.

    The first of `asked` are taken that follow one relation, which is left out of what may be read;
    names stay those of the whole graph.
    """
    taken = [(relation, one) for one in asked if (relation := _only_relation(one))][:most]
    taken.sort(key=itemgetter(0))
    part = "asking what is taken out of the graph"
    questions = counted(taken, len(taken), part, watcher)
    for relation, group in groupby(questions, itemgetter(0)):
        read = reading_with(kg, reader, frozenset((relation,)))
        for _, question in group:
            yield read, question


def _only_relation(asked: TypedQuestion) -> str:
    """The relation that a question follows; empty where it follows several, or none."""
    relations = {action.name for action in asked.actions or () if action.kind == "step"}
    return relations.pop() if len(relations) == 1 else ""


def sure_of(read: ReadWith, question: TypedQuestion, naming: TermNames) -> float | None:
    """How sure the agent is of what it answers; 0 where it answers nothing, None where it is right.

    Right is what the query of the question comes to.
    """
    made = read_as_asked(read, question.question)
    if made is None:
        return 0.0
    asked, outcome = made
    answer = outcome.computed
    if not (answer.answers or answer.result):
        return 0.0
    is_right = answer_of(answer) == right_answer(read, question, asked, naming)
    return None if is_right else answer.confidence


def fit_to_graph(
    reader: ReaderWeights,
    kg: KnowledgeGraph,
    material: Material,
    asked: Sequence[TypedQuestion],
    written: Sequence[Question],
    watcher: Watcher,
    for_all: float | None = None,
) -> ReaderWeights:
    """The reader with the thresholds of one graph; its settings name the digest of that.

    They are fitted on questions that are made, and on those that were `asked`. Some are asked again
    with their relation left out: few of these may be answered. Where there are any hand-written
    questions, they are fitted on these alone. `for_all` is the threshold that was fitted over many
    graphs, where the reader comes with one. Nothing but hand-written questions lowers it: made ones
    have the words of labels, and not those of people.
    """
    reader = replace(reader, settings=replace(reader.settings, kg=kg.digest))
    if written:
        rng = Random(f"written {material.seed}")
        exam = _written_exam(kg, reader, rng.sample(written, min(len(written), _WRITTEN)))
        return _fitted(reader, [_tried(kg, reader, exam, watcher)])
    made = [*asked[:_OF_ONE], *_made(material, material.seed + _OTHERS, _OF_ONE, _NONE_OF_ONE)]
    exam = _made_exam(kg, reader, made)
    without = _tried_without(kg, reader, made, _NONE_OF_ONE, watcher)
    fitted = _fitted(reader, [_tried(kg, reader, exam, watcher), without], lenient_threshold)
    if for_all is not None:
        threshold = max(fitted.settings.threshold, for_all)
        fitted = replace(fitted, settings=replace(fitted.settings, threshold=threshold))
    return _silent(fitted, without.answered, for_all)


def _made(material: Material, seed: int, answerable: int, unanswerable: int) -> list[TypedQuestion]:
    drawn = query_samples(material.queries, seed) if material.queries else []
    whole = [question for question in drawn if question.actions is not None]
    return [
        *whole[:answerable],
        *[question for question in drawn if question.actions is None][:unanswerable],
    ]


def _made_exam(kg: KnowledgeGraph, reader: ReaderWeights, asked: Sequence[TypedQuestion]) -> Exam:
    whole = [question.question for question in asked if question.actions is not None]
    answerable = [question.actions is not None for question in asked]
    judge = query_judge(kg, reader=_as_given(reader))
    return Exam(asked, answerable, judge, whole[:_ACCOUNTED])


def _written_exam(kg: KnowledgeGraph, reader: ReaderWeights, written: Sequence[Question]) -> Exam:
    whole = [question.question for question in written if question.answers]
    answerable = [bool(question.answers) for question in written]
    judge = written_judge(kg, reader=_as_given(reader))
    return Exam(written, answerable, judge, whole[:_ACCOUNTED])


def _tried(kg: KnowledgeGraph, reader: ReaderWeights, exam: Exam, watcher: Watcher) -> Tried:
    judged = [
        exam.judge(question)
        for question in counted(exam.questions, len(exam.questions), "answering questions", watcher)
    ]
    tools = reading_tools(kg, lambda: reader)
    read, account, labels = LabelReader(tools), LabelAccount(tools), LabelsWithValues(kg)
    shares = [
        share
        for text in counted(exam.whole, len(exam.whole), "accounting for their words", watcher)
        for share in unread_shares(kg, read, account, [text], labels)
    ]
    return Tried(exam.answerable, judged, shares)


def _fitted(
    reader: ReaderWeights,
    tried: Sequence[Tried],
    fit: Callable[[Sequence[float], Sequence[bool]], float] = fit_threshold,
) -> ReaderWeights:
    """The reader with the thresholds that fit; one that nothing tells of stays as it is."""
    answerable = [is_answerable for trial in tried for is_answerable in trial.answerable]
    judged = [answer for trial in tried for answer in trial.answered]
    shares = [share for trial in tried for share in trial.shares]
    settings = reader.settings
    if len({answer.right for answer in judged}) > 1:
        settings = replace(settings, threshold=query_threshold(answerable, judged, fit))
    if shares:
        settings = replace(settings, unread=share_above(shares, FLAGGED))
    return replace(reader, settings=settings)


def _as_given(reader: ReaderWeights) -> GeneralReader:
    return GeneralReader(reader.settings, lambda: reader)
