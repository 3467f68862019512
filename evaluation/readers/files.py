"""Which files of a folder are a split of a dataset, and what to say when they are not there."""

import re
from collections.abc import Sequence
from pathlib import Path

from ...agent.errors import DatasetError, InputError

_SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".parquet")
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})(?:-[0-9a-f]+)?\.parquet")
_MOST_NAMES = 8


def split_files(data: Path, split: str, names: Sequence[str] = ("{split}",)) -> list[Path]:
    """The files of a split: `data` itself where it is none, else those of a name in that folder.

    `names` are the names that a file of the split may have, without what `_SUFFIXES` adds; the
    folder `data` in the folder, as datasets on the hub have it, and their Parquet shards
    (`test-00000-of-00002.parquet`) count too. Raises InputError for a split that is no name or is
    not given, DatasetError where there is no such file, or only some of its shards.
    """
    if not data.is_dir():
        return [data]
    if not split:
        raise InputError(
            f"{data} is a folder", f"name the split that is wanted, or the file; {_holds(data)}"
        )
    _check_name(split)
    stems = [name.format(split=split) for name in names]
    for folder in (data, data / "data"):
        for stem in stems:
            whole = [folder / f"{stem}{suffix}" for suffix in _SUFFIXES]
            if found := [file for file in whole if file.is_file()][:1] or _shards(folder, stem):
                return found
    raise DatasetError(f"{data} has no {stems[0]}{_SUFFIXES[0]} or the like", _holds(data))


def unreadable(file: Path, error: OSError) -> DatasetError:
    """What to say when a file of a dataset cannot be opened."""
    reason = error.strerror or str(error)
    folder = next((parent for parent in file.parents if parent.is_dir()), file.parent)
    return DatasetError(f"{file} cannot be read: {reason}", f"check the path: {_holds(folder)}")


def _check_name(split: str) -> None:
    if not re.fullmatch(r"\w[\w.+-]*", split):
        raise InputError(f"there is no split {split!r}", "give a name such as test")


def _shards(folder: Path, stem: str) -> list[Path]:
    found = {
        file: (int(match[1]), int(match[2]))
        for file in sorted(folder.glob(f"{stem}-*.parquet"))
        if (match := _SHARD.fullmatch(file.name.removeprefix(stem)))
    }
    if found:
        total = max(number for _, number in found.values())
        missing = sorted(set(range(total)) - {place for place, _ in found.values()})
        if missing:
            lacking = f"{stem}-{missing[0]:05}-of-{total:05}.parquet"
            raise DatasetError(f"{folder} has no {lacking}", "copy all files of the split")
        if len(found) > total:
            raise DatasetError(
                f"{folder} has several versions of {stem}", "leave the files of one of them"
            )
    return list(found)


def _holds(folder: Path) -> str:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return f"{folder} cannot be opened"
    if not names:
        return f"{folder} is empty"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{folder} holds {', '.join(names[:_MOST_NAMES])}{more}"
