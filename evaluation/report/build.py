"""From run directories to one HTML page, with templates, style and script of ours alone."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

from markupsafe import Markup

from ...agent.errors import InputError
from ...agent.evidence.page import digest, pages_of, source_of
from ..analysis.summary import RunSummary, gold_line
from ..records import Record
from ..runner.run_folder import read_summary
from .breakdowns import breakdowns
from .embed import Embedded, shown
from .export import Row, check_format, row_of, written
from .plots import HEIGHT, against_cost, reliability, risk_coverage
from .runs import Run, Series, read_runs, series_of
from .tables import calibration, contrasts, costs, differences, flat, headline, kinds, tiles
from .terminal import oracle_line, sample_line, trouble_lines

REPORT_FILE = "report.html"


class Built(NamedTuple):
    """Where the page is, and what it shows."""

    file: Path
    runs: int
    records: int
    unfinished: Sequence[str]
    """A line for each method of a run that has not answered all its questions."""


def build_report(
    folders: Sequence[Path], out: Path | None = None, export: Path | None = None
) -> Built:
    """Write the page of one run directory or several, by default into the first.

    All results go to `export` too, as CSV or JSON by its ending. Raises InputError where a
    directory holds no run or a file cannot be written.
    """
    embedded, rows = Embedded(), list[Row]()
    if export is not None:
        check_format(export)

    def take(run: str, record: Record) -> None:
        embedded.add((run, record["method"]), record)
        if export is not None:
            rows.append(row_of(run, record))

    runs = read_runs(folders, take)
    series = series_of(runs)
    file = out or folders[0] / REPORT_FILE
    unfinished = [_unfinished(one) for one in series if one.missing]
    unfinished += [f"{shown(run.name)}: {m} has not begun" for run in runs for m in run.waiting]
    data = embedded.to_json([((one.run.name, one.summary.method), one.name) for one in series])
    page = render(_values(runs, series, unfinished), data)
    _put(file, page.encode(), "--out")
    if export is not None:
        _put(export, written(rows, export), "--export")
    return Built(file, len(runs), sum(len(one.records) for one in series), unfinished)


def _put(file: Path, content: bytes, option: str) -> None:
    try:
        _write(file, content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{file} cannot be written: {reason}", f"name another {option}") from error


def _write(file: Path, content: bytes) -> None:
    """Write a file at once: it is the old one or the new one, never half of it."""
    if file.exists() and not file.is_file():  # a device or a pipe, which nothing replaces
        file.write_bytes(content)
        return
    file = file.resolve()
    beside = file.with_name(f"{file.name}.new")
    try:
        beside.write_bytes(content)
        beside.replace(file)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise


def _values(
    runs: Sequence[Run], series: Sequence[Series], unfinished: Sequence[str]
) -> dict[str, object]:
    table, empty = headline(series)
    read = [(shown(run.name), read_summary(run.folder)) for run in runs]
    summaries = [(name, summary) for name, summary in read if summary]
    return {
        "title": ", ".join(dict.fromkeys(_dataset(run) for run in runs)),
        "facts": _facts(runs),
        "names": [one.name for one in series],
        "unfinished": unfinished,
        "troubles": _troubles(series, summaries),
        "different": len({_questions(run) for run in runs}) > 1,
        "spread": len({_spread(run) for run in runs}) > 1,
        "headline": table,
        "empty": empty,
        "oracles": _oracles(runs, summaries),
        "tiles": tiles(series[0]) if len(series) == 1 else [],
        "against_cost": against_cost(series),
        "breakdowns": breakdowns(series),
        "kinds": kinds(series),
        "contrasts": contrasts(series),
        "confidence": [plot for plot in (risk_coverage(series), reliability(series)) if plot],
        "calibration": calibration(series),
        "costs": costs(series),
        "differences": differences(runs),
        "settings": [(shown(run.name), flat(run.config)) for run in runs],
        "height": HEIGHT,
    }


def _troubles(series: Sequence[Series], summaries: Sequence[tuple[str, RunSummary]]) -> list[str]:
    """What the numbers do not show, the same once, with the series or runs that it is true of."""
    by_line: dict[str, list[str]] = {}
    for one in series:
        for line in trouble_lines(one.summary):
            by_line.setdefault(line, []).append(one.name)
    for name, summary in summaries:
        asked = max((method.questions for method in summary.methods.values()), default=0)
        if line := gold_line(summary.unknown_gold or 0, asked):
            by_line.setdefault(line, []).append(name)
    return [f"{', '.join(names)}: {line}" for line, names in by_line.items()]


def _oracles(runs: Sequence[Run], summaries: Sequence[tuple[str, RunSummary]]) -> list[str]:
    """What the gold relation paths of each run's questions are worth, the same once."""
    lines = {name: oracle_line(summary.oracle) for name, summary in summaries if summary.oracle}
    if len(lines) == len(runs) and len(set(lines.values())) == 1:
        return [*lines.values()][:1]
    return [f"{name}, {line}" for name, line in lines.items()]


