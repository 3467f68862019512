"""One writer for a folder: a lock that ends with the process, whatever ends the process."""

import contextlib
import fcntl
import os
from collections.abc import Generator
from pathlib import Path

from ..agent.errors import InputError

LOCK_FILE = ".lock"


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
