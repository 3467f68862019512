"""What a service would need, from what questions cost in runs and what is assumed of machines.

`python -m groundwalk.evaluation.benchmarks.sizing --run DIR [--run DIR ...] [--assume NAME=VALUE]`.
Seconds, forward passes, tokens, calls of the chat LLM and requests are read from the runs; prices,
latencies and rates are assumed, and all of them are printed with the result. `NAME` is for every
scale, `SCALE.NAME` for one. Where a method ran over an endpoint too, its requests are those of that
run; its seconds there hold its waits, so seconds are best read from a run over a graph at hand.
Nothing else is in it: no reserve for peaks, no storage, no network, no people.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...agent.errors import InputError
from ...agent.kg.labels.names import one_line
from ...agent.kg.opening import is_endpoint
from ..analysis.summary import measure_costs
from ..records import Record
from ..report.runs import Run, read_runs
from .harness import conduct, options_of

MILLION = 1_000_000
_HOUR = 3600
_ABOVE_ZERO = ("work", "endpoint_rate", "batch", "cores_with_gpu")


@dataclass(frozen=True)
class Measured:
    """What a question cost on average in a run, by one method; `requests` only of endpoints."""

    run: str
    method: str
    questions: int
    seconds: float
    forward_passes: float
    prompt_tokens: float
    tokens: float
    llm_calls: float
    requests: float | None


def _by_default(value: float, means: str) -> Any:
    return field(default=value, metadata={"means": means})


@dataclass(frozen=True)
class Assumed:
    """What is taken for granted at a scale; a name, its unit and its value are printed."""

    work: float = _by_default(
        1.0,
        "times the measured seconds and passes: longer names, more hops, a larger model on cores",
    )
    endpoint: float = _by_default(0.0, "1 where the KG is an endpoint, 0 where it is at hand")
    requests: float = _by_default(
        12.0, "HTTP requests a question, where no run over an endpoint says it"
    )
    latency_ms: float = _by_default(5.0, "milliseconds until the endpoint answers a request")
    endpoint_rate: float = _by_default(300.0, "requests a second that one endpoint machine answers")
    pass_ms: float = _by_default(
        0.0, "milliseconds of a forward pass on a GPU; 0 where the model runs on cores"
    )
    batch: float = _by_default(8.0, "questions that share a forward pass on a GPU")
    cores_with_gpu: float = _by_default(
        0.3, "part of the measured seconds that is left to cores where the model is on a GPU"
    )
    llm_seconds: float = _by_default(
        0.05, "GPU seconds of a call of the chat LLM, at the batch size of its server"
    )
    core_hour: float = _by_default(0.05, "price of a core for an hour")
    gpu_hour: float = _by_default(2.5, "price of a GPU for an hour")
    endpoint_hour: float = _by_default(0.5, "price of an endpoint machine for an hour")


SCALES = {
    "world": Assumed(),
    "metaqa": Assumed(),
    "wikidata": Assumed(
        work=3.0,
        endpoint=1.0,
        latency_ms=30.0,
        endpoint_rate=100.0,
        pass_ms=15.0,
        endpoint_hour=3.0,
    ),
}
"""The bundled graph, some 100,000 facts in memory, and more than a billion in an endpoint."""


@dataclass(frozen=True)
class Sized:
    """What questions need at a scale; prices are in the currency of the assumptions.

    `answer_seconds` is how long one caller waits when nobody else asks.
    """

    scale: str
    answer_seconds: float
    per_core: float
    """Questions a second of one core."""
    per_gpu: float | None
    """Questions a second of one GPU; None where none is used."""
    per_endpoint: float | None
    """Questions a second of one endpoint machine; None where the KG is at hand."""
    gpu_seconds: float
    """GPU seconds a question."""
    requests: float
    """HTTP requests a question."""
    million: float
    """Price of a million questions."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the model; the exit code is 2 where a run or an assumption cannot be read."""
    parser = options_of("sizing", __doc__)
    parser.add_argument(
        "--run", type=Path, action="append", required=True, metavar="DIR", help="of `eval run`"
    )
    parser.add_argument("--method", metavar="NAME", help="of the run's methods (all)")
    parser.add_argument(
        "--assume", action="append", default=[], metavar="NAME=VALUE", help="SCALE.NAME for one"
    )
    options = parser.parse_args(arguments)

    def run() -> dict[str, Any]:
        runs = read_runs(options.run, lambda run, record: None)
        measured, assumed = measured_of(runs, options.method), assumptions(options.assume)
        console, sizes = Console(), dict[str, list[Sized]]()
        for cost in measured:
            rows = [sized(scale, cost, assumed[scale]) for scale in SCALES]
            sizes[f"{cost.run} {cost.method}"] = rows
            console.print(_measured_table(cost), _sized_table(rows))
        console.print(_assumed_table(assumed))
        return {
            "measured": [asdict(cost) for cost in measured],
            "assumed": {scale: asdict(values) for scale, values in assumed.items()},
            "sized": {name: [asdict(row) for row in rows] for name, rows in sizes.items()},
        }

    return conduct(run, lambda report: (), options.out)


