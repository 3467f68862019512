"""The file that a benchmark's `--out` names."""

import json
from pathlib import Path

from ...agent.errors import InputError


def write_report(file: Path, report: object) -> None:
    """Write a report as JSON. Raises InputError where the file cannot be written."""
    try:
        file.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{file} cannot be written: {reason}", "choose another file for --out"
        ) from error
