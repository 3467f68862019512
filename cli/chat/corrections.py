"""Questions with the queries that they should have been: a file of the user's."""

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...agent.errors import DiskError, InputError


def corrections_file() -> Path:
    """Where they are kept: beside the threads."""
    from ...agent.conversation.threads import threads_file

    return threads_file().with_name("corrections.jsonl")


def keep_correction(question: str, given: Mapping[str, Any]) -> Path:
    """Append a question, its query and the mentions of it as a line of JSON; where that is.

    Only the user can read the file. Raises InputError and DiskError where it cannot be written.
    """
    file = corrections_file()
    line = {"question": question, "query": given["query"], "mentions": given["mentions"]}
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        os.chmod(file, 0o600)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    except UnicodeEncodeError as error:
        raise InputError("the question is not UTF-8 text", "ask it again") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskError(f"{file}: cannot be written: the disk is full", "make room") from error
        raise InputError(f"{file}: cannot be written: {error.strerror}", "check it") from error
    return file
