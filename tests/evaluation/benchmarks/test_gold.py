"""The benchmark of the gold trees of the exams."""

import json
from pathlib import Path

from groundwalk.evaluation.benchmarks import gold


def test_gold_trees_are_right_and_supported(tmp_path: Path) -> None:
    out = tmp_path / "gold.json"
    assert gold.main(["--exam", "concerts", "--limit", "30", "--out", str(out)]) == 0
    (report,) = json.loads(out.read_text(encoding="utf-8"))["exams"].values()
    assert (report["queries"], report["wrong"], report["unsupported"]) == (30, [], 0)
    assert report["triples"] > 0 and list(report["seconds"]) == ["query"]
