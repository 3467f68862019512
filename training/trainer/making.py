"""What both ways of training share: what they are given, and what they give back."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import LocalModel
from ...agent.llm.model_folder import ModelSettings
from ...graphs.reading import relation_texts
from ..data import Batches, Material
from ..encoding.queries import QueryEncoder
from ..encoding.walks import Encoder
from ..recipe import Recipe, Schedule
from .checkpoint import Elapsed
from .watched import OFTEN, PATIENCE, Looks, Watched, Watcher

if TYPE_CHECKING:
    from .plain_loop import Trained


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
        schedule, queries = self.schedule, self.material.queries
        return Batches(
            self.material,
            encoder,
            self.recipe,
            batch=schedule.batch,
            pool=schedule.pool,
            query_encoder=self._query_encoder(encoder) if queries else None,
        )

    def _query_encoder(self, encoder: Encoder) -> QueryEncoder:
        return QueryEncoder(
            self.kg, encoder.tokenizer, masked=encoder.masked, instruct=encoder.instruct
        )

    def looks(self, local: LocalModel) -> Looks:
        """How the run is watched."""
        samples = self.material.watched_samples()
        watched = Watched(self.kg, local, self.material.graph, samples)
        if self.recipe.stops_by_itself:
            return Looks(watched, self.schedule.steps, PATIENCE, OFTEN)
        return Looks(watched, self.schedule.steps, self.recipe.patience or None)


@dataclass(frozen=True)
class Made:
    """A trained model, and how its training went."""

    local: LocalModel
    trained: "Trained"
