"""Reading the lines of a run back."""

import json
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.evaluation.record_lines import question_key, read_records
from groundwalk.evaluation.records import Asked, answered
from groundwalk.evaluation.samples import Gold, Sample

from .stub_records import stub_records
from .stubs import proven, says


def write(folder: Path, *lines: object) -> Path:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "samples.jsonl").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return folder


def test_what_was_written_is_read(tmp_path: Path) -> None:
    chained = Sample("x", "q", (Gold(label="Lima"),), chains=((("Peru", "has", "Lima"),),))
    records = [*stub_records(), answered(chained, Asked("d", "s", "m"), says(proven("Lima")), 0.1)]
    run = write(tmp_path, *records)
    assert json.dumps(read_records(run)) == json.dumps(records)
    assert read_records(run / "samples.jsonl") == read_records(run)
    assert question_key(records[-1]) == ("d", "s", "x")


@pytest.mark.parametrize(("method", "words"), [("query", ["a reading", ""]), ("gcr", [""])])
def test_only_query_rejects_readings(method: str, words: list[str]) -> None:
    (chain,) = proven("Lima")["chains"]
    walk = {"steps": chain, "relevance": 0.25}
    readings = [{"query": {}, "words": "a reading", "probability": 0.5}]
    state: Any = {**says(), "readings": readings, "candidates": [walk]}
    sample = Sample("x", "q", (Gold(label="Lima"),))
    record = answered(sample, Asked("d", "s", method), state, 0.1)
    assert [rejected["words"] for rejected in record.get("rejected", [])] == words
    unwalked: Any = {**state, "candidates": []}
    nothing = answered(sample, Asked("d", "s", "gcr"), unwalked, 0.1)
    assert "rejected" not in nothing


def changed(**fields: Any) -> dict[str, Any]:
    record: dict[str, Any] = {**stub_records()[1], **fields}
    return {name: value for name, value in record.items() if value is not ...}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"schema": 1, "id"', "is not a record: Invalid JSON"),
        ("[1]", "is not a record: Input should be an object"),
        ({}, "is not a record: schema: Field required"),
        (changed(gold=...), "is not a record: gold: Field required"),
        (changed(status="fine"), "is not a record: status"),
        (changed(answers=[{"term": "<a>"}]), "is not a record: answers.0.label: Field required"),
        (changed(schema=3), "has schema 3, not 1 or 2"),
        (stub_records()[0], "s1 was answered before, in line 1"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: object, reason: str) -> None:
    run = write(tmp_path, stub_records()[0], "", line)
    with pytest.raises(InputError) as raised:
        read_records(run)
    assert f"samples.jsonl, line 3: {reason}" in raised.value.message
    assert "\n" not in raised.value.message


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_records(tmp_path)
    with pytest.raises(InputError, match="holds no lines"):
        read_records(write(tmp_path))
