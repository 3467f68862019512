"""A trained model among the checkpoints, so that what follows its last step can go on."""

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ...agent.errors import ModelError
from ...agent.llm.local import load_model
from ...agent.llm.model_folder import write_settings
from ..thresholds.answers import forget_answers
from .checkpoint import read_json, write_json
from .making import Job, Made
from .model import store_in_half
from .plain_loop import INTERRUPTED, Trained

if TYPE_CHECKING:
    pass


_RECORD = "trained.json"
"""How the training went; it is written last."""


def made_folder(partial: Path) -> Path:
    """Where the trained model is: all files of the folder that it becomes, as they are made."""
    return partial / "trained"


def keep_made(job: Job, made: Made) -> None:
    """Write a trained model, in place of the checkpoints of its steps."""
    folder, record = made_folder(job.partial), job.partial / _RECORD
    record.unlink(missing_ok=True)
    forget_answers(job.partial)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    made.local.model.save_pretrained(folder)
    if not job.recipe.base:
        store_in_half(folder)
    made.local.tokenizer.save_pretrained(folder)
    write_settings(folder, made.local.settings)
    job.elapsed.save()
    write_json(record, asdict(made.trained))


def read_made(job: Job, device: str = "cpu") -> Made | None:
    """The model, where its training had come to its end.

    None where the user interrupted it, or the model is broken: then the training goes on from the
    last checkpoint of its steps.
    """
    trained = read_json(job.partial / _RECORD)
    if not trained or trained["stopped"] == INTERRUPTED:
        return None
    try:
        local = load_model(str(made_folder(job.partial)), device=device)
    except ModelError as error:
        job.watcher.say(f"the trained model is broken, and is made again: {error.message}")
        return None
    trained["hits"] = {int(step): share for step, share in trained["hits"].items()}
    job.watcher.say("the training goes on after its last step")
    return Made(local, Trained(**trained))
