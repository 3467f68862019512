"""The exams of a trained model: which questions, who answers them, and how far that has come.

The agent answers them with all its nodes, however unsure it is. What it answered is kept among the
checkpoints, so that a stopped run goes on.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from ...agent.answers.topics import linked
from ...agent.errors import DatasetError, NoPathError, QuestionError
from ...agent.kg import KnowledgeGraph
from ...agent.kg.store import Labels
from ...agent.linking import LabelLinker, Linker
from ...agent.llm.local import LocalModel
from ...agent.llm.model_folder import BUNDLED
from ...agent.nodes.read import plan_of
from ...agent.options import Options
from ...agent.query.automaton import query_of
from ...agent.query.binding import TermNames
from ...agent.query.normal import normal
from ...agent.query.question import Asked as ReadingOf
from ...agent.query.question import mentions_of
from ...agent.query.reader import Reader, ReadQuery, explained
from ...agent.query.tree import read_query
from ...agent.query.word_reader import WordReader
from ...agent.reader.weights import GeneralReader
from ...evaluation.samples import Sample as Question
from ...evaluation.scoring.metrics import GoldAnswers, Predicted
from ...graphs.build import build_graph
from ..queries.questions import QueryQuestioner
from ..queries.typed import TypedQuestion, typed_question
from ..questions.graph import Graph, execute
from ..questions.questioner import Questioner, Sample
from ..trainer.checkpoint import EVERY, Elapsed, read_json, write_json
from ..trainer.watched import Watcher, counted
from .thresholds import Answered

_FILE = "answers.json"
_Name = TypeVar("_Name")


class Exam(NamedTuple):
    """Questions, and what asks one of them."""

    questions: Sequence[Any]
    ask: Callable[[Any], Answered]


def answer(
    exams: Mapping[_Name, Exam], partial: Path, elapsed: Elapsed, watcher: Watcher
) -> dict[_Name, list[Answered]]:
    """Let the questions of all exams be answered; in `partial` are those that were before.

    They take turns, so that the time left can be told. What `partial` holds must be of the same
    model and the same exams; what cannot be read is asked again.
    """
    turns = sorted(
        ((index + 0.5) / len(exam.questions), number, index)
        for number, exam in enumerate(exams.values())
        for index in range(len(exam.questions))
    )
    asked = list(exams.values())
    answered = _read(partial / _FILE, len(turns))
    saved = time.monotonic()

    def save() -> None:
        elapsed.save()
        write_json(partial / _FILE, {"of": len(turns), "answers": answered})

    ahead = turns[len(answered) :]
    try:
        for _, number, index in counted(
            ahead, len(turns), "answering questions", watcher, before=len(answered)
        ):
            answered.append(asked[number].ask(asked[number].questions[index]))
            if time.monotonic() - saved >= EVERY:
                save()
                saved = time.monotonic()
    finally:
        save()
    by_exam: dict[_Name, list[Answered]] = {name: [] for name in exams}
    names = list(exams)
    for (_, number, _), one in zip(turns, answered, strict=True):
        by_exam[names[number]].append(one)
    return by_exam


def forget_answers(partial: Path) -> None:
    """Remove the answers of another model."""
    (partial / _FILE).unlink(missing_ok=True)


def _read(file: Path, count: int) -> list[Answered]:
    kept = read_json(file)
    if kept.get("of") != count:
        return []
    try:
        return [Answered(float(confidence), bool(right)) for confidence, right in kept["answers"]]
    except (KeyError, TypeError, ValueError):
        return []


_FRESH = "calibration"
"""The tag of questions that were not read for the wordings that train the model."""


def without_answer(questions: Sequence[Question]) -> list[Question]:
    """Those that have none; where some of them are tagged `calibration`, they alone.

    Raises DatasetError when every question has one.
    """
    asked = [sample for sample in questions if not sample.answers]
    if questions and not asked:
        raise DatasetError(
            "the tuning questions all have answers, so nothing tells when to be silent",
            "add questions that the graph cannot answer, with an empty list of answers",
        )
    return [sample for sample in asked if _FRESH in sample.tags] or asked


def confidence_in(
    kg: KnowledgeGraph, local: LocalModel, method: str, *, returns: bool = False
) -> Callable[[Question], float]:
    """What asks the agent a question by a method: how sure it is of what it finds, 0 if nothing.

    With `returns` a walk may come back to its topic. The question is not read as a query first.
    """
    agent = build_graph(method, kg=kg, generator=local)
    revisits = "walk" if returns else "no-topic"
    options = Options(on_ambiguous="best", confidence=0.0, queries=False, revisits=revisits)

    def confidence(sample: Question) -> float:
        state: Any = agent.invoke({"question": sample.question}, context=options)
        return state["confidence"] if state["answers"] or state["result"] else 0.0

    return confidence


def judge(
    kg: KnowledgeGraph, local: LocalModel, graph: Graph, method: str
) -> Callable[[Sample], Answered]:
    """What lets the whole agent answer a sample by a method, however unsure it is.

    It is right where it finds what the sample's relation path reaches, and nothing else. The
    question is not read as a query first.
    """
    agent = build_graph(method, kg=kg, generator=local)
    options = Options(
        on_ambiguous="best",
        confidence=0.0,
        queries=False,
        max_answers=1_000_000,
        max_chains=1,
        revisits="walk" if graph.returns else "no-topic",
    )

    def answered(sample: Sample) -> Answered:
        state: Any = agent.invoke({"question": sample.question}, context=options)
        answers = {answer["term"] for answer in state["answers"]}
        wanted = execute(graph, sample.walk[0], sample.moves) if sample.moves else ()
        right = bool(answers) and answers == {graph.terms[node] for node in wanted}
        return Answered(state["confidence"] if answers else 0.0, right)

    return answered


def calibration_samples(questioner: Questioner, count: int, seed: int) -> list[Sample]:
    """Questions of the generator, and a tenth more whose topics lack what they ask.

    There is no noise on those without an answer: a lost word may be the one that the graph lacks.
    """
    clear = questioner.undisturbed()
    answered = [sample for sample in islice(questioner.stream(seed), count) if sample.moves]
    refused = [sample for sample in islice(clear.stream(seed), count) if not sample.moves]
    rng = Random(f"absent {seed}")
    absent = (clear.absent(rng) for _ in range(count))
    return answered + refused + list(islice((sample for sample in absent if sample), count // 10))


_ANSWERABLE, _UNANSWERABLE = 240, 120


def query_samples(questioner: QueryQuestioner, seed: int) -> list[TypedQuestion]:
    """Made questions that stand alone and that a query says whole, and some without an answer."""
    made = replace(questioner, lessons=())
    typed = filter(None, map(typed_question, made.stream(seed)))
    alone = (question for question in typed if question.earlier is None)
    whole = (
        question for question in alone if not any(span.use == "unread" for span in question.spans)
    )
    drawn = list(islice(whole, 4 * (_ANSWERABLE + _UNANSWERABLE)))
    return [
        *islice((question for question in drawn if question.actions is not None), _ANSWERABLE),
        *islice((question for question in drawn if question.actions is None), _UNANSWERABLE),
    ]


def query_judge(
    kg: KnowledgeGraph,
    local: LocalModel | str = BUNDLED,
    reader: GeneralReader | None = None,
) -> Callable[[TypedQuestion], Answered]:
    """What lets the agent read a question, however unsure it is; right is the same query.

    A local model reads it, or a `reader` where there is one.
    """
    agent = build_graph("query", kg=kg, generator=local, reader=reader).with_state()
    naming = TermNames(kg)
    options = Options(on_ambiguous="best", confidence=0.0)

    def answered(asked: TypedQuestion) -> Answered:
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


class ReadAlone(NamedTuple):
    """A question that stands alone, and the queries that it is read as, the likeliest first."""

    asked: ReadingOf
    queries: Sequence[ReadQuery]


def read_alone(
    kg: KnowledgeGraph, linker: Linker, reader: Reader, account: WordReader, question: str
) -> ReadAlone:
    """Read a question as the agent does."""
    asked, queries = read_as_found(kg, linker, reader, question)
    return ReadAlone(asked, explained(asked, queries, account))


def read_as_found(kg: KnowledgeGraph, linker: Linker, reader: Reader, question: str) -> ReadAlone:
    """Read a question as the agent does, before it weighs whole readings."""
    asked = ReadingOf(question, mentions_of(question, linked(linker, kg, question).mentions))
    try:
        return ReadAlone(asked, reader.read(asked, plan_of(Options())).queries)
    except NoPathError:
        return ReadAlone(asked, ())


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
            shares += account.most_unread(question, numbered, [actions])
    return shares


def _is_right(asked: TypedQuestion, state: Any, naming: TermNames) -> bool:
    if asked.actions is None or not state["readings"]:
        return False
    try:
        wanted = naming.named(query_of(asked.actions, asked.values))
    except QuestionError:
        return False
    return normal(read_query(state["readings"][0]["query"]["query"])) == normal(wanted)
