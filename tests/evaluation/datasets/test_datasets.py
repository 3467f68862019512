"""Question sets are read as they stand, and broken ones say where they break."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.evaluation.datasets import read_samples
from groundwalk.evaluation.datasets.jsonl import read_jsonl, read_world
from groundwalk.evaluation.samples import Gold, Sample, of_part, part_of


def metaqa(folder: Path, *lines: str, split: str = "1-hop/vanilla/qa_dev.txt") -> Path:
    file = folder / split
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def jsonl(folder: Path, *lines: object) -> Path:
    file = folder / "mine.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("\n".join(texts), encoding="utf-8")
    return file


def test_a_metaqa_line(tmp_path: Path) -> None:
    folder = metaqa(tmp_path, "what does [Tom Cullen] act in\tWeekend|Desert Dancer|Weekend")
    assert read_samples("metaqa", folder, "1-hop/dev") == (
        Sample(
            id="metaqa-1hop-dev-000001",
            question="what does [Tom Cullen] act in",
            answers=(Gold(label="Weekend"), Gold(label="Desert Dancer")),
            topics=("Tom Cullen",),
            hops=1,
        ),
    )


def test_ids_and_hops_come_from_the_split_and_the_line(tmp_path: Path) -> None:
    folder = metaqa(
        tmp_path, "", "who is [A]\tB", "", "who is [[B]]\tC", split="3-hop/ntm/qa_x.txt"
    )
    samples = read_samples("metaqa", folder, "3-hop/ntm/x")
    assert [s.id for s in samples] == ["metaqa-3hop-ntm-x-000002", "metaqa-3hop-ntm-x-000004"]
    assert [(s.hops, s.topics) for s in samples] == [(3, ("A",)), (3, ("[B]",))]


@pytest.mark.parametrize(
    "line", ["who is [A]", "who is [A]\t", "who is [A]\tB||C", "who is A\tB", "[]\tB", "[A]\tB\tC"]
)
def test_a_broken_metaqa_line_is_named(tmp_path: Path, line: str) -> None:
    folder = metaqa(tmp_path, "who is [A]\tB", line)
    with pytest.raises(DatasetError, match=r"qa_dev\.txt, line 2: "):
        read_samples("metaqa", folder, "1-hop/dev")


def test_the_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"2-hop.vanilla.qa_test\.txt cannot be read: No such"):
        read_samples("metaqa", tmp_path, "2-hop/test")
    with pytest.raises(DatasetError, match=r"none\.jsonl cannot be read"):
        read_samples("jsonl", tmp_path / "none.jsonl")


@pytest.mark.parametrize("split", ["", "dev", "1-hop", "../../1-hop/dev", "1-hop/../dev"])
def test_a_split_that_metaqa_has_not(tmp_path: Path, split: str) -> None:
    with pytest.raises(InputError, match="no split"):
        read_samples("metaqa", tmp_path, split)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = jsonl(
        tmp_path,
        {"question": " Who? ", "answers": ["Ada", "<https://e.org/b>", '"1815"^^<urn:y>', '"Z"']},
        {"id": 7, "question": "None?", "answers": [], "topics": ["A"], "hops": 2, "tags": ["x"]},
        {"id": "t", "question": "What?", "answers": [{"term": "<urn:c>", "label": "C"}], "new": 1},
    )
    first, second, third = read_samples("jsonl", file)
    assert (first.id, first.question) == ("mine-000001", "Who?")
    assert first.answers == (
        Gold(label="Ada"),
        Gold(term="<https://e.org/b>"),
        Gold(term='"1815"^^<urn:y>', label="1815"),
        Gold(label='"Z"'),
    )
    assert second == Sample("7", "None?", (), ("A",), 2, ("x",))
    assert third.answers == (Gold("<urn:c>", "C"),)
    assert read_samples("jsonl", tmp_path, "mine") == (first, second, third)
    assert read_samples("jsonl", file, "mine") == (first, second, third)
    with pytest.raises(InputError, match=r"mine\.jsonl is one file, and has no split 'test'"):
        read_samples("jsonl", file, "test")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "recursion"),
        ("[]", "not a JSON object"),
        ({"answers": []}, "`question`"),
        ({"question": "  ", "answers": []}, "`question`"),
        ({"question": 3, "answers": []}, "`question`"),
        ({"question": "\ud800", "answers": []}, "half a character"),
        ({"question": "q"}, "`answers`"),
        ({"question": "q", "answers": "A"}, "`answers`"),
        ({"question": "q", "answers": [None]}, "`answers`"),
        ({"question": "q", "answers": [{}]}, "neither"),
        ({"question": "q", "answers": [{"term": "http://x/a"}]}, "`term` is not in N-Triples"),
        ({"question": "q", "answers": [{"term": "a", "label": "a"}]}, "such as <http://"),
        ({"question": "q", "answers": [], "hops": "2"}, "`hops`"),
        ({"question": "q", "answers": [], "hops": True}, "`hops`"),
        ({"question": "q", "answers": [], "topics": "A"}, "`topics`"),
    ],
)
def test_a_broken_json_line_is_named(tmp_path: Path, line: object, why: str) -> None:
    file = jsonl(tmp_path, {"question": "q", "answers": ["a"]}, line)
    with pytest.raises(DatasetError, match=rf"mine\.jsonl, line 2: .*{why}"):
        read_jsonl(file)


def test_an_id_twice(tmp_path: Path) -> None:
    line = {"id": "a", "question": "q", "answers": []}
    with pytest.raises(DatasetError, match=r"mine\.jsonl.*'a' occurs twice"):
        read_jsonl(jsonl(tmp_path, line, line))


def test_other_bytes_and_other_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"question": "a\xe2\x80\xa8b", "answers": []}\r\n\r\n')
    assert read_jsonl(file)[0].question == "a\u2028b"
    file.write_bytes(b'{"question": "a", "answers": []}\n"\xff"')
    with pytest.raises(DatasetError, match="line 2: is not UTF-8"):
        read_jsonl(file)
    file.write_bytes(b"\n\n")
    with pytest.raises(DatasetError, match="no questions"):
        read_jsonl(file)


def test_what_a_dataset_needs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no dataset 'webqsp'"):
        read_samples("webqsp")
    with pytest.raises(InputError, match="not bundled"):
        read_samples("metaqa", None, "1-hop/dev")
    with pytest.raises(InputError, match="is a folder"):
        read_samples("jsonl", tmp_path)
    with pytest.raises(InputError, match="bundled"):
        read_samples("world", tmp_path)


def test_the_world_questions() -> None:
    samples = read_world()
    assert Counter(s.hops for s in samples) == {1: 118, 2: 104, 3: 42, None: 76}
    assert all(bool(s.answers) == (s.hops is not None) for s in samples)
    assert samples == read_samples("world")
    topics = [topic for s in samples for topic in s.topics]
    terms = [gold.term for s in samples for gold in s.answers]
    number = re.compile(r'"\d+"\^\^<http://www\.w3\.org/2001/XMLSchema#integer>')
    assert all(t.startswith("<https://") or number.fullmatch(t) for t in topics + terms)
    assert all(gold.label for s in samples for gold in s.answers)


def test_choosing_a_part_and_the_first_few() -> None:
    samples = read_world()
    reported = of_part(samples, "report")
    assert reported == tuple(s for s in samples if part_of(s.question) == "report")
    assert of_part(samples) == samples
    parts = [of_part(samples, name) for name in ("train", "tune", "report")]
    assert sum(map(len, parts)) == len(samples)


def test_a_choice_that_leaves_nothing() -> None:
    only = next(s for s in read_world() if part_of(s.question) != "tune")
    with pytest.raises(DatasetError, match="'tune'"):
        of_part([only], "tune")
    with pytest.raises(InputError, match="no part"):
        of_part([only], "dev")  # type: ignore[arg-type]


@pytest.mark.data("metaqa/1-hop", "metaqa/2-hop", "metaqa/3-hop")
@pytest.mark.parametrize(
    ("split", "count", "types"),
    [
        ("1-hop/dev", 9_992, 13),
        ("1-hop/ntm/dev", 9_992, 13),
        ("2-hop/dev", 14_872, 21),
        ("3-hop/dev", 14_274, 15),
    ],
)
def test_all_of_metaqa(public_data: Path, split: str, count: int, types: int) -> None:
    samples, hops = read_samples("metaqa", public_data / "metaqa", split), int(split[0])
    assert len(samples) == count
    assert {s.hops for s in samples} == {len(s.path) for s in samples} == {hops}
    assert all(s.answers and f"[{s.topics[0]}]" in s.question for s in samples)
    assert 0.27 < len(of_part(samples, "report")) / count < 0.33
    names = {s.type for s in samples}
    assert len(names) == types and all(name.count("_to_") == hops for name in names)
