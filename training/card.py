"""The model card: what a trained model is, how it was made and what it scored."""

from pathlib import Path

from .report import TrainReport


def write_card(folder: Path, report: TrainReport) -> None:
    """Write `README.md` beside the weights."""
    (folder / "README.md").write_text(card(report), encoding="utf-8")


def card(report: TrainReport) -> str:
    """The text of the card."""
    settings, scores = report.settings, report.scores
    rows = [f"| {hops} | {share:.1%} |" for hops, share in scores.right.items()]
    data = f"- Data: {report.source} over the graph `{report.kg}` (digest `{settings.kg}`)"
    if report.lessons:
        dropped = sum(report.dropped.values())
        data += f", {report.lessons} questions; {dropped} more gave no relation path"
    lines = [
        "---",
        "library_name: transformers",
        "tags: [groundwalk, knowledge-graph]",
        "---",
        "",
        "# A path model of groundwalk",
        "",
        "Reads a question in which each topic entity is masked by its class, and writes a",
        "reasoning path of the knowledge graph, or `<NONE>` where the graph has no relation for",
        "what is asked. It is decoded under groundwalk's constraint and knows only its graph.",
        "",
        "## Training",
        "",
        data,
        f"- {report.parameters:,} parameters, trained from scratch in {report.steps} steps"
        f" ({report.seconds:.0f} s), seed {report.seed}, last loss {report.loss}",
        f"- Paths of up to {settings.hops} hops; answers are shown from a confidence of "
        f"{settings.confidence}, fitted on questions that it was not trained on",
        *(["- Interrupted before its last step"] if report.stopped else []),
        "",
        "## Scores",
        "",
        f"On {scores.questions} questions that it was not trained on, worded as in training: the",
        "share for which `gcr` finds exactly the right entities.",
        "",
        "| hops | right |",
        "| --- | --- |",
        *rows,
        "",
        f"Right answers below the confidence: {scores.withheld:.1%}.",
    ]
    if scores.refused is not None:
        lines.append(f"Questions without an answer that it refuses: {scores.refused:.1%}.")
    return "\n".join(lines) + "\n"
