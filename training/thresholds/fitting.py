"""What follows the last step: what the words of questions say, and how sure an answer has to be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...agent.llm.baselines import NAMES, write_baselines
from ...agent.llm.local import LocalModel
from ...agent.llm.scope import SCOPE_FILE, read_scope, write_scope
from ...agent.query.account import ACCOUNT_FILE, LearntAccount, names_of, write_account
from ...agent.query.reader import QueryReader
from ...evaluation.samples import Sample as Question
from ..questions.questioner import Sample
from ..recipe import METHODS
from ..trainer.made import made_folder
from ..trainer.making import Job
from ..word_account.account import FLAGGED, train_account
from .answers import Answered, Exam, answer
from .baselines import baselines_of
from .calibrate import Judged, confidence_of, judge
from .people import confidence_in, tuned_threshold, without_answer
from .query_fitting import (
    query_judge,
    query_samples,
    query_threshold,
    share_above,
    unread_shares,
    written_judge,
)
from .scope import scope_of

ACCOUNT_STEPS = 8_000
"""Batches that the account of words is trained on."""


@dataclass(frozen=True)
class Fitted:
    """By format: the least confidence of an answer that is shown, and what was answered."""

    thresholds: dict[str, float]
    judged: dict[str, list[Judged]]


def fit(job: Job, local: LocalModel, hand_written: Sequence[Question]) -> Fitted:
    """Fit a trained model's scope, its thresholds and the baselines.

    Scope and baselines are written into its folder among the checkpoints. Thresholds are fitted on
    `hand_written` questions where there are any, else on those that were held out. What an earlier
    process came to is not done again. Raises DatasetError as `without_answer`.
    """
    folder, material, graph = made_folder(job.partial), job.material, job.material.graph
    silent, samples = without_answer(hand_written), material.judged()
    job.watcher.say(
        f"trained; {len(silent) + len(samples)} other questions tell how sure an answer has to be"
    )
    scope = read_scope(folder)
    if scope is None:
        scope = scope_of(material, job.watcher)
        write_scope(job.partial, scope)
        (job.partial / SCOPE_FILE).replace(folder / SCOPE_FILE)
        job.elapsed.save()
    local = replace(local, source=str(folder), scope=scope)
    queries = query_samples(material.queries, material.seed + 5) if material.queries else []
    if material.queries and not (folder / ACCOUNT_FILE).exists():
        names = names_of(job.kg)
        model, threshold = train_account(
            material.queries, names, job.watcher, steps=ACCOUNT_STEPS, seed=material.seed
        )
        whole = [own.question for own in hand_written if own.answers]
        if whole:
            account = LearntAccount(model, threshold, names)
            threshold = share_above(
                unread_shares(job.kg, QueryReader(job.kg, lambda: local), account, whole), FLAGGED
            )
        write_account(folder, model, threshold)
        job.elapsed.save()
    baselines = baselines_of(material, job.watcher)
    write_baselines(folder, baselines)
    formats = {name: METHODS[name] for name in local.settings.formats if name != "query"}
    methods = {**formats, **{name: name for name in NAMES}}
    held_out = {
        ("held out", name): _held_out(samples, judge(job.kg, local, graph, method))
        for name, method in methods.items()
        if name in formats or not silent
    }
    written = {
        ("hand-written", name): _without_answer(
            silent, confidence_in(job.kg, local, method, returns=graph.returns)
        )
        for name, method in methods.items()
        if silent
    }
    asked = [own for own in hand_written if own.answers] + silent if queries else []
    if asked:
        written["hand-written", "query"] = Exam(asked, written_judge(job.kg, local))
    elif queries:
        held_out["held out", "query"] = Exam(queries, query_judge(job.kg, local))
    answered = answer({**held_out, **written}, job.partial, job.elapsed, job.watcher)
    judged = {
        name: [
            Judged(sample, *one)
            for sample, one in zip(samples, answered["held out", name], strict=True)
        ]
        for _, name in held_out
        if name != "query"
    }
    thresholds = {
        name: tuned_threshold(
            [one.confidence for one in answered["hand-written", name]], judged.get(name, ())
        )
        if silent
        else round(confidence_of(judged[name]), 4)
        for name in methods
    }
    if queries:
        thresholds["query"] = (
            query_threshold([bool(own.answers) for own in asked], answered["hand-written", "query"])
            if asked
            else query_threshold(
                [own.actions is not None for own in queries], answered["held out", "query"]
            )
        )
        formats["query"] = "query"
    write_baselines(
        folder, replace(baselines, confidences={name: thresholds[name] for name in NAMES})
    )
    return Fitted(
        {name: thresholds[name] for name in formats}, {name: judged[name] for name in judged}
    )


def _held_out(samples: Sequence[Sample], ask: Callable[[Sample], Judged]) -> Exam:
    def answered(sample: Sample) -> Answered:
        one = ask(sample)
        return Answered(one.confidence, one.right)

    return Exam(samples, answered)


def _without_answer(questions: Sequence[Question], ask: Callable[[Question], float]) -> Exam:
    def answered(question: Question) -> Answered:
        return Answered(ask(question), right=False)

    return Exam(questions, answered)