def _unfinished(one: Series) -> str:
    asked = len(one.records) + one.missing
    return f"{one.name}: {len(one.records):,} of {asked:,} questions are answered so far"


def _facts(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """What the runs were made with, each value once."""
    versions = [_at(run, "versions", "groundwalk") for run in runs]
    facts = {
        "Questions": [_sample(run) for run in runs],
        "Knowledge graph": [_at(run, "kg", "source") for run in runs],
        "Model": [_at(run, "model", "source") for run in runs],
        "LLM": [_at(run, "llm") for run in runs],
        "Methods": [shown(method) for run in runs for method in run.methods],
        "Spread": [_spread(run) for run in runs],
        "Date": [f"{run.begun:%Y-%m-%d}" for run in runs],
        "Version": [f"groundwalk {version}" for version in versions if version],
    }
    return [
        (name, ", ".join(dict.fromkeys(filter(None, values))))
        for name, values in facts.items()
        if any(values)
    ]


def _dataset(run: Run) -> str:
    record = run.records[0]
    return shown(" ".join(filter(None, (record["dataset"], record["split"]))))


def _sample(run: Run) -> str:
    """How the questions were sampled, where they are a sample."""
    count, of = run.questions or 0, _at(run, "questions", "sampled_of")
    return (
        sample_line(count, int(of)) if of.isdecimal() and len(of) < 12 and count < int(of) else ""
    )


def _questions(run: Run) -> str:
    return _at(run, "questions", "digest") or _dataset(run)


def _spread(run: Run) -> str:
    """How a run was spread when it began, on which its costs depend."""
    if not _at(run, "speed"):
        return ""
    workers, batch = _at(run, "speed", "workers"), _at(run, "speed", "batch")
    processes = "one process" if not workers else f"{workers} worker{'s' * (workers != '1')}"
    processes += " of Ray" if _at(run, "speed", "ray") == "True" else ""
    return processes if batch in ("", "1") else f"{processes} with {batch} questions at once"


def _at(run: Run, *names: str) -> str:
    """A setting as text; nothing where it is not there."""
    setting: Any = run.config
    for name in names:
        setting = cast("dict[str, Any]", setting).get(name) if isinstance(setting, dict) else None
    return "" if setting is None else shown(str(setting))


def render(values: Mapping[str, object], data: str) -> str:
    """The page: `values` fill the template, escaped; `data` is the JSON that its script
    reads, in which nothing can end an element.

    The page's policy lets nothing be loaded or sent, and only its own style and script be used,
    by their digests, whatever the text in it may hold.
    """
    environment = pages_of("groundwalk.evaluation.report")
    style, script = source_of(environment, "report.css"), source_of(environment, "report.js")
    return environment.get_template("page.html.jinja").render(
        values,
        data=Markup(data),
        style=Markup(style),
        script=Markup(script),
        style_digest=digest(style),
        script_digest=digest(script),
    )
