"""PathQuestion's lines: answer sets, gold paths and the direction of their triples."""

from pathlib import Path

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.evaluation.datasets import read_dataset, read_samples
from groundwalk.evaluation.samples import Gold

from .files import text_file

KB = (
    "Ada_(poet)\tmother\tBea",
    "Cy\tchild\tBea",
    "Bea\ttwin\tBea",
    "Bea\tpeer\tDi",
    "Di\tpeer\tBea",
)


def large(folder: Path, *lines: str) -> Path:
    text_file(folder / "PQL2-KB.txt", *KB)
    text_file(folder / "PQL-2H.txt", *lines)
    return folder


def test_a_line(tmp_path: Path) -> None:
    large(
        tmp_path, " whose is Ada_(poet) 's mother ?\tCy(Cy/Di_(x)/)\tAda_(poet)#mother#Bea#child#Cy"
    )
    read = read_dataset("pathquestion", tmp_path, "PQL-2H")
    (sample,) = read.samples
    assert sample.id == "PQL-2H-000001"
    assert sample.question == "whose is Ada_(poet) 's mother ?"
    assert sample.answers == (Gold(label="Cy"), Gold(label="Di_(x)"))
    assert (sample.topics, sample.hops, sample.type) == (("Ada_(poet)",), 2, "mother#child")
    # The KG holds the second triple the other way round.
    assert sample.chains == ((("Ada_(poet)", "mother", "Bea"), ("Cy", "child", "Bea")),)
    assert read.kg == str(tmp_path / "PQL2-KB.txt")


def test_a_triple_that_the_kg_holds_both_ways_stays(tmp_path: Path) -> None:
    large(tmp_path, "q\tDi(Di/)\tBea#twin#Bea#peer#Di")
    (sample,) = read_samples("pathquestion", tmp_path, "PQL-2H")
    assert sample.chains == ((("Bea", "twin", "Bea"), ("Bea", "peer", "Di")),)


def test_brackets_in_answers(tmp_path: Path) -> None:
    large(tmp_path, "q\tPG_(USA)(PG_(USA)/)\tBea#twin#Bea#rated#PG_(USA)")
    (sample,) = read_samples("pathquestion", tmp_path, "PQL-2H")
    assert sample.answers == (Gold(label="PG_(USA)"),)


def test_the_paths_of_a_question_that_is_asked_again(tmp_path: Path) -> None:
    asked = (("same ?", "X", "Di"), ("other ?", "X", "Cy"), ("same ?", "Y", "Cy"))
    lines = [f"{q}\t{end}(Di/Cy/)\tBea#twin#Bea#{last}#{end}" for q, last, end in asked]
    first, other, again = read_samples("pathquestion", large(tmp_path, *lines), "PQL-2H")
    assert [chain[-1] for chain in first.chains] == [("Bea", "X", "Di"), ("Bea", "Y", "Cy")]
    assert [chain[-1] for chain in again.chains] == [("Bea", "Y", "Cy"), ("Bea", "X", "Di")]
    assert len(other.chains) == 1
    assert first.id != again.id


def test_the_small_version_ends_its_paths_twice(tmp_path: Path) -> None:
    text_file(tmp_path / "3H-kb.txt", "ada\tparents\tbea")
    text_file(tmp_path / "PQ-3H.txt", "q ?\td(d/)\tada#parents#bea#x#c#y#d#<end>#d")
    read = read_dataset("pathquestion", tmp_path, "PQ-3H")
    assert read.samples[0].hops == 3
    assert read.samples[0].chains[0][-1] == ("c", "y", "d")
    assert read.kg == str(tmp_path / "3H-kb.txt")


@pytest.mark.parametrize(
    "line",
    [
        "q\ta(a/)",
        "q\ta(a/)\ta#b",
        "q\ta(a/)\ta#b#c#d",
        "q\ta(a/)\ta##c",
        "q\ta\ta#b#c",
        "q\ta(b/)\ta#b#c",
        "q\ta(a)\ta#b#c",
        "q\ta(a//)\ta#b#c",
        " \ta(a/)\ta#b#c",
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    large(tmp_path, "q\ta(a/)\tx#r#a", line)
    with pytest.raises(DatasetError, match=r"PQL-2H\.txt, line 2: "):
        read_samples("pathquestion", tmp_path, "PQL-2H")
    read = read_dataset("pathquestion", tmp_path, "PQL-2H", "skip")
    assert (len(read.samples), read.skipped.count) == (1, 1)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no split '2H'"):
        read_samples("pathquestion", tmp_path, "2H")
    text_file(tmp_path / "PQL-2H.txt", "q\ta(a/)\tx#r#a")
    with pytest.raises(DatasetError, match=r"PQL2-KB\.txt cannot be read") as caught:
        read_samples("pathquestion", tmp_path, "PQL-2H")
    assert "holds PQL-2H.txt" in caught.value.hint
    (tmp_path / "PQL2-KB.txt").write_bytes(b"a\tb\tc\n\xff")
    with pytest.raises(DatasetError, match=r"PQL2-KB\.txt, line 2: is not UTF-8"):
        read_samples("pathquestion", tmp_path, "PQL-2H")


@pytest.mark.data("pathquestion/PQL-2H.txt", "pathquestion/PQL-3H.txt")
@pytest.mark.parametrize(("split", "count", "hops"), [("PQL-2H", 1594, 2), ("PQL-3H", 1031, 3)])
def test_all_of_pathquestion_large(public_data: Path, split: str, count: int, hops: int) -> None:
    folder = public_data / "pathquestion"
    read = read_dataset("pathquestion", folder, split)
    assert len(read.samples) == count
    assert {sample.hops for sample in read.samples} == {hops}
    with Path(read.kg or "").open(encoding="utf-8") as lines:
        held = {tuple(line.rstrip("\n").split("\t")) for line in lines}
    for sample in read.samples:
        assert all(triple in held for chain in sample.chains for triple in chain)
        assert sample.chains[0][0][0] == sample.topics[0]
        assert all(sample.topics[0] in (chain[0][0], chain[0][2]) for chain in sample.chains)
