"""The card of a reader: what it learnt from, under which licences, and how."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...agent.reader.weights import ReaderWeights
from .lessons import Provenance
from .sources import WORD_SOURCES, digest


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
    parameters = sum(own.numel() for own in reader.network.parameters())
    settings = reader.settings
    meanings = f"a lexicon of {len(reader.lexicon.meanings):,} words"
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
        "- Never learnt from: MetaQA, PathQuestion, WebQSP, the WorldCup graph, the world graph",
        "",
        "## Sources",
        "",
        "| source | public name | licence | questions | SHA-256 |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {own.name} | {own.public_name} | {own.licence} | {own.questions:,} |"
            f" `{own.digest}` |"
            for own in provenance
        ),
        "",
        "Some questions, of several hops or joined by `and`, are composed of those of one hop. The",
        "others are made by groundwalk, over graphs that it makes up for these schemas and for",
        "domains of its own.",
        "",
        "| words and schemas | public name | licence | SHA-256 |",
        "| --- | --- | --- | --- |",
        *(
            f"| {own.path} | {own.public_name} | {own.licence} | `{digest(data / own.path)}` |"
            for own in WORD_SOURCES
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
