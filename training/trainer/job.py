"""What both ways of training share: what they are given, and what they give back.

A trained model is kept among the checkpoints, so that what follows its last step can go on.
"""

import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ...agent.errors import ModelError
from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import LocalModel, load_model
from ...agent.llm.model_folder import ModelSettings, write_settings
from ...graphs.reading import relation_texts
from ..encoder import Batches, Encoder, QueryEncoder
from ..fitting.exams import forget_answers
from ..material import Material
from ..recipe import Recipe, Schedule
from .checkpoint import Elapsed, read_json, write_json
from .watched import OFTEN, PATIENCE, Looks, Watched, Watcher

PATIENCE_IS_OVER = "no better score on held-out questions"
INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Trained:
    """What a run did."""

    steps: int
    loss: float
    stopped: str = ""
    """Why it ended before its last step."""
    hits: dict[int, float] = field(default_factory=dict[int, float])
    """Hits@1 on held-out questions, by step."""


@dataclass(frozen=True)
class Job:
    """A training that is about to begin; `partial` is where its checkpoints go."""

    kg: KnowledgeGraph
    material: Material
    recipe: Recipe
    schedule: Schedule
    partial: Path
    elapsed: Elapsed
    watcher: Watcher

    def settings(self, *, masked: bool, instruct: bool) -> ModelSettings:
        """How the trained model is to be asked, before its confidence is fitted."""
        return ModelSettings(
            hops=self.material.hops,
            inverse=True,
            masked=masked,
            instruct=instruct,
            formats=tuple(self.recipe.formats),
            chains="walk",
            kg=self.kg.digest,
            relations=tuple(sorted(set[str]().union(*relation_texts(self.kg).values()))),
        )

    def batches(self, encoder: Encoder) -> Batches:
        """What is trained on."""
        of_queries = None
        if self.material.queries:
            masked, instruct = encoder.masked, encoder.instruct
            of_queries = QueryEncoder(self.kg, encoder.tokenizer, masked=masked, instruct=instruct)
        return Batches(self.material, encoder, self.schedule, self.recipe.formats, of_queries)

    def looks(self, local: LocalModel) -> Looks:
        """How the run is watched."""
        samples = self.material.watched_samples()
        watched = Watched(self.kg, local, self.material.graph, samples)
        if self.recipe.stops_by_itself:
            return Looks(watched, self.schedule.steps, PATIENCE, OFTEN)
        return Looks(watched, self.schedule.steps, self.recipe.patience or None)


@dataclass(frozen=True)
class TrainedModel:
    """A trained model, and how its training went."""

    local: LocalModel
    trained: Trained


_RECORD = "trained.json"
"""How the training went; it is written last."""


def trained_folder(partial: Path) -> Path:
    """Where the trained model is: all files of the folder that it becomes, as they are made."""
    return partial / "trained"


def keep_trained(job: Job, made: TrainedModel) -> None:
    """Write a trained model, in place of the checkpoints of its steps."""
    folder, record = trained_folder(job.partial), job.partial / _RECORD
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


def read_trained(job: Job, device: str = "cpu") -> TrainedModel | None:
    """The model, where its training had come to its end.

    None where the user interrupted it, or the model is broken: then the training goes on from the
    last checkpoint of its steps.
    """
    trained = read_json(job.partial / _RECORD)
    if not trained or trained["stopped"] == INTERRUPTED:
        return None
    try:
        local = load_model(str(trained_folder(job.partial)), device=device)
    except ModelError as error:
        job.watcher.say(f"the trained model is broken, and is made again: {error.message}")
        return None
    trained["hits"] = {int(step): share for step, share in trained["hits"].items()}
    job.watcher.say("the training goes on after its last step")
    return TrainedModel(local, Trained(**trained))


def store_in_half(folder: Path) -> None:
    """Store the rounded weights of a saved model in half the bytes; it computes in float32."""
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    halved = {name: weight.half() for name, weight in load_file(file).items()}
    save_file(halved, file, metadata={"format": "pt"})
