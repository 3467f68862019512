"""The cards of readers: what the bundled one learnt from, and what tuning one to a graph did."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...agent.reader.weights import ReaderSettings, ReaderWeights
from .lessons import Provenance
from .sources import WORD_SOURCES, file_digest

_JUDGED = (
    "- Which of several whole readings is right is judged by a small network, fitted on how it read"
    " questions that were asked one by one over the graphs that it learnt from",
)


def write_card(
    folder: Path,
    reader: ReaderWeights,
    recipe: Mapping[str, Any],
    provenance: Sequence[Provenance],
    data: Path,
) -> None:
    """Write `README.md` beside the weights of a reader; `data` is the folder of public data.

    Raises OSError where a file of words is missing.
    """
    every = {**reader.network.weights, **(reader.judge or {})}
    parameters = sum(weight.size for weight in every.values())
    settings = reader.settings
    meanings = f"a lexicon of {len(reader.lexicon.meanings):,} words, whose vectors are int8"
    if settings.encoder:
        meanings = f"the sentence encoder `{settings.encoder}`, which says what words mean"
    lines = [
        "# A reader of groundwalk",
        "",
        "Reads a question over any graph: it points at one of the actions that the graph's schema",
        "allows, by the labels of relations and classes, until they are a whole query.",
        "",
        f"- {parameters:,} parameters, in half precision, with {meanings}",
        f"- Answers are shown from a confidence of {settings.threshold:.4f}, and a word is left out"
        f" from a share of {settings.unread:.4f}; both are fitted on domains that it"
        " learnt nothing of",
        "- What the evidence of a reading weighs is fitted on these domains, and on questions that"
        " were asked one by one over small graphs that it learnt nothing of",
        *_JUDGED[: reader.judge is not None],
        "- Never learnt from: MetaQA, PathQuestion, WebQSP, the WorldCup graph, the world graph",
        "",
        "## Sources",
        "",
        "| source | public name | licence | questions | SHA-256 |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {source.name} | {source.public_name} | {source.licence} | {source.questions:,} |"
            f" `{source.digest}` |"
            for source in provenance
        ),
        "",
        "Some questions, of several hops or joined by `and`, are composed of those of one hop, and",
        "some ask tables for what has the values that others begin at. The others are made by",
        "groundwalk, over graphs that it makes up for these schemas and for domains of its own, or",
        "were asked one by one over small graphs of its own. By which words people ask for what a",
        "label says is in a thesaurus of its own, too.",
        "",
        "| words and schemas | public name | licence | SHA-256 |",
        "| --- | --- | --- | --- |",
        *(
            f"| {file.path} | {file.public_name} | {file.licence}"
            f" | `{file_digest(data / file.path)}` |"
            for file in WORD_SOURCES
        ),
        "",
        "## Recipe",
        "",
        "```json",
        json.dumps(recipe, indent=2),
        "```",
        "",
    ]
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8")


CARD, EARLIER_CARD = "README.md", "EARLIER.md"
OTHERS = "over other graphs"
"""Held-out questions that people asked over other graphs."""


@dataclass(frozen=True)
class Part:
    """Held-out questions of a kind, and how many were read rightly before and after."""

    questions: int
    before: int
    after: int


@dataclass(frozen=True)
class TuneReport:
    """What tuning a reader to a graph did; its card says the same."""

    out: Path
    kg: str
    """Where the graph is."""
    digest: str
    reader: str
    """What it started from."""
    settings: ReaderSettings
    parts: Mapping[str, Part]
    share: float
    """How far the weights went on the way to the tuned ones; 0 where that did not help."""
    steps: int
    loss: float
    seconds: float
    seed: int
    lessons: int = 0
    """Questions of the user that were learnt."""
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many of them were not, by reason."""

    @property
    def held_out(self) -> Part:
        """All held-out questions over the graph."""
        parts = [part for name, part in self.parts.items() if name != OTHERS]
        return Part(
            sum(part.questions for part in parts),
            sum(part.before for part in parts),
            sum(part.after for part in parts),
        )


def write_tune_card(folder: Path, report: TuneReport) -> None:
    """Write `README.md` beside the weights of a tuned reader."""
    settings = report.settings
    users = f", {report.lessons:,} of the user's" if report.lessons else ""
    learnt = f"questions made from the graph{users}, and what people asked over other graphs"
    did = (
        f"The weights are {report.share:.0%} of the way from the earlier reader to the tuned one."
        if report.share
        else "Tuning did not help: the weights are the earlier ones."
    )
    lines = [
        "# A reader of groundwalk, tuned to a graph",
        "",
        f"- Graph: `{report.kg}` (digest `{report.digest}`)",
        f"- Started from: the reader `{report.reader}`, with the card `{EARLIER_CARD}`",
        f"- Learnt from: {learnt}",
        f"- {report.steps} steps in {report.seconds:.0f} s, loss {report.loss:.3f},"
        f" seed {report.seed}",
        f"- Answers are shown from a confidence of {settings.threshold:.4f}, and a word is left out"
        f" from a share of {settings.unread:.4f}",
        "",
        "## Held-out questions",
        "",
        "Read rightly, action by action:",
        "",
        "| questions | count | before | after |",
        "| --- | --- | --- | --- |",
        *(
            f"| {name} | {part.questions} | {part.before} | {part.after} |"
            for name, part in report.parts.items()
        ),
        "",
        did,
        "",
    ]
    (folder / CARD).write_text("\n".join(lines), encoding="utf-8")
