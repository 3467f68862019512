"""The model card: what a trained model is, how it was made and what it scored."""

import json
import re
from pathlib import Path

from .report import TrainReport

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


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
    way = f"fine-tuned from `{report.base}`" if report.base else "trained from scratch"
    return [
        data,
        f"- {report.parameters:,} parameters, {way} in {report.steps} steps"
        f" ({report.seconds:.0f} s), seed {report.seed}, last loss {report.loss}",
        f"- Paths of up to {settings.hops} hops; answers are shown from a confidence of "
        f"{settings.confidence}, fitted on questions that it was not trained on",
        *([f"- Ended before its last step: {report.stopped}"] if report.stopped else []),
        *(
            [f"- Hits@1 on a few held-out questions, by step: {_by_step(report.hits)}"]
            if report.hits
            else []
        ),
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


def _by_step(hits: dict[int, float]) -> str:
    return ", ".join(f"{step}: {share:.1%}" for step, share in hits.items())


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("|", "\\|").replace("\n", " ")
