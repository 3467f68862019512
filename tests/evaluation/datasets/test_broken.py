"""What every reader does with what it cannot read."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.evaluation.datasets import DATASETS, read_dataset, read_samples
from groundwalk.evaluation.samples import Gold
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .files import json_lines, text_file

SPLITS = {"metaqa": "1-hop/dev", "pathquestion": "PQL-2H"}
FILES = {"metaqa": "1-hop/vanilla/qa_dev.txt", "pathquestion": "PQL-2H.txt"}
ON_DISK = sorted(set(DATASETS) - {"exam", "world"})
KEYS = (
    "id _id question answer answers q_entity a_entity graph evidences choices options answer_idx "
    "answerKey Questions questions Parses head vars results bindings boolean query stem term label"
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=6)
    ),
    max_leaves=20,
)
TEXTS = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
QUICK = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)


def location(folder: Path, dataset: str) -> Path:
    file = folder / FILES.get(dataset, "dev.json")
    file.parent.mkdir(parents=True, exist_ok=True)
    text_file(folder / "PQL2-KB.txt", "a\tb\tc")
    return file


@QUICK
@given(content=st.binary(max_size=200) | VALUES.map(lambda v: json.dumps(v).encode()))
@pytest.mark.parametrize("dataset", ON_DISK)
def test_garbage_is_refused_with_the_name_of_the_file(
    tmp_path: Path, dataset: str, content: bytes
) -> None:
    file = location(tmp_path, dataset)
    file.write_bytes(content)
    for on_broken in ("fail", "skip"):
        try:
            read_dataset(dataset, tmp_path, SPLITS.get(dataset, "dev"), on_broken)
        except DatasetError as error:
            assert str(file) in error.message
            assert "\n" not in error.message


@QUICK
@given(
    names=st.lists(TEXTS, min_size=6, max_size=6),
    more=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=5),
)
def test_any_text_survives(
    tmp_path: Path, names: list[str], more: list[tuple[str, str, str]]
) -> None:
    question, answer, topic, head, relation, tail = names
    graph = [(head, relation, tail), *more]
    row = {"id": "a", "question": question, "answer": [answer], "q_entity": [topic], "graph": graph}
    (sample,) = read_samples("rog", json_lines(tmp_path / "q.jsonl", [row]))
    assert sample.question == question.strip()
    assert sample.answers == (Gold(label=answer.strip()),)
    assert sample.topics == (topic.strip(),)
    kept = [tuple(name.strip() for name in triple) for triple in graph]
    assert list(sample.graph or ()) == list(dict.fromkeys(kept))
    own = {"question": question, "answers": [{"label": answer}], "graph": graph, "chains": [graph]}
    (mine,) = read_samples("jsonl", json_lines(tmp_path / "own.jsonl", [own]))
    assert (mine.question, mine.answers, mine.graph) == (
        sample.question,
        sample.answers,
        sample.graph,
    )
    assert [list(chain) for chain in mine.chains] == [kept]


def test_the_first_few_broken_lines_are_shown(tmp_path: Path) -> None:
    lines: list[Any] = [{"id": "a", "question": "q", "answers": ["A"]}] * 3 + [7, [], "x", None]
    file = json_lines(tmp_path / "q.jsonl", lines)
    read = read_dataset("jsonl", file, on_broken="skip")
    assert [sample.id for sample in read.samples] == ["a"]
    assert read.skipped.count == 6
    assert read.skipped.first == (
        f"{file}, line 2: the id 'a' occurs twice",
        f"{file}, line 3: the id 'a' occurs twice",
        f"{file}, line 4: is not a JSON object",
    )


def test_ids_of_several_files_are_compared(tmp_path: Path) -> None:
    from .files import parquet

    row: dict[str, object] = {"id": "a", "question": "q", "answers": ["A"]}
    for number in range(2):
        parquet(tmp_path / f"q-0000{number}-of-00002.parquet", [row])
    with pytest.raises(DatasetError, match=r"q-00001-of-00002\.parquet, row 1: the id 'a'"):
        read_samples("jsonl", tmp_path, "q")


def test_nothing_that_can_be_read(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "q.jsonl", [1, 2])
    with pytest.raises(DatasetError, match="holds no questions; 2 could not be read, such as .*1:"):
        read_dataset("jsonl", file, on_broken="skip")


@pytest.mark.parametrize("dataset", [name for name in ON_DISK if name not in SPLITS])
def test_a_folder_without_the_split(tmp_path: Path, dataset: str) -> None:
    (tmp_path / "other.txt").touch()
    with pytest.raises(DatasetError, match=r"has no .*dev.*\.jsonl or the like") as caught:
        read_samples(dataset, tmp_path, "dev")
    assert caught.value.hint == f"{tmp_path} holds other.txt"
    with pytest.raises(InputError, match="is a folder"):
        read_samples(dataset, tmp_path)
    with pytest.raises(InputError, match="no split"):
        read_samples(dataset, tmp_path, "../dev")
    with pytest.raises(DatasetError, match=r"none\.json cannot be read: No such file") as caught:
        read_samples(dataset, tmp_path / "none.json")
    assert "holds other.txt" in caught.value.hint


def test_what_a_wrong_metaqa_folder_holds(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"file{number:02}").touch()
    with pytest.raises(DatasetError, match=r"qa_dev\.txt cannot be read") as caught:
        read_samples("metaqa", tmp_path, "1-hop/dev")
    assert caught.value.hint.endswith("file06, file07 and 4 more")


def test_a_gzipped_file_that_ends_too_soon(tmp_path: Path) -> None:
    whole = gzip.compress(b'{"question": "q", "answers": []}\n' * 50)
    file = tmp_path / "q.jsonl.gz"
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatasetError, match=r"q\.jsonl\.gz is not a whole \.gz file"):
        read_samples("jsonl", file)
    file.write_bytes(b"plain")
    with pytest.raises(DatasetError, match=r"q\.jsonl\.gz is not a whole \.gz file"):
        read_samples("jsonl", file)


def test_a_list_that_is_not_json_says_where(tmp_path: Path) -> None:
    file = text_file(tmp_path / "q.json", "[", '{"question": "q", "answers": []},', "oops]")
    with pytest.raises(DatasetError, match=r"q\.json, line 3: is not JSON"):
        read_samples("jsonl", file)


def test_fields_of_ones_own(tmp_path: Path) -> None:
    line = {
        "question": "q",
        "answers": [{"label": "A", "aliases": ["a", "b"]}],
        "type": "t",
        "choices": ["A", "B"],
        "chains": [[["x", "r", "A"]]],
        "graph": [["x", "r", "A"]],
    }
    read = read_dataset("jsonl", json_lines(tmp_path / "q.jsonl", [line]))
    (sample,) = read.samples
    assert read.kg is None
    assert sample.answers == (Gold(label="A", aliases=("a", "b")),)
    assert (sample.type, sample.choices) == ("t", ("A", "B"))
    assert sample.chains == ((("x", "r", "A"),),)
    assert list(sample.graph or ()) == [("x", "r", "A")]
