"""Training a path model for a graph: a new one, or one that exists, with the same data."""

import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..agent.kg import KnowledgeGraph, open_kg
from ..agent.kg.folder import WORLD
from ..agent.llm.address import describe_llm
from ..agent.llm.chat import chat_model
from ..agent.llm.local import write_settings
from ..agent.llm.scope import write_scope
from ..evaluation.readers import read_jsonl, read_world
from ..evaluation.samples import Sample as Question
from .baselines import add_baselines
from .calibrate import Judged, confidence_of, judge
from .card import write_card
from .checkpoint import needed, open_partial
from .data import Material, gather
from .folder import check_out, replaced
from .making import Job, Made
from .paraphrase import Chat
from .recipe import METHODS, Recipe, Schedule
from .report import TrainReport, score
from .scope import scope_of
from .tuning import tuned_threshold
from .watch import Unwatched, Watcher


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
    check_out(out)
    hand_written = _hand_written(kg_source, recipe)
    first, turn = _processes(recipe)
    watcher = watcher if watcher and first else Unwatched()
    with turn():
        kg = open_kg(
            kg_source,
            profile=recipe.profile,
            languages=recipe.languages,
            reading=recipe.reading,
            on_broken=recipe.on_broken,
        )
        if kg.left_out.note:
            watcher.say(kg.left_out.note)
        material = gather(kg, kg_source, recipe, _chat(recipe, out) if first else None)
        schedule = recipe.schedule_for(supervised=material.supervision is not None)
        partial = open_partial(out, _record(kg, recipe, schedule, material.hops), watcher)
    with needed(partial):
        made = _make(Job(kg, material, recipe, schedule, partial, watcher))
        made = replace(made, local=replace(made.local, scope=(scope := scope_of(material))))
        judged = _judged(kg, made, material, watcher)
        thresholds = {
            name: tuned_threshold(
                kg,
                made.local,
                hand_written,
                METHODS[name],
                generated=own,
                revisits=recipe.revisits,
            )
            if hand_written
            else round(confidence_of(own), 4)
            for name, own in judged.items()
        }
        settings = replace(
            made.local.settings, confidence=thresholds["path"], confidences=thresholds
        )
        report = TrainReport(
            out=out,
            kg=kg.source,
            settings=settings,
            scores=score(judged["path"], settings.confidence),
            recipe=_shown(kg, recipe, schedule),
            base=recipe.base,
            steps=made.trained.steps,
            loss=round(made.trained.loss, 4),
            hits=made.trained.hits,
            stopped=made.trained.stopped,
            seconds=round(time.monotonic() - started, 1),
            parameters=sum(p.numel() for p in made.local.model.parameters()),
            seed=recipe.seed,
            source="questions with answers" if material.supervision else "generated questions",
            lessons=len(material.lessons),
            dropped=dict(material.supervision.dropped) if material.supervision else {},
        )
        with replaced(out) as folder:
            made.local.model.save_pretrained(folder)
            made.local.tokenizer.save_pretrained(folder)
            write_settings(folder, settings)
            write_scope(folder, scope)
            add_baselines(folder, kg, material, made.local, hand_written)
            write_card(folder, report)
    return report


def _make(job: Job) -> Made:
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    disable_progress_bar()
    set_verbosity_error()
    if job.recipe.base:
        from .finetune import fine_tune

        with warnings.catch_warnings():  # of libraries to each other
            warnings.simplefilter("ignore")
            return fine_tune(job)
    from .scratch import from_scratch

    return from_scratch(job)


def _judged(
    kg: KnowledgeGraph, made: Made, material: Material, watcher: Watcher
) -> dict[str, list[Judged]]:
    samples, local = material.judged(), made.local
    watcher.say(f"trained; {len(samples)} other questions tell how sure an answer has to be")
    return {
        name: judge(kg, local, material.graph, samples, METHODS[name])
        for name in local.settings.formats
    }


def _chat(recipe: Recipe, out: Path) -> Chat | None:
    llm = chat_model(recipe.paraphrase)
    if llm is None:
        return None
    out.parent.mkdir(parents=True, exist_ok=True)
    replies = out.with_name(f"{out.name}.paraphrases.jsonl")
    return Chat(llm, describe_llm(recipe.paraphrase), replies)


def _hand_written(kg_source: str, recipe: Recipe) -> list[Question]:
    if recipe.tuning:
        return list(read_jsonl(recipe.tuning))
    bundled = kg_source == WORLD and not recipe.supervised
    return list(read_world("tuning")) if bundled else []


def _processes(recipe: Recipe) -> tuple[bool, Any]:
    """Whether this is the first process, and a context in which it is ahead of the others."""
    if not recipe.base:
        return True, _alone
    from .finetune import check_extras

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
    return {**recipe.record(), **files, **made, **size}


def _shown(kg: KnowledgeGraph, recipe: Recipe, schedule: Schedule) -> dict[str, Any]:
    """The settings as the card shows them."""
    given = recipe.record() | {
        name: path.name for name in (*_FILES, "data") if (path := getattr(recipe, name))
    }
    read = {"profile": recipe.profile.name, "reading": kg.reading.names}
    return {name: given[name] for name in given if name not in _ELSEWHERE} | read | asdict(schedule)


_FILES = ("questions", "phrasebook", "tuning")
_ELSEWHERE = ("base", "schedule", "steps", "batch", "rate", "optimizer", "seed")
