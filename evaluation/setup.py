"""What answers questions, in plain values: any process can open it."""

from dataclasses import dataclass, field
from pathlib import Path

from ..agent.kg import KnowledgeGraph, OnBroken, Reading, load_profile, open_kg
from ..agent.options import Options
from .config import Topics


@dataclass(frozen=True)
class Setup:
    """The methods, and what they answer over and with.

    `kg` is what `--kg` takes; None where every question brings its own graph. With `own_graphs`
    those that bring one are asked over that.
    """

    dataset: str
    split: str
    methods: tuple[str, ...]
    kg: str | None
    model: str
    profile: str = "generic"
    graphs: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    reading: Reading = Reading()
    on_broken: OnBroken = "fail"
    """What becomes of a broken statement of the KG's files."""
    own_graphs: bool = False
    llm: str = "none"
    device: str = "cpu"
    dtype: str = "auto"
    prompts: Path | None = None
    topics: Topics = "linked"
    options: Options = field(default_factory=Options)
    paper: bool = False
    """Whether options that are not set are those of the method's paper."""
    kept: frozenset[str] = frozenset()
    """Options that are set, though it may be to what they are by default."""
    reader: str = ""
    """What reads questions; empty for what suits the model and the graph."""
    batch: int = 1
    """Questions that are decoded at once."""


def open_shared(setup: Setup) -> KnowledgeGraph | None:
    """The KG of all questions, if they have one. Raises KGError and ServiceError."""
    if setup.kg is None:
        return None
    return open_kg(
        setup.kg,
        profile=load_profile(setup.profile),
        graphs=setup.graphs,
        languages=setup.languages,
        reading=setup.reading,
        on_broken=setup.on_broken,
    )
