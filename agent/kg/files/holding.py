"""A built KG folder is held while it is read or made, and replaced at once.

Who reads holds the folder with a shared lock, so that who replaced it knows whether it may go: a
store opens some of its files only when they are needed. Locks end with their process.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import shutil
import sys
import weakref
from collections.abc import Generator
from pathlib import Path

_EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2), and RENAME_SWAP of renameatx_np(2) on macOS."""
_HERE = {"linux": -100, "darwin": -2}
"""AT_FDCWD."""


class Held:
    """A folder that is held, until `release` or the end of this object."""

    def __init__(self, folder: Path) -> None:
        """Hold a folder that is read. Raises OSError where it cannot be opened."""
        handle = os.open(folder, os.O_RDONLY)
        self._release = weakref.finalize(self, os.close, handle)
        self._seen = os.fstat(handle)
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_SH)  # who makes it, or takes it away, is soon done

    def is_still(self, folder: Path) -> bool:
        """Whether a path still leads to the folder that is held."""
        try:
            return os.path.samestat(os.stat(folder), self._seen)
        except OSError:
            return False

    def release(self) -> None:
        """Let go of the folder."""
        self._release()


@contextlib.contextmanager
def making(folder: Path) -> Generator[None]:
    """Hold a folder for oneself until it has its name."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def exchange(folder: Path, other: Path) -> None:
    """Swap two folders at once, where the system can; else with a moment in which one is missing.

    Raises OSError where they cannot be renamed.
    """
    if _swapped(folder, other):
        return
    aside = folder.with_name(f"{folder.name}-aside")
    other.rename(aside)
    try:
        folder.rename(other)
    except OSError:
        aside.rename(other)
        raise
    aside.rename(folder)


def remove_unheld(folder: Path) -> None:
    """Take away what earlier builds of `folder` left beside it, where nobody reads or fills it."""
    pattern = re.compile(rf"\.{re.escape(folder.name)}-[a-z0-9_]{{8}}")
    with contextlib.suppress(OSError):
        for sibling in folder.parent.iterdir():
            if pattern.fullmatch(sibling.name) and (sibling / "store").is_dir():
                _remove_unheld(sibling)


def _remove_unheld(folder: Path) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def _swapped(folder: Path, other: Path) -> bool:
    directory = _HERE.get(sys.platform)
    names = {"linux": "renameat2", "darwin": "renameatx_np"}
    try:
        rename = getattr(ctypes.CDLL(None), names[sys.platform])
    except (AttributeError, KeyError, OSError):
        return False
    return rename(directory, os.fsencode(folder), directory, os.fsencode(other), _EXCHANGE) == 0
