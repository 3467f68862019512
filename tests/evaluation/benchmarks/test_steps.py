"""The benchmark of training steps times every optimizer on the same batches."""

import json
from pathlib import Path

import pytest
from groundwalk.evaluation.benchmarks import steps
from groundwalk.training.recipe import Size


@pytest.mark.slow
def test_every_way_is_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def tiny() -> Size:
        return Size(width=64, layers=1, heads=1)

    monkeypatch.setattr(steps, "Size", tiny)
    out = tmp_path / "steps.json"
    assert steps.main(["--steps", "1", "--float32", "--out", str(out)]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert list(report["seconds"]) == ["AdamW", "Muon in bfloat16", "Muon in float32"]
    assert all(seconds > 0 for seconds in report["seconds"].values())
    assert report["used"] == ["AdamW", "Muon in float32"]
    lines = steps.table(report)
    assert [line.endswith("used") for line in lines[1:4]] == [True, False, True]
