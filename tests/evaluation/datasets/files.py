"""Small datasets on disk, in the formats of the field."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def json_lines(file: Path, rows: Iterable[object]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


def json_file(file: Path, content: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def text_file(file: Path, *lines: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def parquet(file: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    import pyarrow as arrow
    import pyarrow.parquet

    file.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(arrow.Table.from_pylist([*rows]), file)
    return file
