"""The benchmark of large graphs: what it asks is what it wrote, and all of it is answered."""

import json
from pathlib import Path

import pyoxigraph as ox
import pytest
from groundwalk.evaluation.benchmarks import large
from groundwalk.evaluation.benchmarks.large import write_people

PEOPLE = 200
BASE = "http://example.org"


def test_the_answers_are_those_of_the_graph(tmp_path: Path) -> None:
    asked = write_people(tmp_path / "one.nt", PEOPLE)
    assert write_people(tmp_path / "two.nt", PEOPLE) == asked
    text = (tmp_path / "one.nt").read_bytes()
    assert text == (tmp_path / "two.nt").read_bytes()
    store = ox.Store()
    store.load(text, format=ox.RdfFormat.N_TRIPLES)
    answers = {kind: [one.answer for one in asked if one.kind == kind] for kind in large.KINDS}
    assert {kind: len(found) for kind, found in answers.items()} == {
        "step": 20,
        "two steps": 20,
        "count": 1,
        "extreme": 1,
        "filter": 1,
    }
    salaries = {
        quad.subject: int(quad.object.value)
        for quad in store.quads_for_pattern(None, ox.NamedNode(f"{BASE}/salary"), None)
        if isinstance(quad.object, ox.Literal)
    }
    assert answers["count"] == [str(len(salaries))] == [str(PEOPLE)]
    assert answers["filter"] == [str(sum(salary > 90_000_000 for salary in salaries.values()))]
    label = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    best = max(salaries, key=lambda person: salaries[person])
    (name,) = store.quads_for_pattern(best, label, None)
    assert isinstance(name.object, ox.Literal)
    assert answers["extreme"] == [name.object.value]


@pytest.mark.slow
def test_the_report_has_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.json"
    wanted = ["--triples", "2000", "--rounds", "1", "--folder", str(tmp_path), "--out", str(out)]
    assert large.main(wanted) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["stages"].keys() == large.STAGES.keys()
    assert report["sizes"].keys() == large.SIZES.keys()
    assert report["questions"].keys() == large.KINDS.keys()
    assert all(row["right"] == row["asked"] for row in report["questions"].values())
    shown = capsys.readouterr().out
    assert all(title in shown for title in (*large.STAGES.values(), *large.KINDS.values()))
    assert list(tmp_path.iterdir()) == [out]
