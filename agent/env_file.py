"""The `.env` of the current folder, from which all settings are read."""

from pathlib import Path

from .errors import InputError


def check_env_file() -> None:
    """See that `.env`, where there is one, can be read. Raises InputError where it cannot.

    Nothing else than a file is opened: a pipe would be waited for.
    """
    file = Path(".env")
    if file.is_fifo():
        raise InputError(".env is a pipe and no file", "put the settings into a file")
    if not file.is_file():
        return
    try:
        file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(".env is not in UTF-8", "save it in UTF-8") from error
    except OSError as error:
        raise InputError(f".env cannot be read: {error.strerror}", "check it") from error
