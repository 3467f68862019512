"""The benchmark of building: its graph is what it says, and every measure is taken."""

import json
from pathlib import Path

import pyoxigraph as ox
import pytest
from groundwalk.evaluation.benchmarks import building
from groundwalk.evaluation.benchmarks.building import write_graph


def test_the_graph_has_the_triples_asked_for_and_is_the_same_again(tmp_path: Path) -> None:
    entities = write_graph(tmp_path / "one.nt", 3_000)
    write_graph(tmp_path / "two.nt", 3_000)
    write_graph(tmp_path / "other.nt", 3_000, seed=1)
    one, two, other = ((tmp_path / name).read_bytes() for name in ("one.nt", "two.nt", "other.nt"))
    assert one == two != other
    quads = list(ox.parse(one, ox.RdfFormat.N_TRIPLES))
    assert len(quads) == 3_000
    assert sum(quad.predicate.value.endswith("#label") for quad in quads) == entities == 300


@pytest.mark.slow
def test_the_report_has_every_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.json"
    building.main(["--triples", "2000", "--folder", str(tmp_path), "--out", str(out)])
    report = json.loads(out.read_text())
    assert report["settings"]["triples"] == 2_000
    assert report["measures"].keys() == building.MEASURES.keys()
    assert all(row["value"] > 0 for row in report["measures"].values())
    ratio = report["measures"]["load"]["value"] / report["measures"]["bulk_load"]["value"]
    assert report["measures"]["ratio"]["value"] == pytest.approx(ratio, rel=0.01)
    lines = capsys.readouterr().out.splitlines()
    titles = [measure.title for measure in building.MEASURES.values()]
    assert [line.split("  ")[0] for line in lines[1 : len(titles) + 1]] == titles
    assert list(tmp_path.iterdir()) == [out]
