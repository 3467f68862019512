"""The benchmark of cold starts: every start is timed, against that of torch."""

import json
from pathlib import Path

import pytest
from groundwalk.evaluation.benchmarks import cold_start


def test_a_missed_aim_is_told() -> None:
    row = {"wall": 4.0, "processor": 3.0, "ratio": 3.0, "wall_ratio": 4.0}
    torch = {"wall": 1.0, "processor": 1.0, "ratio": 1.0, "wall_ratio": 1.0}
    lines = cold_start.table({"measures": {"torch": torch, "ask": row}})
    assert [line.endswith("NO") for line in lines] == [False, False, True]


@pytest.mark.slow
def test_the_report_has_every_start(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    cold_start.main(["--rounds", "1", "--out", str(out)])
    measures = json.loads(out.read_text())["measures"]
    assert measures.keys() == {"torch", "libraries", "ask", "chat", "mcp"}
    assert all(row["processor"] > 0 and row["wall"] > 0 for row in measures.values())
