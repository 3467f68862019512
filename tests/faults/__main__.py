"""`python -m tests.faults`: every fault, what the user saw of it, and whether it was survived.

Exits with 1 where something was not survived, or something unsupported was shown as supported.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from .cases import Case, cases
from .disk import mounts
from .trials import Bench, Outcome

_LONGEST = 160
HOSTILE = "tests.hostile.table"


def main() -> int:
    torch.set_num_threads(1)
    console = Console(width=None if sys.stdout.isatty() else 200)
    tried = list[tuple[Case, Outcome]]()
    left_out = 0
    with Bench() as bench:
        for case in track(list(cases()), "faults", console=Console(stderr=True)):
            if case.part == "disk" and case.heavy and not mounts():
                left_out += 1
                continue
            tried.append((case, case.tried(bench)))
    console.print(_table(tried))
    lost = [(case, out) for case, out in tried if out.wrong]
    for case, out in lost:
        console.print(f"{case.name}: {'; '.join(out.wrong)}", markup=False)
    console.print(f"{len(tried)} faults tried, {len(tried) - len(lost)} survived")
    if left_out:
        console.print(f"{left_out} not tried: no file system can be mounted here")
    return int(bool(lost) or _hostile(console))


def _table(tried: Iterable[tuple[Case, Outcome]]) -> Table:
    table = Table("part", "fault", "survived", "what the user saw", "status")
    for case, out in tried:
        line = " ".join(out.line.split())
        line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
        table.add_row(case.part, case.fault, "no" if out.wrong else "yes", line, out.status)
    return table


def _hostile(console: Console) -> bool:
    """Show what came of hostile inputs, if there is a suite of them; whether any was believed."""
    if not _is_there(HOSTILE):
        return False
    rows: Callable[[], Iterable[tuple[str, int, int]]] = importlib.import_module(HOSTILE).rows
    table = Table("suite", "inputs tried", "unsupported shown as supported")
    believed = 0
    for suite, inputs, shown in rows():
        table.add_row(suite, f"{inputs:,}", f"{shown:,}")
        believed += shown
    console.print(table)
    return believed > 0


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    sys.exit(main())
