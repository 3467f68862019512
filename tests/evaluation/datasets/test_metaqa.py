"""MetaQA's question types; its questions are tested in test_datasets.py."""

from pathlib import Path

import pytest
from groundwalk.agent.errors import DatasetError
from groundwalk.evaluation.datasets import read_dataset, read_samples

from .files import text_file


def test_the_types_of_both_wordings(tmp_path: Path) -> None:
    for wording in ("vanilla", "ntm"):
        text_file(tmp_path / "2-hop" / wording / "qa_dev.txt", "who is [A]\tB", "and [C]\tD")
    text_file(tmp_path / "2-hop" / "qa_dev_qtype.txt", "a_to_b", "c_to_d")
    for split in ("2-hop/dev", "2-hop/ntm/dev"):
        read = read_dataset("metaqa", tmp_path, split)
        assert [sample.type for sample in read.samples] == ["a_to_b", "c_to_d"]
        assert read.kg == str(tmp_path / "kb.txt")


def test_types_of_other_questions(tmp_path: Path) -> None:
    text_file(tmp_path / "1-hop" / "vanilla" / "qa_dev.txt", "who is [A]\tB", "and [C]\tD")
    text_file(tmp_path / "1-hop" / "qa_dev_qtype.txt", "a_to_b")
    with pytest.raises(DatasetError, match=r"qa_dev_qtype\.txt has 1 lines for 2 questions"):
        read_samples("metaqa", tmp_path, "1-hop/dev")


def test_a_line_that_is_left_out_takes_its_type_along(tmp_path: Path) -> None:
    file = tmp_path / "1-hop" / "vanilla" / "qa_dev.txt"
    text_file(file, "who is [A]\tB", "broken", "and [C]\tD")
    text_file(tmp_path / "1-hop" / "qa_dev_qtype.txt", "one", "two", "three")
    read = read_dataset("metaqa", tmp_path, "1-hop/dev", "skip")
    assert [(s.id[-1], s.type) for s in read.samples] == [("1", "one"), ("3", "three")]
    assert read.skipped.count == 1
    assert read.skipped.first == (f"{file}, line 2: is not `question TAB answer|answer`",)
