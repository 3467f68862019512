"""`meta.json`: what a built KG folder says of itself."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from ..errors import KGError
from .broken import LeftOut
from .profile import Profile, from_record
from .store import Counts

FORMAT = 4
"""The version of the folder's layout; folders of another version are built again."""

_AGAIN = "build the KG again"


@dataclass(frozen=True)
class Meta:
    """Where a built KG is from and how it was read; `graphs` are the named graphs it was cut to."""

    source: str
    digest: str
    profile: Profile
    graphs: tuple[str, ...]
    counts: Counts
    left_out: LeftOut = LeftOut()


def write_meta(folder: Path, meta: Meta) -> None:
    """Write `meta.json` into a built folder. Raises OSError."""
    record = {"format": FORMAT, **asdict(meta), "counts": meta.counts._asdict()}
    text = json.dumps(record, indent=2, ensure_ascii=False)
    (folder / "meta.json").write_text(text + "\n", encoding="utf-8")


def read_meta(folder: Path) -> Meta:
    """Read the `meta.json` of a built folder. Raises KGError for damage and other versions."""
    path = folder / "meta.json"
    try:
        found = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        if found["format"] != FORMAT:
            raise KGError(
                f"{folder} has format {found['format']}; this version reads {FORMAT}", _AGAIN
            )
        return Meta(
            source=str(found["source"]),
            digest=str(found["digest"]),
            profile=from_record(found["profile"]),
            graphs=tuple(str(graph) for graph in found["graphs"]),
            counts=Counts(**found["counts"]),
            left_out=_left_out(found.get("left_out", {})),
        )
    except OSError as error:
        raise KGError(f"{path} cannot be read: {error.strerror or error}", "check it") from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise KGError(f"{path} is damaged: {error}", _AGAIN) from error


def _left_out(record: dict[str, Any]) -> LeftOut:
    first = tuple(str(place) for place in record.get("first", ()))
    return LeftOut(int(record.get("statements", 0)), first)
