"""A long conversation in one process: what it holds is bounded, and every measure is taken."""

import json
from pathlib import Path

import pytest
from groundwalk.evaluation.benchmarks import long_chat
from groundwalk.evaluation.benchmarks.long_chat import Window, measure, memory_slope


def window(turns: int, resident: float) -> Window:
    return Window(turns, turns, 0.1, 0.2, 0.1, 0.1, 0.2, 0.1, resident, 1.0, 1, 4)


def test_the_slope_is_that_of_a_line_after_the_first_window() -> None:
    windows = [window(500, 100.0), *(window(500, 300.0 + 4 * n) for n in range(1, 8))]
    assert memory_slope(windows) == pytest.approx(8.0)
    assert memory_slope([window(100, 5.0), *(window(100, 7.0) for _ in range(3))]) == 0.0


def test_every_measure_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.json"
    given = ["--turns", "24", "--every", "8", "--method", "plan", "--out", str(out)]
    assert long_chat.main(given) == 0
    said = capsys.readouterr()
    assert "resident a thousand turns, after the first 8" in said.out
    rows = json.loads(out.read_text())
    assert [row["turns"] for row in rows] == [8, 8, 8]
    assert all(0 < row["long_p50"] <= row["long_p95"] and row["resident"] > 1 for row in rows)
    assert any(row["answered"] for row in rows)
    assert long_chat.main(["--method", "none"]) == 2
    assert "no method 'none'" in capsys.readouterr().err


@pytest.mark.slow
def test_memory_and_threads_stay_bounded() -> None:
    first, *rest = measure(300, 50)
    assert sum(own.answered for own in (first, *rest)) > 200
    assert rest[-1].resident - rest[0].resident < 15
    assert memory_slope([first, *rest]) < 50
    assert rest[-1].database < 15
    assert all(own.cached <= own.bound for own in rest)
    assert rest[-1].long_cpu < 2 * rest[0].long_cpu
