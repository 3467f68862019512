"""Decoding along the graph against the ways it was done before: one run, one table, one file.

`python -m groundwalk.evaluation.benchmarks.decoding [--quick] [--only GROUP] [--out FILE.json]`
with the variable GROUNDWALK_DATA on a folder that holds MetaQA. Every ratio is of times that were
taken in turn on the same question, model, prompt and paths; the table shows the median over the
questions and the quartiles. Wherever the other side obeys the same constraint, the best paths and
their scores must be equal, or the run fails.

R is the published way and R' the same repaired (`decoding_rivals`). Scores are `full`, as Hugging
Face computes them, where nothing else is said; `allowed` is renormalised over the legal tokens.
Ours computes the instruction, with which every prompt begins, once for a model, as it does in use.
"""

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import torch
import transformers
from rich.console import Console

from ..report.terminal import aligned
from .decoding_contest import HOPS, Figure, Mismatch
from .decoding_groups import BEAMS, GROUPS, QUICK, Sizes, Stage
from .harness import conduct, options_of


@dataclass(frozen=True)
class Measure:
    """A number to be found. `aim` starts with `>` or `<`; it is empty for what is only told."""

    title: str
    unit: str = "x"
    aim: str = ""


def _rivals(
    name: str,
    where: str,
    *,
    published: str | None = None,
    repaired: str = "",
    allowed: str = "",
    free: bool = True,
) -> dict[str, Measure]:
    """The times of the rivals over ours; of R, R' and R' with `allowed` the aims."""
    figures = dict[str, Measure]()
    if published is not None:
        figures[f"published/{name}"] = Measure(f"R / ours, {where}", aim=published)
    figures[f"repaired/{name}"] = Measure(f"R' / ours, {where}", aim=repaired)
    figures[f"allowed/{name}"] = Measure(f"R' / ours, {where}, `allowed`", aim=allowed)
    for prefix, words in (("", ""), ("allowed/", ", `allowed`")) if free else ():
        title = f"unconstrained / ours, {where}{words}"
        figures[f"{prefix}unconstrained/{name}"] = Measure(title, aim=">3")
    return figures


def _forwards(hops: int) -> dict[str, Measure]:
    return {
        f"{kind}/small/{hops}": Measure(f"{what}, ours / R, {hops} hops", aim="<0.2")
        for kind, what in (("calls", "forward calls"), ("tokens", "forwarded tokens"))
    }


def _over_hops(prefix: str, words: str) -> dict[str, Measure]:
    """Seconds and memory as the hops grow, and the work outside the model; `words` are the scores.

    Sizes are those of Python's own memory and of the whole process.
    """
    hops = {n: f"{n} hop{'s' * (n > 1)}{words}" for n in HOPS}
    return {
        f"{prefix}constraint/large": Measure(f"constraint work, share, 0.5B{words}", "%", "<3"),
        f"{prefix}outside/large": Measure(f"outside layers and head, share, 0.5B{words}", "%"),
        f"{prefix}hops/time": Measure(f"time at 4 hops / at 1 hop{words}", "x", "<5"),
        **{f"{prefix}hops/time/{n}": Measure(f"time, {hop}", "ms") for n, hop in hops.items()},
        f"{prefix}hops/resident": Measure(
            f"resident memory at 4 hops / at 1 hop{words}", "x", "<1.05"
        ),
        **{
            f"{prefix}hops/memory/{n}": Measure(f"peak of Python, {hop}", "MB")
            for n, hop in hops.items()
        },
    }


