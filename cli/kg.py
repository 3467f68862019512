"""`groundwalk kg`: build a knowledge graph once, and look into it."""

import contextlib
import json
import sys
from collections.abc import Generator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from ..agent.errors import InputError
from . import options as o

if TYPE_CHECKING:
    from ..agent.kg import OnProgress

Parsing = Annotated[o.Source, o.Without("kg", "mediators", "infer")]
"""How the files of a graph are read."""

app = typer.Typer(help="Build a knowledge graph and look into it.", no_args_is_help=True)


@app.command()
@o.takes_options
def build(
    source: Annotated[
        str, typer.Argument(metavar="SRC", help="An RDF, pipe or TSV file, or a folder of RDF.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.")],
    *,
    parsing: Parsing,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of a built graph in DIR, at once.")
    ] = False,
    as_json: o.Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Build a graph on disk, which --kg DIR then opens at once, however large it is."""
    _check_named(source)
    from ..agent.kg import build as build_kg
    from ..agent.kg.files.building import read_meta
    from ..agent.kg.labels.names import one_line
    from .render import profile_line

    since, arguments = perf_counter(), parsing.parsing()
    with _progress(source, silent=quiet or as_json) as on_progress:
        counts = build_kg(source, out, replace=replace, on_progress=on_progress, **arguments)
    seconds = perf_counter() - since
    meta = read_meta(out)
    left_out = meta.left_out
    if as_json:
        record = {"status": "built", "folder": str(out), "source": source, **counts._asdict()}
        record |= {"profile": meta.profile.name}
        record |= {"left_out": left_out.statements, "seconds": round(seconds, 3)}
        typer.echo(json.dumps(record, ensure_ascii=False))
    elif not quiet:
        typer.echo(
            f"{out}: {counts.triples:,} triples, {counts.facts:,} facts between "
            f"{counts.entities:,} entities by {counts.relations:,} relations ({seconds:.1f} s)"
        )
        if line := profile_line(meta.profile.name):
            typer.echo(line)
    if left_out.statements:
        typer.echo(one_line(left_out.note), err=True)


@app.command()
@o.takes_options
def info(
    source: Annotated[str, typer.Argument(metavar="SRC", help="What --kg takes.")] = "world",
    *,
    parsing: Parsing,
    as_json: o.Json = False,
) -> None:
    """Print the size of a knowledge graph and its relations."""
    _check_named(source)
    from ..agent.kg import open_kg
    from .render import print_kg

    print_kg(open_kg(source, **parsing.parsing()), as_json=as_json)


def _check_named(source: str) -> None:
    if not source.strip():
        raise InputError("no knowledge graph was named", "give a file, a folder or `world`")


@contextlib.contextmanager
def _progress(source: str, *, silent: bool) -> "Generator[OnProgress | None]":
    """A bar on a terminal, one line elsewhere, on standard error."""
    if silent:
        yield None
        return
    from ..agent.kg import BuildProgress

    if not sys.stderr.isatty():
        begun = False

        def announce(_: BuildProgress) -> None:
            nonlocal begun
            if not begun:
                typer.echo(f"building from {source}", err=True)
            begun = True

        yield announce
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def show(progress: BuildProgress) -> None:
            bar.update(
                task, description=progress.stage, completed=progress.done, total=progress.total
            )

        yield show
