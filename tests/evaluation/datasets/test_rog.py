"""RoG's rows, from JSON lines and from the hub's Parquet shards."""

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.evaluation.datasets import PER_QUESTION, read_dataset, read_samples
from groundwalk.evaluation.samples import Gold

from .files import json_file, json_lines, parquet


def row(name: str, **others: object) -> dict[str, Any]:
    return {
        "id": f"T-{name}",
        "question": f"what is {name}",
        "answer": ["A", "B", "A"],
        "q_entity": ["X", "absent"],
        "a_entity": ["A"],
        "graph": [["X", "r.s.t", "A"], ["X", "r.s.t", "A"], ["A", "r.s.u", "m.0x"]],
        **others,
    }


def test_a_row(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "dev.jsonl", [row("one")])
    (sample,) = read_samples("rog", file)
    assert (sample.id, sample.question) == ("T-one", "what is one")
    assert sample.answers == (Gold(label="A"), Gold(label="B"))
    assert sample.topics == ("X", "absent")
    assert list(sample.graph or ()) == [("X", "r.s.t", "A"), ("A", "r.s.u", "m.0x")]
    assert read_dataset("rog", tmp_path, "dev").kg == PER_QUESTION


def test_what_the_graph_holds_is_gold_where_no_answer_is_given(tmp_path: Path) -> None:
    rows = [row("one", answer=[]), row("two", answer=[], a_entity=[])]
    one, two = read_samples("rog", json_lines(tmp_path / "dev.jsonl", rows))
    assert one.answers == (Gold(label="A"),)
    assert two.answers == ()


def test_the_same_rows_in_every_format(tmp_path: Path) -> None:
    rows = [row(str(number)) for number in range(5)]
    lines = json_lines(tmp_path / "a" / "test.jsonl", rows)
    json_lines(tmp_path / "b" / "test.json", rows)
    json_file(tmp_path / "c" / "test.json", rows)
    (tmp_path / "d").mkdir()
    with lines.open("rb") as plain, gzip.open(tmp_path / "d" / "test.jsonl.gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    parquet(tmp_path / "e" / "data" / "test-00001-of-00002.parquet", rows[3:])
    parquet(tmp_path / "e" / "data" / "test-00000-of-00002.parquet", rows[:3])
    parquet(tmp_path / "e" / "data" / "train-00000-of-00001.parquet", rows[:1])
    expected = read_samples("rog", lines)
    assert len(expected) == 5
    for folder in "abcde":
        assert read_samples("rog", tmp_path / folder, "test") == expected


def test_a_shard_that_is_missing_is_named(tmp_path: Path) -> None:
    parquet(tmp_path / "data" / "test-00001-of-00002.parquet", [row("one")])
    with pytest.raises(DatasetError, match=r"has no test-00000-of-00002\.parquet"):
        read_samples("rog", tmp_path, "test")


def test_shards_of_two_versions(tmp_path: Path) -> None:
    for name in ("test-00000-of-00001", "test-00000-of-00001-0a1b2c"):
        parquet(tmp_path / f"{name}.parquet", [row("one")])
    with pytest.raises(DatasetError, match="several versions of test"):
        read_samples("rog", tmp_path, "test")


def test_a_broken_row_of_a_parquet_file_is_named(tmp_path: Path) -> None:
    rows = [row(str(number)) for number in range(70)]
    rows[66]["question"] = " "
    file = parquet(tmp_path / "test.parquet", rows)
    with pytest.raises(DatasetError, match=r"test\.parquet, row 67: `question` is not a text"):
        read_samples("rog", file)
    read = read_dataset("rog", file, on_broken="skip")
    assert (len(read.samples), read.skipped.count) == (69, 1)
    assert "row 67" in read.skipped.first[0]


def test_what_is_no_parquet(tmp_path: Path) -> None:
    file = tmp_path / "test.parquet"
    with pytest.raises(DatasetError, match=r"test\.parquet cannot be read: No such file"):
        read_samples("rog", file)
    file.write_bytes(b"PAR1 but not really PAR1")
    with pytest.raises(DatasetError, match=r"test\.parquet is not readable as Parquet"):
        read_samples("rog", file)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = parquet(tmp_path / "test.parquet", [row("one")])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError) as caught:
        read_samples("rog", file)
    assert "groundwalk[data]" in caught.value.hint


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("graph", None, "`graph` is missing"),
        ("graph", [["a", "b"]], r"\[head, relation, tail\]"),
        ("graph", [["a", "b", 3]], "`graph`"),
        ("graph", [["a", "b", ["c"]]], "`graph`"),
        ("graph", [["a", "b", " "]], "`graph`"),
        ("graph", [["a", "b", "\ud800"]], "half a character"),
        ("graph", "abc", "`graph` is not a list"),
        ("q_entity", "X", "`q_entity`"),
        ("answer", None, "`answer` is missing"),
        ("id", 1.5, "`id`"),
        ("id", True, "`id`"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, field: str, value: object, why: str) -> None:
    file = json_lines(tmp_path / "dev.jsonl", [row("one"), row("two") | {field: value}])
    with pytest.raises(DatasetError, match=rf"dev\.jsonl, line 2: .*{why}"):
        read_samples("rog", file)


@pytest.mark.data("webqsp-slices/dev.jsonl")
def test_webqsp_slices(public_data: Path) -> None:
    folder = public_data / "webqsp-slices"
    read = read_dataset("rog", folder, "dev")
    assert (len(read.samples), read.skipped.count) == (814, 0)
    with (folder / "dev.jsonl").open(encoding="utf-8") as lines:
        for line, sample in zip(lines, read.samples, strict=True):
            known = json.loads(line)
            names = {name for head, _, tail in sample.graph or () for name in (head, tail)}
            assert {gold.label for gold in sample.answers} >= {a.strip() for a in known["a_entity"]}
            assert names >= {name.strip() for name in known["a_entity"]}
