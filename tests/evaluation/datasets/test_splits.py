"""A split has one name, however it is written: runs are compared and taken up by it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from groundwalk.evaluation.datasets import DATASETS, read_dataset

from .files import json_lines, text_file
from .test_other_formats import COMMON, trivia


def _metaqa(folder: Path) -> None:
    for wording in ("vanilla", "ntm"):
        text_file(folder / "1-hop" / wording / "qa_dev.txt", f"who is [A] ({wording})\tB")


def _freebaseqa(folder: Path) -> None:
    text_file(folder / "FreebaseQA-eval.json", json.dumps(trivia()))


def _commonsenseqa(folder: Path) -> None:
    json_lines(folder / "dev_rand_split.jsonl", [COMMON])


def _qald(folder: Path) -> None:
    wordings = [{"language": tag, "string": f"Who ({tag})?"} for tag in ("en", "de")]
    question = {"id": 1, "question": wordings, "answers": []}
    text_file(folder / "test.json", json.dumps({"questions": [question]}))


@pytest.mark.parametrize(
    ("dataset", "write", "ways", "other"),
    [
        ("metaqa", _metaqa, ("1-hop/dev", "1-hop/vanilla/dev"), "1-hop/ntm/dev"),
        ("freebaseqa", _freebaseqa, ("eval", "FreebaseQA-eval"), ""),
        ("commonsenseqa", _commonsenseqa, ("dev", "dev_rand_split"), ""),
        ("qald", _qald, ("test", "test@en"), "test@de"),
        ("world", None, ("test", ""), "tuning"),
    ],
)
def test_all_ways_to_write_a_split_are_one(
    tmp_path: Path,
    dataset: str,
    write: Callable[[Path], None] | None,
    ways: tuple[str, str],
    other: str,
) -> None:
    data = tmp_path if write else None
    if write:
        write(tmp_path)
    first, second = (read_dataset(dataset, data, way) for way in ways)
    assert first == second
    assert first.split == second.split == ways[0]
    if other:
        different = read_dataset(dataset, data, other)
        assert different.split == other
        assert different.samples != first.samples


def test_a_canonical_name_is_its_own(tmp_path: Path) -> None:
    names = ("", "test", "1-hop/dev", "1-hop/ntm/dev", "PQL-2H", "test@de", "@de", "validation")
    for reader in DATASETS.values():
        for name in names:
            assert reader.split(reader.split(name)) == reader.split(name)
