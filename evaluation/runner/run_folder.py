"""The directory of a run: `config.json`, `samples.jsonl` and `summary.json`.

Whatever ends a run, the same command goes on where it stopped: the settings are written before
anything is asked, every answer as soon as it is there, and files that are replaced are replaced at
once. Only one process writes to it at a time.
"""

import contextlib
import errno
import fcntl
import json
import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...agent.errors import GroundwalkError, InputError
from ..record_lines import LINES_FILE
from ..samples import Sample
from .config import Config, check_same
from .run_lines import RunLines, unwritable

if TYPE_CHECKING:
    from ..analysis.summary import RunSummary


_FIRST = ("begun", "speed")
"""What `config.json` keeps of the first time when a run goes on with more questions."""

CONFIG_FILE, SUMMARY_FILE = "config.json", "summary.json"

_BEGINS = b'{\n  "methods": ['
"""How `config.json` begins, whatever the settings."""

_NEW_FOLDER = "choose a new folder for this run"

LOCK_FILE = ".lock"


@contextlib.contextmanager
def open_run(out: Path, config: Config, samples: Sequence[Sample]) -> Generator[RunLines]:
    """Begin a run in a new or empty folder, or go on with the one that is there.

    A run that has answered nothing yet takes any settings. Raises InputError when the folder holds
    something else, cannot be written, belongs to a run with other settings, or is being written to,
    and DiskError for a full disk.
    Where nothing was answered, nothing that this process made is left.
    """
    check_folder(out)
    with contextlib.ExitStack() as stack:
        try:
            if not out.exists():
                out.mkdir(parents=True)
                stack.callback(_remove_empty, out)
            stack.enter_context(locked(out))
            files = [out / CONFIG_FILE, out / LINES_FILE]
            made = [file for file in files if not file.exists()]
            lines = stack.enter_context(RunLines(out / LINES_FILE))
            _settle(out / CONFIG_FILE, config, samples if len(lines) else None)
            _sync_folder(out)
        except OSError as error:
            raise _no_folder(out, error) from error
        try:
            yield lines
        finally:
            if not len(lines):  # nothing was answered, so there is nothing to go on with
                for file in made:
                    file.unlink(missing_ok=True)


def check_folder(out: Path) -> None:
    """Raise InputError when a folder holds something that no run wrote."""
    try:
        held = list(out.iterdir()) if out.exists() else []
        if out / CONFIG_FILE in held:
            _read_config(out / CONFIG_FILE)
        elif not all(map(_is_left, held)):
            raise InputError(f"{out} is not empty and holds no run", _NEW_FOLDER)
    except OSError as error:
        raise _no_folder(out, error) from error


def _is_left(file: Path) -> bool:
    """Whether a file is what a run leaves that is killed as it begins."""
    if file.name not in (LOCK_FILE, LINES_FILE, f"{CONFIG_FILE}.new"):
        return False
    content = file.read_bytes()
    if file.name.startswith(CONFIG_FILE):
        return content.startswith(_BEGINS) or _BEGINS.startswith(content)
    return not content or (file.name == LOCK_FILE and content.isdigit())


def begun_with(out: Path) -> Mapping[str, Any] | None:
    """The questions of a run that has answered any, as `config.json` has them; None of a new one.

    Raises InputError where the folder cannot be read or `config.json` is damaged.
    """
    file = out / LINES_FILE
    try:
        if not (out / CONFIG_FILE).exists() or not file.exists() or not file.stat().st_size:
            return None
        return cast("Mapping[str, Any]", _read_config(out / CONFIG_FILE)["questions"])
    except OSError as error:
        raise _no_folder(out, error) from error


def write_summary(out: Path, summary: "RunSummary") -> None:
    """Write `summary.json`. Raises DiskError when it cannot be written."""
    try:
        _replace(out / SUMMARY_FILE, asdict(summary))
    except OSError as error:
        raise unwritable(out / SUMMARY_FILE, error) from error


def read_summary(out: Path) -> "RunSummary | None":
    """The summary of the lines as they are now; None where it is missing, older or damaged."""
    from pydantic import TypeAdapter, ValidationError

    from ..analysis.summary import RunSummary

    file = out / SUMMARY_FILE
    try:
        if file.stat().st_mtime_ns < (out / LINES_FILE).stat().st_mtime_ns:
            return None
        return TypeAdapter(RunSummary).validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _no_folder(out: Path, error: OSError) -> GroundwalkError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return unwritable(out, error)
    reason = error.strerror or str(error)
    return InputError(f"{out} cannot be written: {reason}", "choose another folder")


def _settle(file: Path, config: Config, samples: Sequence[Sample] | None) -> None:
    """Write the settings; where `samples` were answered, see that they are still the same."""
    before = _read_config(file) if samples is not None else {}
    if samples is not None:
        check_same(before, config, samples)
    if before.get("questions") != asdict(config.questions):
        _replace(file, asdict(config) | {name: before[name] for name in _FIRST if name in before})


def _read_config(file: Path) -> dict[str, Any]:
    """The settings of a run. Raises InputError for a file that holds none, and OSError."""
    try:
        parsed: Any = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is damaged", _NEW_FOLDER) from error
    settings = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
    held = settings.get("methods"), settings.get("questions")
    if not (isinstance(held[0], list) and isinstance(held[1], dict)):
        raise InputError(f"{file} holds no settings of a run", _NEW_FOLDER)
    return settings


def _replace(file: Path, content: object) -> None:
    """Write a JSON file at once: it is the old one or the new one, never half of it."""
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    beside = file.with_name(f"{file.name}.new")
    with beside.open("wb") as out:
        out.write(text.encode("utf-8", "backslashreplace"))
        out.flush()
        os.fsync(out.fileno())
    beside.replace(file)


def _sync_folder(folder: Path) -> None:
    """Have the disk know the files of a folder by name."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked(folder: Path) -> Generator[None]:
    """Hold the lock of a folder. Raises InputError where another process holds it, and OSError."""
    file = folder / LOCK_FILE
    handle = _acquire(file)
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        with contextlib.suppress(OSError):
            file.unlink()
        os.close(handle)


def _acquire(file: Path) -> int:
    while True:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_there(file, handle):
                return handle
        except BlockingIOError:
            holder = os.pread(handle, 32, 0).decode("ascii", "replace") or "unknown"
            os.close(handle)
            raise InputError(
                f"another run (process {holder}) is writing to {file.parent}",
                "wait for it, stop it, or choose another folder",
            ) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_there(file: Path, handle: int) -> bool:
    """Whether the locked file is still the one of that name: its last holder took it away."""
    try:
        return os.path.samestat(os.stat(file), os.fstat(handle))
    except FileNotFoundError:
        return False
