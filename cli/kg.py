"""`groundwalk kg`: what is in a knowledge graph."""

from typing import Annotated

import typer

from ..agent.errors import InputError
from . import options as o

app = typer.Typer(help="Look into a knowledge graph.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """Look into a knowledge graph."""


@app.command()
def info(
    source: Annotated[str, typer.Argument(metavar="SRC", help="What --kg takes.")] = "world",
    as_json: o.Json = False,
) -> None:
    """Print the size of a knowledge graph and its relations."""
    if not source.strip():
        raise InputError("no knowledge graph was named", "give a file, a folder or `world`")
    from ..agent.kg import open_kg
    from .render import print_kg

    print_kg(open_kg(source), as_json=as_json)
