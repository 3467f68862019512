"""The benchmarks of queries: a large class, and the gold trees of the exams."""

import json
from pathlib import Path

from groundwalk.evaluation.benchmarks import gold, queries


def test_every_query_over_a_class_is_timed(tmp_path: Path) -> None:
    out = tmp_path / "queries.json"
    assert queries.main(["--members", "500", "--rounds", "1", "--out", str(out)]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert list(report["first"]) == list(report["seconds"]) == list(queries.QUERIES)
    assert all(seconds >= 0 for seconds in report["seconds"].values())
    lines = queries.table(report)[1:5]
    assert all(line.startswith(name) for line, name in zip(lines, queries.QUERIES, strict=True))


def test_gold_trees_are_right_and_supported(tmp_path: Path) -> None:
    out = tmp_path / "gold.json"
    assert gold.main(["--exam", "concerts", "--limit", "30", "--out", str(out)]) == 0
    (report,) = json.loads(out.read_text(encoding="utf-8"))["exams"].values()
    assert (report["queries"], report["wrong"], report["unsupported"]) == (30, [], 0)
    assert report["triples"] > 0 and list(report["seconds"]) == ["query"]
