"""Whatever a file holds: it is read, or one of our errors says in a line what is wrong with it."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, GroundwalkError, KGError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.kg.files import sources
from groundwalk.agent.kg.profile import load_profile
from groundwalk.agent.llm.bag_of_words import read_baselines, read_scope
from groundwalk.agent.llm.model_folder import ModelSettings, read_settings
from groundwalk.evaluation.datasets import read_samples
from groundwalk.evaluation.record_lines import read_records
from groundwalk.evaluation.report.runs import read_runs
from groundwalk.evaluation.scoring.predictions import score_file
from groundwalk.graphs.paths.file import read_retrieved
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from . import bombs
from .strategies import graphs, half_texts, texts

FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
DEEP = b"[" * 100_000
GRAPHS = ("ttl", "nt", "nq", "trig", "rdf", "jsonld", "n3", "kb", "tsv", "txt", "nt.gz", "kb.gz")

KEYS = (
    "format hops inverse masked formats chains confidence confidences kg bias weights paths "
    "classes features templates id question prediction ground_truth candidates entity score "
    "triples schema method methods questions begun answers"
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | half_texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS.split()) | texts, inner, max_size=4)
    ),
    max_leaves=12,
)
CONTENTS = st.binary(max_size=80) | VALUES.map(lambda value: json.dumps(value).encode())


def in_a_line(read: Callable[[], object]) -> None:
    try:
        read()
    except GroundwalkError as error:
        assert error.message and "\n" not in error.message


def opened(file: Path) -> None:
    open_kg(str(file), cache=file).close()  # its cache is no folder: it is built in memory


@FEW
@given(form=st.sampled_from(GRAPHS), graph=graphs, cut=st.integers(0, 400), junk=CONTENTS)
def test_graphs(tmp_path: Path, form: str, graph: Any, cut: int, junk: bytes) -> None:
    whole = graph.text.encode()
    content = whole[:cut] + junk + whole[cut + len(junk) :]
    file = tmp_path / f"graph.{form}"
    file.write_bytes(gzip.compress(content) if form.endswith("gz") and cut % 2 else content)
    in_a_line(lambda: opened(file))


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "settings": ("groundwalk.json", lambda file: read_settings(file.parent)),
    "scope": ("scope.json", lambda file: read_scope(file.parent)),
    "baselines": ("baselines.json", lambda file: read_baselines(str(file.parent))),
    "records": ("samples.jsonl", read_records),
    "predictions": ("predictions.jsonl", lambda file: score_file(file, "gcr")),
    "run": ("config.json", lambda file: read_runs([file.parent], lambda _name, _record: None)),
    "retrieved": ("found.jsonl", lambda file: read_retrieved(str(file))),
    "profile": ("own.toml", lambda file: load_profile(str(file))),
    "questions": ("own.jsonl", lambda file: read_samples("jsonl", file)),
    "rog": ("rog.jsonl", lambda file: read_samples("rog", file)),
}


@pytest.mark.parametrize("reader", READERS)
@FEW
@given(content=CONTENTS)
@example(content=DEEP)
@example(content=b"a=" + DEEP)
@example(content=b'{"question":' * 100_000)
@example(content=b'{"format": 1, "hops": "two"}')
@example(content=b'{"bias": 1' + b"0" * 400 + b', "weights": {}}')
@example(content=b'{"begun": "0001-01-01"}')
def test_what_models_runs_and_questions_are_read_from(
    tmp_path: Path, reader: str, content: bytes
) -> None:
    name, read = READERS[reader]
    file = tmp_path / name
    file.write_bytes(content)
    in_a_line(lambda: read(file))


def test_settings_of_the_wrong_type_are_no_settings(tmp_path: Path) -> None:
    file = tmp_path / "groundwalk.json"
    file.write_text('{"format": 1, "hops": "two"}', encoding="utf-8")
    with pytest.raises(GroundwalkError, match="hops: Input should be a valid integer"):
        read_settings(tmp_path)
    file.write_text('{"format": 1, "formats": ["path", "plan"], "confidence": 1}', encoding="utf-8")
    assert read_settings(tmp_path) == ModelSettings(formats=("path", "plan"), confidence=1)


@pytest.fixture(scope="module")
def gone_off(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """What came of each bomb in a process that may take half a gigabyte more."""
    folder = str(tmp_path_factory.mktemp("bombs"))
    run = subprocess.run(
        [sys.executable, "-m", "tests.hostile.bombs", folder, str(600 << 20)],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=Path(__file__).parents[2],
    )
    assert run.returncode == 0, run.stderr[-500:]
    lines = map(json.loads, run.stdout.splitlines())
    return {name: (code, message) for name, code, message in lines}


@pytest.mark.parametrize("name", bombs.BOMBS)
def test_bombs_do_not_go_off(name: str, gone_off: dict[str, tuple[int, str]]) -> None:
    """The process says what is wrong, and ends by itself."""
    code, message = gone_off[name]
    assert code == 0
    assert message.strip() not in ("", "was read")


def test_what_is_packed_unpacks_in_proportion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_MOST_UNPACKED", 1 << 20)
    for name, error in (("a.nt.gz", KGError), ("a.kb.gz", KGError), ("a.jsonl.gz", DatasetError)):
        file = tmp_path / name
        file.write_bytes(bombs.packed(b" " * 1023 + b"\n", 8))
        with pytest.raises(error, match=r"unpacks to more than 200 times its size"):
            opened(file) if error is KGError else read_samples("jsonl", file)


def test_entities_of_xml_that_are_short_are_read(tmp_path: Path) -> None:
    file = tmp_path / "graph.rdf"
    doctype = b'<!DOCTYPE r [<!ENTITY e "http://example.org/"><!ENTITY f "&e;f/">]>'
    body = (
        b'<rdf:Description rdf:about="&e;a"><e:p rdf:resource="&f;b"/></rdf:Description></rdf:RDF>'
    )
    file.write_bytes(doctype + bombs.XML + body)
    kg = open_kg(str(file), cache=file)
    assert [triple.tail for triple in kg.store.facts()] == ["<http://example.org/f/b>"]
    kg.close()


@pytest.mark.parametrize("split", ["../secret", "a/../../secret", "/etc/passwd", "..", "a\0b", "*"])
def test_a_split_is_a_name_in_the_folder(split: str, tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text('{"question": "q", "answers": []}\n', encoding="utf-8")
    inner = tmp_path / "data"
    inner.mkdir()
    with pytest.raises(GroundwalkError):
        read_samples("jsonl", inner, split)
