"""What a training run did and scores, as a report, a card, and the folder of the model."""

import json
import re
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agent.errors import InputError
from ..agent.llm.model_folder import SETTINGS_FILE, ModelSettings
from .fitting.thresholds import Judged

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class Scores:
    """What the trained model does on questions that it was not trained on.

    `right` is the share of answerable questions for which the agent finds exactly the right
    entities, by number of hops; `refused` the share of unanswerable ones that it refuses.
    """

    right: dict[int, float] = field(default_factory=lambda: dict[int, float]())
    refused: float | None = None
    withheld: float = 0.0
    """The share of right answers below the confidence threshold."""
    questions: int = 0


@dataclass(frozen=True)
class TrainReport:
    """What a training run did; written into the model card."""

    out: Path
    kg: str
    settings: ModelSettings
    scores: Scores
    steps: int
    loss: float
    seconds: float
    parameters: int
    seed: int
    base: str = ""
    """The model that was fine-tuned."""
    recipe: dict[str, Any] = field(default_factory=dict[str, Any])
    """The settings of the training."""
    stopped: str = ""
    """Why it ended before its last step."""
    hits: dict[int, float] = field(default_factory=dict[int, float])
    """Hits@1 on a few held-out questions, by step."""
    baselines: dict[str, float] = field(default_factory=dict[str, float])
    """What simpler methods score on the same questions, by name."""
    source: str = "generated questions"
    lessons: int = 0
    dropped: dict[str, int] = field(default_factory=lambda: dict[str, int]())


def score(judged: Sequence[Judged], threshold: float) -> Scores:
    """Count what was judged."""
    by_hops: dict[int, list[bool]] = {}
    refused, shown_right = list[bool](), list[bool]()
    for one in judged:
        shown = one.confidence >= threshold
        if one.sample.moves is None:
            refused.append(not shown)
        else:
            by_hops.setdefault(len(one.sample.moves), []).append(one.right)
            if one.right:
                shown_right.append(shown)
    return Scores(
        right={hops: _share(rights) for hops, rights in sorted(by_hops.items())},
        refused=_share(refused) if refused else None,
        withheld=round(1 - _share(shown_right), 3) if shown_right else 0.0,
        questions=len(judged),
    )


def _share(values: list[bool]) -> float:
    return round(sum(values) / len(values), 3)


def write_card(folder: Path, report: TrainReport) -> None:
    """Write `README.md` beside the weights."""
    (folder / "README.md").write_text(card(report), encoding="utf-8")


def card(report: TrainReport) -> str:
    """The text of the card."""
    settings = report.settings
    reads = "in which each topic entity is masked by its class" if settings.masked else "as it is"
    queries = " or a query" if "query" in settings.formats else ""
    return "\n".join(
        [
            "---",
            "library_name: transformers",
            *_base_model(report.base),
            "tags: [groundwalk, knowledge-graph]",
            "---",
            "",
            "# A model of groundwalk",
            "",
            f"Reads a question {reads}, and writes a",
            f"reasoning path{queries} of the knowledge graph, or `<NONE>` where the graph has",
            "nothing for what is asked. It is decoded under groundwalk's constraint, and what it",
            "answers is checked in the graph.",
            "",
            "## Training",
            "",
            *_training(report),
            "",
            "| setting | value |",
            "| --- | --- |",
            *(f"| {name} | {_cell(value)} |" for name, value in report.recipe.items()),
            "",
            "## Scores",
            "",
            *_scores(report),
            "",
        ]
    )


def _base_model(base: str) -> list[str]:
    """The line by which the hub knows where a model comes from."""
    return [f"base_model: {base}"] if _HUB_ID.fullmatch(base) and not Path(base).exists() else []


def _training(report: TrainReport) -> list[str]:
    settings = report.settings
    data = f"- Data: {report.source} over the graph `{report.kg}` (digest `{settings.kg}`)"
    if report.lessons:
        dropped = sum(report.dropped.values())
        data += f", {report.lessons} questions; {dropped} more gave no relation path"
    by_step = ", ".join(f"{step}: {share:.1%}" for step, share in report.hits.items())
    way = f"fine-tuned from `{report.base}`" if report.base else "trained from scratch"
    return [
        data,
        f"- {report.parameters:,} parameters, {way} in {report.steps} steps"
        f" ({report.seconds:.0f} s), seed {report.seed}, last loss {report.loss}",
        f"- Paths of up to {settings.hops} hops; answers are shown from a confidence of "
        f"{settings.confidence}, fitted on questions that it was not trained on",
        *([f"- Ended before its last step: {report.stopped}"] if report.stopped else []),
        *([f"- Hits@1 on a few held-out questions, by step: {by_step}"] if report.hits else []),
    ]


def _scores(report: TrainReport) -> list[str]:
    scores = report.scores
    lines = [
        f"On {scores.questions} questions that it was not trained on, worded as in training: the",
        "share for which `gcr` finds exactly the right entities.",
        "",
        "| hops | right |",
        "| --- | --- |",
        *(f"| {hops} | {share:.1%} |" for hops, share in scores.right.items()),
        "",
        f"Right answers below the confidence: {scores.withheld:.1%}.",
    ]
    if scores.refused is not None:
        lines.append(f"Questions without an answer that it refuses: {scores.refused:.1%}.")
    if report.baselines:
        shares = ", ".join(f"`{name}` {share:.1%}" for name, share in report.baselines.items())
        lines += ["", f"The same questions by simpler methods: {shares}."]
    return lines


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("|", "\\|").replace("\n", " ")


def check_out(
    out: Path, settings: str = SETTINGS_FILE, what: str = "model that groundwalk trained"
) -> None:
    """Raise InputError unless `out` is free, or has an earlier result, which may be replaced.

    That is known by its file of `settings`; `what` says what it is.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / settings).is_file()):
        raise InputError(f"{out}: exists and is not a {what}", "give another folder with --out")


@contextmanager
def replaced(out: Path) -> Generator[Path]:
    """A temporary folder that takes the place of `out` when all of it is written."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as temporary:
        fresh = Path(temporary) / "new"
        fresh.mkdir()
        yield fresh
        for file in fresh.iterdir():
            file.chmod(0o644)
        if out.exists():
            out.rename(Path(temporary) / "old")
        fresh.rename(out)