MEASURES: dict[str, Measure] = {
    **_rivals("small/2", "small, 2 hops", published=">12", repaired=">9", allowed=">15"),
    **_forwards(2),
    **_rivals("small/3", "small, 3 hops", published=">18", repaired=">25", allowed=">25"),
    **_forwards(3),
    **_rivals("hubs/2", "small, hubs of 10k+ paths", published=">15", free=False),
    **_rivals("world/2", "world, 2 hops", published=""),
    **_rivals("vocabulary/2", "25M, 150k tokens", allowed=">100"),
    **_rivals("large/2", "0.5B shape, 2 hops", repaired=">8"),
    **_over_hops("", ""),
    **_over_hops("allowed/", ", `allowed`"),
    **{
        f"{prefix}paths/time": Measure(
            f"time with the most paths / the fewest, 3 hops{words}", "x", "<1.5"
        )
        for prefix, words in (("", ""), ("allowed/", ", `allowed`"))
    },
    "state/2": Measure("state build a question, 2 hops", "ms", "<1"),
    "state/3": Measure("state build a question, 3 hops", "ms", "<1"),
    "state/hubs": Measure("state build a question, hubs of 10k+ paths", "ms", "<1"),
    "batch": Measure("R' one by one / ours in batches of 32", aim=">20"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 1 for a mismatch, 2 for what the user can mend."""
    parser = options_of("decoding", __doc__)
    parser.add_argument("--quick", action="store_true", help="a few questions, in a minute")
    parser.add_argument(
        "--only",
        action="append",
        choices=GROUPS,
        default=[],
        metavar="GROUP",
        help=f"only this group, of {', '.join(GROUPS)}; may be repeated",
    )
    parser.add_argument("--threads", type=int, default=1, help="of torch (1)")
    options = parser.parse_args(arguments)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false" if options.threads == 1 else "true")
    torch.set_num_threads(options.threads)
    transformers.utils.logging.set_verbosity_error()
    console, sizes = Console(stderr=True), QUICK if options.quick else Sizes()
    try:
        return conduct(lambda: run(sizes, options.only, console), table, options.out)
    except Mismatch as error:
        console.print(f"not equal: {error}", markup=False)
        return 1
    except ModuleNotFoundError as error:
        console.print(f"{error}", markup=False)
        return 2


def run(sizes: Sizes, only: Sequence[str] = (), console: Console | None = None) -> dict[str, Any]:
    """The report: settings, notes, and a figure for each measure, or None where it was left out.

    Raises Mismatch where two searches that must be equal are not.
    """
    out = console or Console(quiet=True)
    stage = Stage(sizes)
    figures = dict[str, Figure]()
    began = perf_counter()
    for name, group in GROUPS.items():
        count: int = getattr(sizes, name)
        if count == 0 or (only and name not in only):
            continue
        since = perf_counter()
        for measure, figure in group(stage):
            figures[measure] = figure
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
            name: asdict(figures[name]) | {"reached": reached(measure, figures[name])}
            if name in figures
            else None
            for name, measure in MEASURES.items()
        },
        "reasons": stage.reasons,
    }


def reached(measure: Measure, figure: Figure) -> bool | None:
    """Whether the aim is met; None where there is none."""
    if not measure.aim:
        return None
    aim = float(measure.aim[1:])
    return figure.median >= aim if measure.aim[0] == ">" else figure.median <= aim


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    rows = [("measure", "aim", "median", "quartiles", "n", "ours s", "other s", "")]
    for name, measure in MEASURES.items():
        if row := report["measures"][name]:
            ours, other = ("" if row[k] is None else f"{row[k]:.3f}" for k in ("ours", "other"))
            median, quartiles = f"{row['median']:.3g}", f"{row['low']:.3g}-{row['high']:.3g}"
            verdict = {None: "", True: "yes", False: "NO"}[row["reached"]]
            begins = (measure.title, measure.aim, f"{median} {measure.unit}")
            rows.append((*begins, quartiles, str(row["questions"]), ours, other, verdict))
    total = f"{report['equal']} searches equal to Hugging Face's; {report['seconds']:.0f} s in all"
    return [*aligned(rows), "", *_why(report), total, *report["notes"]]


def _why(report: dict[str, Any]) -> list[str]:
    """For each aim that was missed, and each ratio to R, where the time of both sides goes."""
    lines = list[str]()
    for name, measure in MEASURES.items():
        row = report["measures"][name]
        if row and (row["reached"] is False or name.startswith("published/")):
            aim = f" for {measure.aim}" if measure.aim else ""
            lines += [f"{measure.title}: {row['median']:.3g} {measure.unit}{aim}"]
            lines += [f"    {line}" for line in report["reasons"].get(name, ())] + [""]
    return lines


if __name__ == "__main__":
    sys.exit(main())