def measured_of(runs: Sequence[Run], method: str | None = None) -> list[Measured]:
    """What each method cost in each run. Raises InputError where there is no such method."""
    measured = [
        _measured(run, name, [record for record in run.records if record["method"] == name])
        for run in runs
        for name in run.methods
        if method in (None, name)
    ]
    if not measured:
        raise InputError(f"no run has answers of {method!r}", "check --method")
    requests = {cost.method: cost.requests for cost in measured if cost.requests is not None}
    return [replace(cost, requests=requests.get(cost.method)) for cost in measured]


def assumptions(texts: Sequence[str]) -> dict[str, Assumed]:
    """The assumptions of each scale, with those written as `NAME=VALUE` or `SCALE.NAME=VALUE`.

    Raises InputError for what is none.
    """
    assumed = dict(SCALES)
    names = [field.name for field in fields(Assumed)]
    for text in texts:
        key, equals, value = text.partition("=")
        scale, dot, name = key.rpartition(".")
        if not equals or name not in names or (dot and scale not in SCALES):
            raise InputError(
                f"--assume {text}: is no assumption", f"NAME=VALUE, of {', '.join(names)}"
            )
        for changed in [scale] if dot else SCALES:
            values = {name: _number(text, name, value)}
            assumed[changed] = replace(assumed[changed], **values)
    return assumed


def sized(scale: str, cost: Measured, assumed: Assumed) -> Sized:
    """What questions that cost so much need under these assumptions."""
    on_gpu = assumed.pass_ms > 0
    seconds = cost.seconds * assumed.work
    core = seconds * (assumed.cores_with_gpu if on_gpu else 1.0)
    passes = cost.forward_passes * assumed.work * assumed.pass_ms / 1e3
    llm = cost.llm_calls * assumed.llm_seconds
    gpu = passes / assumed.batch + llm
    measured = cost.requests if cost.requests is not None else assumed.requests
    requests = measured * assumed.work if assumed.endpoint else 0.0
    waited = requests * assumed.latency_ms / 1e3
    hours = (
        core * assumed.core_hour
        + gpu * assumed.gpu_hour
        + requests / assumed.endpoint_rate * assumed.endpoint_hour
    )
    return Sized(
        scale=scale,
        answer_seconds=core + passes + llm + waited,
        per_core=1 / core,
        per_gpu=1 / gpu if gpu else None,
        per_endpoint=assumed.endpoint_rate / requests if requests else None,
        gpu_seconds=gpu,
        requests=requests,
        million=hours / _HOUR * MILLION,
    )


def _measured(run: Run, method: str, records: Sequence[Record]) -> Measured:
    costs, count = measure_costs(records), len(records)
    kg = run.config.get("kg")
    source = str(cast("Mapping[str, Any]", kg).get("source", "")) if isinstance(kg, dict) else ""
    return Measured(
        run=run.name,
        method=method,
        questions=count,
        seconds=max(costs.seconds / count, 1e-6),
        forward_passes=costs.forward_passes / count,
        prompt_tokens=costs.prompt_tokens / count,
        tokens=costs.tokens / count,
        llm_calls=costs.llm_calls / count,
        requests=costs.kg_requests / count if is_endpoint(source) else None,
    )


def _number(text: str, name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf") or (number == 0 and name in _ABOVE_ZERO):
        least = "above 0" if name in _ABOVE_ZERO else "0 or more"
        raise InputError(f"--assume {text}: is no number that can be used", f"give one {least}")
    return number


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of numbers; a column `name` or `what it is` holds words."""
    table = Table(title=Text(one_line(title)))
    for name in columns:
        table.add_column(name, justify="left" if name in ("name", "what it is") else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _measured_table(cost: Measured) -> Table:
    title = f"{cost.run}, {cost.method}: a question on average, of {cost.questions}"
    names = ("seconds", "forward_passes", "prompt_tokens", "tokens")
    columns = [name.replace("_", " ") for name in (*names, "llm_calls", "requests")]
    requests = "-" if cost.requests is None else f"{cost.requests:.1f}"
    values = [f"{getattr(cost, name):.3g}" for name in names]
    return _table(title, columns, [[*values, f"{cost.llm_calls:.2f}", requests]])


def _sized_table(rows: Sequence[Sized]) -> Table:
    columns = ("scale", "s an answer", "q/s a core", "q/s a GPU", "q/s an endpoint machine")
    more = ("GPU s a question", "requests a question", "price of a million")
    cells = [
        (
            row.scale,
            f"{row.answer_seconds:.3f}",
            f"{row.per_core:.2f}",
            *("-" if n is None else f"{n:.1f}" for n in (row.per_gpu, row.per_endpoint)),
            f"{row.gpu_seconds:.4f}",
            f"{row.requests:.1f}",
            f"{row.million:,.2f}",
        )
        for row in rows
    ]
    return _table("what it needs", (*columns, *more), cells)


def _assumed_table(assumed: Mapping[str, Assumed]) -> Table:
    rows = [
        (
            field.name,
            *(f"{getattr(scale, field.name):g}" for scale in assumed.values()),
            field.metadata["means"],
        )
        for field in fields(Assumed)
    ]
    return _table("assumed", ("name", *assumed, "what it is"), rows)


if __name__ == "__main__":
    sys.exit(main())
