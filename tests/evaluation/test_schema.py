"""SCHEMA.md has every field of every type that a run directory holds, and no other."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from groundwalk.evaluation.analysis.coherence import Rating
from groundwalk.evaluation.analysis.summary import RunSummary
from groundwalk.evaluation.record_lines import json_line, read_records
from groundwalk.evaluation.records import SCHEMA, Record
from groundwalk.evaluation.runner.config import Config
from typing_extensions import is_typeddict

FILES: dict[str, type[Any]] = {
    "samples.jsonl": Record,
    "summary.json": RunSummary,
    "config.json": Config,
    "coherence.jsonl": Rating,
}


def field_types(kind: Any) -> dict[str, Any]:
    """The fields of a TypedDict or dataclass, with their types."""
    hints = get_type_hints(kind)
    return (
        hints if is_typeddict(kind) else {field.name: hints[field.name] for field in fields(kind)}
    )


def held(kind: Any) -> Iterator[Any]:
    """A type and every TypedDict and dataclass within it."""
    if is_typeddict(kind) or is_dataclass(kind):
        yield kind
        for own in field_types(kind).values():
            yield from held(own)
    else:
        for part in get_args(kind):
            yield from held(part)


TYPES = {kind.__name__: kind for root in FILES.values() for kind in held(root)}


def sections(text: str, level: int) -> dict[str, str]:
    mark = "#" * level
    parts = re.split(rf"^{mark} (.+)$", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def documented() -> str:
    return files("groundwalk.evaluation").joinpath("SCHEMA.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_field_has_a_row(name: str) -> None:
    section = sections(documented(), 3)[name]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section, flags=re.MULTILINE)
    assert [field for field, _ in rows] == list(field_types(TYPES[name]))
    assert all(meaning.strip() for _, meaning in rows)


def test_there_is_nothing_else() -> None:
    assert list(sections(documented(), 2)) == list(FILES)
    for file, section in sections(documented(), 2).items():
        assert FILES[file].__name__ in sections(section, 3)
    assert sorted(sections(documented(), 3)) == sorted(TYPES)
    assert f"Schema {SCHEMA}." in documented()


def test_the_sample_is_a_line_of_samples(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```json\n(.*?)^```$", documented(), flags=re.DOTALL | re.MULTILINE)
    sample = json.loads(block)
    assert sample.keys() <= field_types(Record).keys()
    (tmp_path / "samples.jsonl").write_bytes(json_line(sample))
    (record,) = read_records(tmp_path)
    assert dict(record) == sample
