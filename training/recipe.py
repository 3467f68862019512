"""What a training is told: the data, the way and how long. Nothing here loads anything."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..agent.decoding.wire import PATH, PLAN, QUERY, TRIPLE, Wire
from ..agent.errors import InputError
from ..agent.kg.derived import Reading
from ..agent.kg.files.statements import OnBroken
from ..agent.kg.profile import AUTO, Profile

Way: TypeAlias = Literal["best", "shortest"]
"""How relation paths are found: those that reach the answers with the best F1, or all shortest ones
to any answer (GCR section 4.2, appendix C)."""


FORMATS: dict[str, Wire] = {"path": PATH, "plan": PLAN, "chain": TRIPLE, "query": QUERY}
"""The formats that a model can learn, by name."""
METHODS = {"path": "gcr", "plan": "plan", "chain": "dog", "query": "query"}
"""The method that calibrates each."""
SHARES = {"path": 0.4, "plan": 0.4, "chain": 0.2, "query": 1.6}
"""How much of the training each gets, beside the others that are learnt."""
WALKS = ("path", "plan", "chain")
"""The formats of walks, which a model learns by default."""

_HEAD = 64
"""The width of a head."""

Optimizer: TypeAlias = Literal["adamw", "muon"]


@dataclass(frozen=True)
class Size:
    """Width, layers and heads of the model; feed-forward layers are 8/3 as wide."""

    width: int = 192
    layers: int = 4
    heads: int = 3


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train. `rate` is the peak learning rate."""

    steps: int = 3000
    batch: int = 64
    rate: float = 2e-3
    warm_up: int = 150
    decay: float = 0.05
    clip: float = 1.0
    dropout: float = 0.0
    pool: int = 16
    """Batches that are sorted by length together, to save padding."""
    optimizer: Optimizer = "adamw"
    """What moves the matrices within a new model; `muon` learns as much in a third of the steps."""


@dataclass(frozen=True)
class Recipe:
    """How a model is made; what is `None` is chosen by the way and the data.

    Raises InputError when its parts do not go together.
    """

    profile: Profile = AUTO
    languages: Sequence[str] = ()
    reading: Reading | None = None
    on_broken: OnBroken = "fail"
    """What becomes of a broken statement of the graph's files."""
    questions: Path | None = None
    """A file of questions with answers, or with queries where the format `query` is learnt."""
    dataset: str = ""
    """In its place, a dataset that `evaluation.datasets` reads from `data`."""
    data: Path | None = None
    split: str = ""
    """Of the dataset; several with commas."""
    supervision: Way = "best"
    """Which relation paths of a question with answers are learnt."""
    revisits: Literal["no-topic", "walk"] = "no-topic"
    """Whether walks may come back to their topic."""
    paraphrase: str = ""
    """A chat model, as `--llm` names it, that rewords generated questions."""
    part: str = "all"
    limit: int | None = None
    phrasebook: Path | None = None
    skeletons: Path | None = None
    """A folder of questions with queries, as `training/queries/skeletons.py` says."""
    tuning: Path | None = None
    """Questions that fit the confidence threshold and are not trained on."""
    hops: int | None = None
    """The longest path."""
    noise: float = 0.5
    """The share of questions that are disturbed."""
    formats: Sequence[str] = WALKS
    """What the model learns to write; `path` is among them."""
    mask: bool | None = None
    """Whether the model reads topic entities as `[class]`."""
    seed: int = 0
    base: str = ""
    """The model that is fine-tuned: a folder or a hub id; without one, a new model is trained."""
    lora: bool = False
    """Whether low-rank adapters are trained and merged, instead of all weights."""
    width: int | None = None
    """Of a new model, in heads of 64."""
    size: Size | None = None
    """Of a new model, in place of a width and as many layers as suit its questions."""
    schedule: Schedule | None = None
    steps: int | None = None
    batch: int | None = None
    rate: float | None = None
    optimizer: Optimizer | None = None
    """Of a new model."""
    accumulate: int = 1
    """Parts in which a batch goes through a model that is fine-tuned."""
    patience: int | None = None
    """Looks at held-out questions without a better score after which training stops; 0 for never.

    If it is `None`, a new model stops by itself where all of its schedule is left open and its
    questions are made from the graph.
    """

    def __post_init__(self) -> None:
        for is_wrong, message, hint in self._faults():
            if is_wrong:
                raise InputError(message, hint)

    def _faults(self) -> Iterator[tuple[object, str, str]]:
        """What may be wrong: whether it is, what that is, and what to do."""
        unknown = next((name for name in self.formats if name not in FORMATS), None)
        yield (
            unknown is not None,
            f"there is no format {unknown!r}",
            f"formats: {', '.join(FORMATS)}",
        )
        without_path = "path" not in self.formats
        yield without_path, "a model learns the format path at least", "add it to the formats"
        no_folder = self.skeletons and not self.skeletons.is_dir()
        yield no_folder, f"{self.skeletons}: is no folder", "give one with .txt files"
        both = self.questions and self.dataset
        yield both, "questions come from a file or a dataset", "leave out one of the two"
        yield (
            self.paraphrase and self.supervised,
            "--paraphrase rewords generated questions",
            "leave out the questions with answers",
        )
        option = "--lora" if self.lora else "--accumulate"
        yield (
            not self.base and (self.lora or self.accumulate > 1),
            f"{option} is for a model that is fine-tuned",
            "name it with --base",
        )
        yield (
            self.base and self.optimizer,
            "--optimizer is for a new model",
            "leave out --base or --optimizer",
        )
        yield (
            self.width and self.width % _HEAD,
            f"a width of {self.width} is no multiple of {_HEAD}",
            "give 128, 192, 256 ...",
        )
        yield (
            self.base and (self.size or self.width),
            "the size of a base model is given",
            "leave out --base or the size",
        )

    @property
    def supervised(self) -> bool:
        """Whether there are questions with answers."""
        return bool(self.questions or self.dataset)

    @property
    def stops_by_itself(self) -> bool:
        """Whether the default decides when the training stops."""
        fixed = self.supervised or self.base or self.schedule or self.steps
        return self.patience is None and not fixed

    def schedule_for(self, *, supervised: bool) -> Schedule:
        """How long and how fast, with what the recipe leaves open chosen."""
        chosen = self.schedule or self._default(supervised)
        given = {
            "steps": self.steps,
            "batch": self.batch,
            "rate": self.rate,
            "optimizer": self.optimizer,
        }
        return replace(chosen, **{k: v for k, v in given.items() if v is not None})

    def _default(self, supervised: bool) -> Schedule:
        if not self.base:
            return Schedule(steps=800 if supervised else 4000)
        rate = 2e-4 if self.lora else 2e-5
        return Schedule(
            steps=200 if supervised else 600, batch=32, rate=rate, warm_up=20, decay=0.0, pool=8
        )

    def size_for(self, hops: int) -> Size:
        """The size of a new model.

        By default, one of questions with answers has a layer more than its walks have hops, up to
        four: of the few wordings of such questions deeper models learn turns of phrase by heart.
        """
        if self.size:
            return self.size
        usual = Size()
        width = self.width or usual.width
        layers = min(hops + 1, usual.layers) if self.supervised else usual.layers
        return Size(width, layers, heads=width // _HEAD)

    def record(self) -> dict[str, Any]:
        """What was set to other than its default, as plain JSON."""
        default = asdict(Recipe())
        return {
            name: _plain(value) for name, value in asdict(self).items() if value != default[name]
        }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
