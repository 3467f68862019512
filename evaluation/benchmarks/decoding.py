"""Decoding along the graph against the ways it was done before: one run, one table, one file.

`python -m groundwalk.evaluation.benchmarks.decoding [--quick] [--only GROUP] [--out FILE.json]`
with the variable GROUNDWALK_DATA on a folder that holds MetaQA. Every ratio is of times that were
taken in turn on the same question, model, prompt and paths; the table shows the median over the
questions and the quartiles. Wherever the other side obeys the same constraint, the best paths and
their scores must be equal, or the run fails.

R is the published way and R' the same repaired (`baselines`). Scores are `full`, as Hugging Face
computes them, where nothing else is said; `allowed` is renormalised over the legal tokens. Ours
computes the instruction, with which every prompt begins, once for a model, as it does in use.
"""

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
import transformers
from rich.console import Console

from ...agent.errors import GroundwalkError
from .equality import Mismatch
from .groups import BEAMS, GROUPS, QUICK, Sizes, Stage
from .measures import MEASURES, Figure, reached
from .written import write_report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 1 for a mismatch, 2 for what the user can mend."""
    options = _options(arguments)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false" if options.threads == 1 else "true")
    torch.set_num_threads(options.threads)
    transformers.utils.logging.set_verbosity_error()
    console = Console(stderr=True)
    try:
        report = run(QUICK if options.quick else Sizes(), options.only, console)
        print("\n".join(table(report)))
        if options.out:
            write_report(options.out, report)
    except Mismatch as error:
        console.print(f"not equal: {error}", markup=False)
        return 1
    except (GroundwalkError, ModuleNotFoundError) as error:
        console.print(f"{error}", markup=False)
        return 2
    return 0


def run(sizes: Sizes, only: Sequence[str] = (), console: Console | None = None) -> dict[str, Any]:
    """The report: settings, notes, and a figure for each measure, or None where it was left out.

    Raises Mismatch where two searches that must be equal are not.
    """
    out = console or Console(quiet=True)
    stage = Stage(sizes)
    found = dict[str, Figure]()
    began = perf_counter()
    for name, group in GROUPS.items():
        count: int = getattr(sizes, name)
        if count == 0 or (only and name not in only):
            continue
        since = perf_counter()
        for measure, figure in group(stage):
            found[measure] = figure
            out.print(f"{MEASURES[measure].title}: {figure.median:.3g}", markup=False)
        out.print(f"{name} took {perf_counter() - since:.0f} s", markup=False)
    return {
        "settings": {
            "beams": BEAMS,
            "threads": torch.get_num_threads(),
            "questions": asdict(sizes),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "python": platform.python_version(),
        },
        "seconds": round(perf_counter() - began, 1),
        "equal": stage.checked,
        "notes": stage.notes,
        "measures": {
            name: asdict(found[name]) | {"reached": reached(measure, found[name])}
            if name in found
            else None
            for name, measure in MEASURES.items()
        },
    }


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    rows: list[tuple[str, ...]] = [
        ("measure", "prototype", "aim", "median", "quartiles", "n", "ours s", "other s", "")
    ]
    for name, measure in MEASURES.items():
        found: dict[str, Any] | None = report["measures"][name]
        if found is not None:
            verdict = {None: "", True: "yes", False: "NO"}[found["reached"]]
            row = (
                measure.title,
                measure.prototype,
                measure.aim,
                f"{found['median']:.3g} {measure.unit}",
                f"{found['low']:.3g}-{found['high']:.3g}",
                str(found["questions"]),
                *("" if found[k] is None else f"{found[k]:.3f}" for k in ("ours", "other")),
                verdict,
            )
            rows.append(row)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    total = f"{report['equal']} searches equal to Hugging Face's; {report['seconds']:.0f} s in all"
    return [*lines, "", total, *report["notes"]]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m groundwalk.evaluation.benchmarks.decoding",
        description="Time decoding along the graph against the ways it was done before.",
    )
    parser.add_argument("--quick", action="store_true", help="a few questions, in a minute")
    parser.add_argument(
        "--only",
        action="append",
        choices=GROUPS,
        default=[],
        metavar="GROUP",
        help=f"only this group, of {', '.join(GROUPS)}; may be repeated",
    )
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write every measure there")
    parser.add_argument("--threads", type=int, default=1, help="of torch (1)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
