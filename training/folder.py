"""The folder that a model goes to: it appears only when it is complete."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..agent.errors import InputError
from ..agent.llm.local import SETTINGS_FILE


def check_out(out: Path) -> None:
    """Raise InputError unless `out` is free or an earlier model, which may be replaced."""
    if out.is_file() or (
        out.is_dir() and any(out.iterdir()) and not (out / SETTINGS_FILE).is_file()
    ):
        raise InputError(
            f"{out}: exists and is not a model that groundwalk trained",
            "give another folder for the model",
        )


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
