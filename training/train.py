"""Training a path model for a graph: a new one, or one that exists, with the same data."""

import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree
from typing import Any

from ..agent.errors import InputError
from ..agent.kg import KnowledgeGraph
from ..agent.llm.chat import chat_model, describe_llm
from ..agent.llm.local import few_threads, need_torch
from ..agent.llm.model_folder import write_settings
from .asked.paraphrase import Chat
from .asked.question_files import tuning_questions
from .card import TrainReport, check_out, replaced, score, write_card
from .fitting.exams import without_answer
from .fitting.fit import fit
from .material import gather, open_graph
from .recipe import Recipe, Schedule
from .trainer.checkpoint import Elapsed, needed, open_partial
from .trainer.job import Job, TrainedModel, keep_trained, read_trained, trained_folder
from .trainer.watched import OFTEN, PATIENCE, Watcher


def train(
    kg_source: str, out: Path, recipe: Recipe | None = None, watcher: Watcher | None = None
) -> TrainReport:
    """Train a model and write its folder, which appears only when it is complete.

    A run that was stopped goes on from its last checkpoint when it is called again with the same
    recipe. The confidence threshold is fitted on the questions in `recipe.tuning`, which are not
    trained on; the bundled graph has some, and without any, questions like those of the training
    serve. Raises KGError, DatasetError, ModelError or InputError when the input is wrong. Under
    `accelerate launch` only the first process returns.
    """
    started = time.monotonic()
    recipe = recipe or Recipe()
    need_torch("training a model", "train")
    check_out(out)
    hand_written = tuning_questions(kg_source, recipe)
    without_answer(hand_written)  # which raises now what would be raised after the last step
    first, turn = _processes(recipe)
    watcher = watcher if watcher and first else Watcher()
    with turn():
        kg = open_graph(kg_source, recipe, watcher)
        material = gather(kg, kg_source, recipe, _chat(recipe, out) if first else None)
        schedule = recipe.schedule_for(supervised=material.supervision is not None)
        partial = open_partial(out, _record(kg, recipe, schedule, material.hops), watcher)
    with needed(partial):
        elapsed = Elapsed(partial, started)
        job = Job(kg, material, recipe, schedule, partial, elapsed, watcher)
        made = _make(job)
        with few_threads(made.local.model.parameters()):
            fitted = fit(job, made.local, hand_written)
        settings = replace(
            made.local.settings,
            confidence=fitted.thresholds["path"],
            confidences=fitted.thresholds,
        )
        report = TrainReport(
            out=out,
            kg=kg.source,
            settings=settings,
            scores=score(fitted.judged["path"], settings.confidence),
            recipe=_shown(kg, recipe, schedule),
            base=recipe.base,
            steps=made.trained.steps,
            loss=round(made.trained.loss, 4),
            hits=made.trained.hits,
            stopped=made.trained.stopped,
            seconds=round(elapsed.seconds, 1),
            parameters=sum(p.numel() for p in made.local.model.parameters()),
            seed=recipe.seed,
            source="questions with answers" if material.supervision else "generated questions",
            lessons=len(material.lessons),
            dropped=dict(material.supervision.dropped) if material.supervision else {},
        )
        with replaced(out) as folder:
            copytree(trained_folder(partial), folder, dirs_exist_ok=True)
            write_settings(folder, settings)
            write_card(folder, report)
    return report


def _make(job: Job) -> TrainedModel:
    """The trained model, of this process or of one before it."""
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    disable_progress_bar()
    set_verbosity_error()
    if job.recipe.base:
        from .trainer.finetune import fine_tune, fine_tuned

        made = fine_tuned(job)
        if made is None:
            with warnings.catch_warnings():  # of libraries to each other
                warnings.simplefilter("ignore")
                made = fine_tune(job)
            keep_trained(job, made)
        return made
    made = read_trained(job)
    if made is None:
        from .trainer.scratch import from_scratch

        made = from_scratch(job)
        keep_trained(job, made)
    return made


def _chat(recipe: Recipe, out: Path) -> Chat | None:
    llm = chat_model(recipe.paraphrase)
    if llm is None:
        return None
    out.parent.mkdir(parents=True, exist_ok=True)
    replies = out.with_name(f"{out.name}.paraphrases.jsonl")
    return Chat(llm, describe_llm(recipe.paraphrase), replies)


def _processes(recipe: Recipe) -> tuple[bool, Any]:
    """Whether this is the first process, and a context in which it is ahead of the others."""
    if not recipe.base:
        return True, _alone

    check_extras(recipe)
    import torch
    from accelerate import PartialState

    state = PartialState(cpu=not torch.cuda.is_available())
    return state.is_main_process, state.main_process_first


@contextmanager
def _alone() -> Generator[None]:
    yield None


def _record(kg: KnowledgeGraph, recipe: Recipe, schedule: Schedule, hops: int) -> dict[str, Any]:
    """All that decides the trained weights."""
    files = {
        name: sha256(file.read_bytes()).hexdigest()
        for name in _FILES
        if (file := getattr(recipe, name))
    }
    made = {"kg": kg.digest, "schedule": asdict(schedule)}
    size = {} if recipe.base else {"size": asdict(recipe.size_for(hops))}
    stops = {"looks and patience": [OFTEN, PATIENCE]} if recipe.stops_by_itself else {}
    return {**recipe.record(), **files, **made, **size, **stops}


def _shown(kg: KnowledgeGraph, recipe: Recipe, schedule: Schedule) -> dict[str, Any]:
    """The settings as the card shows them."""
    given = recipe.record() | {
        name: path.name for name in (*_FILES, "data") if (path := getattr(recipe, name))
    }
    read = {"profile": kg.profile.name, "reading": kg.reading.names}
    return {name: given[name] for name in given if name not in _ELSEWHERE} | read | asdict(schedule)


_FILES = ("questions", "phrasebook", "tuning")
_ELSEWHERE = ("base", "schedule", "steps", "batch", "rate", "optimizer", "seed")


def check_extras(recipe: Recipe) -> None:
    """Raise InputError where a library is missing."""
    wanted = ["accelerate", *(["peft"] if recipe.lora else [])]
    if missing := [name for name in wanted if find_spec(name) is None]:
        raise InputError(
            f"fine-tuning needs {' and '.join(missing)}", "pip install 'groundwalk[train]'"
        )
