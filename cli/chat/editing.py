"""A text in the user's own editor."""

import os
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from ...agent.errors import InputError

_HINT = "set EDITOR to the command of your editor"


def edited(text: str, name: str) -> str | None:
    """The text as the editor leaves it, in a file of that name; None where it is the same.

    The editor is what VISUAL or EDITOR says. Raises InputError where there is none or it fails.
    """
    command = _editor()
    with TemporaryDirectory(prefix="groundwalk-") as folder:
        file = Path(folder, name)
        file.write_text(text, encoding="utf-8")
        try:
            ended = subprocess.run([*command, str(file)], check=False)
            left = file.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{command[0]} cannot be run: {error.strerror}", _HINT) from error
        except UnicodeDecodeError as error:
            raise InputError("what the editor left is not UTF-8 text", "save it as such") from error
    if ended.returncode:
        raise InputError(f"{command[0]} failed with exit code {ended.returncode}", _HINT)
    return None if left == text else left


def _editor() -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        try:
            if command := shlex.split(os.environ.get(variable, "")):
                return command
        except ValueError as error:
            raise InputError(f"{variable} is no command: {error}", _HINT) from error
    raise InputError("no editor is set", _HINT)
