"""What the benchmarks share: options, the public data, made-up names, the report, the exit code."""

import argparse
import json
import os
import platform
import random
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from string import ascii_lowercase
from typing import Any, TypeVar

from ...agent.errors import GroundwalkError, InputError
from ...agent.kg import KnowledgeGraph, open_kg
from ...agent.kg.labels.names import one_line
from ..samples import Sample

DATA = "GROUNDWALK_DATA"
"""The variable that names the folder with the public data sets in it."""

_ONSETS = "b c d f g h j k l m n p r s t v w z br dr gr kl pl st tr".split()
_VOWELS = "a e i o u ai ea io ou".split()
_CODAS = ["", "", "l", "m", "n", "r", "s", "nd", "rt"]
_ENDS = 2
"""The letters at each end of a name in which nobody slips here."""

Report = TypeVar("Report")
Measured = TypeVar("Measured")


def options_of(name: str, doc: str | None) -> argparse.ArgumentParser:
    """A parser for the benchmark `name`, described by the first line of its docstring."""
    parser = argparse.ArgumentParser(
        prog=f"python -m groundwalk.evaluation.benchmarks.{name}",
        description=(doc or "").partition("\n")[0],
    )
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the report there")
    return parser


def conduct(
    run: Callable[[], Report],
    table: Callable[[Report], Iterable[str]],
    out: Path | None,
    misses: Callable[[Report], bool] = lambda report: False,
) -> int:
    """Run a benchmark, print its table and write its report, where `out` names a file.

    The exit code is 1 where the report misses an aim, and 2 for what the user can mend.
    """
    try:
        report = run()
        for line in table(report):
            print(line)
        if out:
            write_report(out, report)
    except GroundwalkError as error:
        hint = f" ({error.hint})" if error.hint else ""
        print(one_line(error.message + hint), file=sys.stderr)
        return 2
    return int(misses(report))


def machine() -> dict[str, Any]:
    """What the times of a report depend on."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def alone(step: Callable[[Path], Measured], home: Path) -> Measured:
    """Run a step in a new process, so that its peak memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(step, home).result()


def peak_memory() -> float:
    """The most memory that this process has held, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)


def write_report(file: Path, report: object) -> None:
    """Write a report as JSON. Raises InputError where the file cannot be written."""
    try:
        file.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{file} cannot be written: {reason}", "choose another file for --out"
        ) from error


def write_questions(file: Path, samples: Iterable[Sample], *, marked: bool = True) -> Path:
    """Write questions as JSON lines that the dataset `jsonl` reads.

    Unless `marked`, the brackets around topics are left out.
    """
    brackets = str.maketrans("", "", "" if marked else "[]")
    lines = [
        json.dumps(
            {
                "id": sample.id,
                "question": sample.question.translate(brackets),
                "answers": [gold.label for gold in sample.answers],
                "topics": list(sample.topics),
                "hops": sample.hops,
                "type": sample.type,
            },
            ensure_ascii=False,
        )
        for sample in samples
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def data_folder() -> Path:
    """The folder of the public data. Raises InputError where no variable names one with MetaQA."""
    folder = Path(os.environ.get(DATA) or "")
    if not (folder / "metaqa" / "kb.txt").is_file():
        raise InputError(
            f"{DATA} does not name a folder with metaqa/kb.txt in it",
            "set it to the folder that holds MetaQA",
        )
    return folder


def metaqa_graph() -> KnowledgeGraph:
    """MetaQA's graph. Raises InputError where the data folder is not named."""
    return open_kg(str(data_folder() / "metaqa" / "kb.txt"))


def names(count: int, seed: int = 0) -> Iterator[str]:
    """So many different names of two or three pronounceable words, the same for a seed."""
    dice = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        name = " ".join(_word(dice) for _ in range(dice.randint(2, 3)))
        if name not in seen:
            seen.add(name)
            yield name


def mistyped(name: str, dice: random.Random) -> str:
    """The name with a letter dropped, added, changed, or swapped with the one after it."""
    index = dice.randrange(_ENDS, len(name) - _ENDS)
    before, here, after = name[:index], name[index], name[index + 1 :]
    letter = dice.choice(ascii_lowercase.replace(here.lower(), ""))
    slips = [before + after, before + letter + here + after, before + letter + after]
    if after[0] != here:
        slips.append(before + after[0] + here + after[1:])
    return dice.choice(slips)


def _word(dice: random.Random) -> str:
    syllables = (dice.choice(_ONSETS) + dice.choice(_VOWELS) for _ in range(dice.randint(2, 3)))
    return ("".join(syllables) + dice.choice(_CODAS)).capitalize()
