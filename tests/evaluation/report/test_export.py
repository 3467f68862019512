"""All results as a table: whole, in both formats, and nothing that a spreadsheet computes."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.evaluation.report.build import build_report
from groundwalk.evaluation.report.export import row_of, written

from .runs import ASKED, HOSTILE, records, write_run


def exported(tmp_path: Path, lines: Any, ending: str) -> Path:
    file = tmp_path / f"all{ending}"
    build_report([write_run(tmp_path / "run", lines)], export=file)
    return file


def test_a_row_for_every_result(tmp_path: Path) -> None:
    lines = [*records(), *records(ASKED._replace(method="dog"))]
    rows = json.loads(exported(tmp_path, lines, ".json").read_text(encoding="utf-8"))
    assert [(row["id"], row["method"]) for row in rows] == [(x["id"], x["method"]) for x in lines]
    assert all(row["run"] == "run" and list(row) == list(rows[0]) for row in rows)
    right, wrong, *_, failed = rows[:7]
    assert right["right"] and right["answers"] == right["gold"] == ["Lima"]
    assert right["walk"] == "Titicaca -> in -> Peru; Peru -> capital -> Lima"
    assert (
        not wrong["right"] and wrong["answers"] == ["Chile", "Peru"] and wrong["precision"] == 0.5
    )
    assert failed["status"] == "error" and failed["error"] == "service: no answer"
    assert rows[4]["f1"] is None and rows[4]["right"]


def test_both_formats_say_the_same(tmp_path: Path) -> None:
    as_json = json.loads(exported(tmp_path, records(), ".json").read_text(encoding="utf-8"))
    text = exported(tmp_path, records(), ".csv").read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")  # or Excel would take it for Latin-1
    rows = list(csv.DictReader(text.decode("utf-8-sig").splitlines()))
    for row, whole in zip(rows, as_json, strict=True):
        for name, value in whole.items():
            words = "; ".join(value) if isinstance(value, list) else value
            spelled = str(words).lower() if isinstance(words, bool) else str(words)
            assert row[name] == ("" if value is None else spelled)


@pytest.mark.parametrize("text", [*HOSTILE, "=1+1", "@SUM(A1)", "-2+3", "+1", "\t=1", 'a"b,c;d'])
def test_no_text_breaks_a_row_or_is_computed(tmp_path: Path, text: str) -> None:
    lines = records()[:1]
    lines[0]["question"] = lines[0]["answers"][0]["label"] = text
    table = exported(tmp_path, lines, ".csv").read_text(encoding="utf-8-sig")
    first, *rest = csv.DictReader(table.splitlines())
    assert not rest and set(first) == set(next(csv.reader(table.splitlines())))
    for name in ("question", "answers"):
        assert first[name] and not first[name].startswith(("=", "+", "-", "@", "\t", "\r"))
        assert "\n" not in first[name] and first[name].isprintable()
    whole = json.loads(exported(tmp_path, lines, ".json").read_text(encoding="utf-8"))
    assert whole[0]["question"] == text and whole[0]["answers"] == [text]


def test_numbers_that_json_lacks() -> None:
    lines = records()[:1]
    lines[0]["confidence"] = float("nan")
    text = written([row_of("run", lines[0])], Path("all.json"))
    (row,) = json.loads(text, parse_constant=pytest.fail)
    assert row["confidence"] is None


def test_another_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    with pytest.raises(InputError, match=r"all\.xlsx: is none of \.csv, \.json"):
        build_report([folder], export=tmp_path / "all.xlsx")
    assert not (folder / "report.html").exists()
