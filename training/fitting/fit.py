"""What follows the last step: what the words of questions say, and how sure an answer has to be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ...agent.llm.bag_of_words import (
    NAMES,
    SCOPE_FILE,
    Scope,
    read_scope,
    write_baselines,
    write_scope,
)
from ...agent.llm.local import LocalModel
from ...agent.query.account import ACCOUNT_FILE, LearntAccount, names_of, write_account
from ...agent.query.reader import QueryReader
from ...evaluation.samples import Sample as Question
from ..queries.questions import QueryQuestioner
from ..questions.questioner import Sample
from ..recipe import METHODS
from ..trainer.job import Job, trained_folder
from .account import FLAGGED, KNOWN_SEED, known_words, train_account
from .exams import (
    Exam,
    answer,
    confidence_in,
    judge,
    query_judge,
    query_samples,
    unread_shares,
    without_answer,
    written_judge,
)
from .thresholds import (
    Answered,
    Judged,
    confidence_of,
    query_threshold,
    share_above,
    tuned_threshold,
)
from .words import baselines_of, scope_of

ACCOUNT_STEPS = 8_000
"""Batches that the account of words is trained on."""
_LIKELIER_THAN_NOT = 0.5
"""The share from which a word is unread at the latest."""
_HELD_OUT, _HAND_WRITTEN = "held out", "hand-written"

_Key: TypeAlias = tuple[str, str]
"""Whose questions an exam has, and the format or the baseline that answers them."""


@dataclass(frozen=True)
class Fitted:
    """By format: the least confidence of an answer that is shown, and what was answered."""

    thresholds: dict[str, float]
    judged: dict[str, list[Judged]]


def fit(job: Job, local: LocalModel, hand_written: Sequence[Question]) -> Fitted:
    """Fit a trained model's scope, its account of words, its baselines and its thresholds.

    All but the thresholds are written into its folder among the checkpoints. Thresholds are fitted
    on `hand_written` questions where there are any, else on those that were held out. What an
    earlier process came to is not done again. Raises DatasetError as `without_answer`.
    """
    folder, material = trained_folder(job.partial), job.material
    unanswerable, samples = without_answer(hand_written), material.judged()
    count = len(unanswerable) + len(samples)
    job.watcher.say(f"trained; {count} other questions tell how sure an answer has to be")
    local = replace(local, source=str(folder), scope=_fitted_scope(job, folder))
    if material.queries and not (folder / ACCOUNT_FILE).exists():
        _fit_account(job, folder, local, material.queries, hand_written)
    baselines = baselines_of(material, job.watcher)
    write_baselines(folder, baselines)
    formats = {name: METHODS[name] for name in local.settings.formats if name != "query"}
    methods = {**formats, **{name: name for name in NAMES}}
    exams = _walk_exams(job, local, methods, samples, unanswerable)
    query = _query_exam(job, local, hand_written, unanswerable)
    if query:
        exams[query.key] = query.exam
    answered = answer(exams, job.partial, job.elapsed, job.watcher)
    judged = {
        name: [
            Judged(sample, *one) for sample, one in zip(samples, answered[whose, name], strict=True)
        ]
        for whose, name in exams
        if whose == _HELD_OUT and name != "query"
    }
    thresholds = {
        name: _walk_threshold(judged.get(name, ()), answered.get((_HAND_WRITTEN, name)))
        for name in methods
    }
    confidences = {name: thresholds[name] for name in NAMES}
    write_baselines(folder, replace(baselines, confidences=confidences))
    shown = {name: thresholds[name] for name in formats}
    if query:
        shown["query"] = query_threshold(query.answerable, answered[query.key])
    return Fitted(shown, judged)


def _fitted_scope(job: Job, folder: Path) -> Scope:
    """The scope of the words, of an earlier process where it has one."""
    scope = read_scope(folder)
    if scope is None:
        scope = scope_of(job.material, job.watcher)
        write_scope(job.partial, scope)
        (job.partial / SCOPE_FILE).replace(folder / SCOPE_FILE)
        job.elapsed.save()
    return scope


def _fit_account(
    job: Job,
    folder: Path,
    local: LocalModel,
    questioner: QueryQuestioner,
    hand_written: Sequence[Question],
) -> None:
    """Train the account of words; hand-written questions with answers tell its threshold."""
    kg, names = job.kg, names_of(job.kg)
    model, threshold = train_account(
        questioner, names, job.watcher, steps=ACCOUNT_STEPS, seed=job.material.seed
    )
    whole = [question.question for question in hand_written if question.answers]
    if whole:
        account = LearntAccount(model.arrays(), threshold, names)
        shares = unread_shares(kg, QueryReader(kg, lambda: local), account, whole)
        threshold = share_above(shares, FLAGGED)
    threshold = min(threshold, _LIKELIER_THAN_NOT)
    known = known_words(questioner, job.material.seed + KNOWN_SEED)
    write_account(folder, model.arrays(), threshold, known)
    job.elapsed.save()


def _walk_exams(
    job: Job,
    local: LocalModel,
    methods: Mapping[str, str],
    samples: Sequence[Sample],
    unanswerable: Sequence[Question],
) -> dict[_Key, Exam]:
    """The exams of the formats of walks and of the baselines, by name with their methods.

    Baselines are not asked what was held out where there are hand-written questions.
    """
    graph = job.material.graph
    exams: dict[_Key, Exam] = {
        (_HELD_OUT, name): Exam(samples, judge(job.kg, local, graph, method))
        for name, method in methods.items()
        if not unanswerable or name not in NAMES
    }
    if unanswerable:
        exams |= {
            (_HAND_WRITTEN, name): _without_answer(
                unanswerable, confidence_in(job.kg, local, method, returns=graph.returns)
            )
            for name, method in methods.items()
        }
    return exams


class _QueryExam(NamedTuple):
    """The exam of queries, and which of its questions have an answer."""

    key: _Key
    exam: Exam
    answerable: Sequence[bool]


def _query_exam(
    job: Job,
    local: LocalModel,
    hand_written: Sequence[Question],
    unanswerable: Sequence[Question],
) -> _QueryExam | None:
    """The exam of queries: hand-written questions, or made ones; None where none are learnt."""
    made = job.material.queries and query_samples(job.material.queries, job.material.seed + 5)
    if not made:
        return None
    written = [question for question in hand_written if question.answers] + [*unanswerable]
    if written:
        key, exam = (_HAND_WRITTEN, "query"), Exam(written, written_judge(job.kg, local))
        return _QueryExam(key, exam, [bool(question.answers) for question in written])
    key, exam = (_HELD_OUT, "query"), Exam(made, query_judge(job.kg, local))
    return _QueryExam(key, exam, [question.actions is not None for question in made])


def _walk_threshold(judged: Sequence[Judged], unanswerable: Sequence[Answered] | None) -> float:
    """The threshold at which hand-written questions get no answer, or of the least cost."""
    if unanswerable is None:
        return round(confidence_of(judged), 4)
    return tuned_threshold([one.confidence for one in unanswerable], judged)


def _without_answer(questions: Sequence[Question], ask: Callable[[Question], float]) -> Exam:
    def answered(question: Question) -> Answered:
        return Answered(ask(question), right=False)

    return Exam(questions, answered)
