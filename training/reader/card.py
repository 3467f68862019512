"""The card of a reader: what it learnt from, under which licences, and how."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...agent.reader.weights import ReaderWeights
from .lessons import Provenance


def write_card(
    folder: Path,
    reader: ReaderWeights,
    recipe: Mapping[str, Any],
    provenance: Sequence[Provenance],
) -> None:
    """Write `README.md` beside the weights of a reader."""
    parameters = sum(own.numel() for own in reader.network.parameters())
    settings = reader.settings
    lines = [
        "# A reader of groundwalk",
        "",
        "Reads a question over any graph: it points at one of the actions that the graph's schema",
        "allows, by the labels of relations and classes, until they are a whole query.",
        "",
        f"- {parameters:,} parameters, in half precision, with a lexicon of"
        f" {len(reader.lexicon.meanings):,} words",
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
        "Words and schemas: Wikidata's properties (CC0), WordNet (CC BY 4.0, from the Open English",
        "WordNet), PPDB's synonyms (Apache-2.0), schema.org (Apache-2.0), the names of Freebase's",
        "relations (BSD-3), Spider's tables (MIT), text2cypher's schemas (CC0). The rest of its",
        "questions are made by groundwalk over graphs that are made up for these schemas.",
        "",
        "## Recipe",
        "",
        "```json",
        json.dumps(recipe, indent=2),
        "```",
        "",
    ]
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8")
