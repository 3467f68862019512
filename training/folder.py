"""The folder that a model goes to: it appears only when it is complete."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..agent.errors import InputError
from ..agent.llm.local import SETTINGS_FILE


def check_out(
    out: Path, settings: str = SETTINGS_FILE, what: str = "model that groundwalk trained"
) -> None:
    """Raise InputError unless `out` is free, or has an earlier result, which may be replaced.

    That is known by its file of `settings`; `what` says what it is.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / settings).is_file()):
        raise InputError(f"{out}: exists and is not a {what}", "give another folder with --out")


@contextmanager
def replaced(out: Path) -> Generator[Path]:
    """A temporary folder that takes the place of `out` when all of it is written."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as temporary:
        fresh = Path(temporary) / "new"
        fresh.mkdir()
        yield fresh
        for file in fresh.iterdir():
            file.chmod(0o644)
        if out.exists():
            out.rename(Path(temporary) / "old")
        fresh.rename(out)
