"""What the builder of the world graph refuses, and how it writes terms."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from groundwalk.data.world import build, reading, terms


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("countries.tsv", "\tkabul\t", "\tkabull\t", r"countries\.tsv:2: .*city .*'kabull'"),
        ("countries.tsv", "\tkabul\t", "\tparis\t", r"countries\.tsv:2: .*'paris' .*'france'"),
        ("countries.tsv", "\tkabul\t", "\t\t", r"countries\.tsv:2: .*'capitals' is empty"),
        ("countries.tsv", "albania\t", "afghanistan\t", r"countries\.tsv:3: .*already on line 2"),
        ("countries.tsv", "\tasia\t", "\teurope\t", r"countries\.tsv:2: .*not a continent of"),
        ("countries.tsv", "key\t", "id\t", r"countries\.tsv:1: the columns"),
        ("countries.tsv", "Albania\t", "Albania\t\t", r"countries\.tsv:3: 13 cells"),
        ("countries.tsv", "Albania\t", "Albania \t", r"countries\.tsv:3: stray white space"),
        ("countries.tsv", "pashto; dari", "pashto;dari", r"countries\.tsv:2: .*'pashto;dari'"),
        ("countries.tsv", "pashto; dari", "dari; dari", r"countries\.tsv:2: .*twice"),
        ("borders.tsv", "afghanistan\tchina", "afghanistan\tchna", r"borders\.tsv:2: .*'chna'"),
        ("borders.tsv", "afghanistan\tiran", "china\tafghanistan", r"borders\.tsv:3: .*line 2"),
        ("borders.tsv", "afghanistan\tchina", "china\tchina", r"borders\.tsv:2: .*itself"),
        ("regions.tsv", "state of Brazil", "department of Peru", r"regions\.tsv:4: label and desc"),
        ("relations.tsv", "\tCountry\tCity", "\tCity\tCity", r"relations\.tsv:\d+: 'capital'"),
        ("classes.tsv", "Language\t", "Tongue\t", r"the class 'Language' is missing|'Language'"),
        (
            "relations.tsv",
            "\tLake; Ocean",
            "\tOcean",
            r"relations\.tsv:\d+: 'mouth' points to 'Lake'",
        ),
        (
            "countries.tsv",
            "kabul\tkabul\t",
            "kabul\tlima\t",
            r"countries\.tsv:2: .*'lima' .*'peru'",
        ),
        ("countries.tsv", "\tadriatic-sea", "\tlake:dead-sea", r"countries\.tsv:3: .*kind 'lake'"),
        (
            "countries.tsv",
            "\tadriatic-sea",
            "\tdead-sea",
            r"countries\.tsv:3: .*no sea .*'dead-sea'",
        ),
        ("cities.tsv", "\tyamuna\t", "\trhine\t", r"cities\.tsv:\d+: 'rhine' does not flow"),
        ("organisations.tsv", "benelux\tB", "benelux\tb\tB", r"organisations\.tsv:\d+: 6 cells"),
        (
            "organisations.tsv",
            "; brunei;",
            "; bruni;",
            r"organisations\.tsv:\d+: .*country .*'bruni'",
        ),
        ("rivers.tsv", "\trhine\t", "\t\t", r"rivers\.tsv:2: column 'mouth' is empty"),
        ("rivers.tsv", "\trhine\t", "\tthames\t", r"rivers\.tsv:2: 'thames' does not touch"),
        (
            "rivers.tsv",
            "\tsea:black-sea\t2850",
            "\tdrava\t2850",
            r"rivers\.tsv:\d+: '\w+' flows into",
        ),
        ("rivers.tsv", "\t410\t", "\t410 km\t", r"rivers\.tsv:3: '410 km' .*'length'"),
        ("mountains.tsv", "\targentina\t", "\tfrance\t", r"mountains\.tsv:2: 'andes' .*'france'"),
    ],
)
def test_a_mistake_in_a_table_is_named(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = tmp_path / "tables"
    shutil.copytree(reading.TABLES, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(terms.WorldError, match=message):
        reading.load(folder)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(terms.WorldError, match=r"classes\.tsv:1: "):
        reading.load(tmp_path)


def test_a_number_is_written_as_an_integer() -> None:
    assert terms.Number(8849).turtle() == "8849"


def test_text_is_escaped() -> None:
    assert terms.Text('a "b" \\ c').turtle() == '"a \\"b\\" \\\\ c"@en'


def test_check_says_whether_the_file_is_current(tmp_path: Path) -> None:
    path = tmp_path / "world.ttl"
    assert not build.is_current("text", path)
    path.write_text("other", encoding="utf-8")
    assert not build.is_current("text", path)
    path.write_text("text", encoding="utf-8")
    assert build.is_current("text", path)
    assert build.main(["--check"]) == 0
