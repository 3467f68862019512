"""The `groundwalk` command: ask, chat, verify, mcp, kg, graph, train, eval."""

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from itertools import takewhile
from typing import Annotated, Any, NoReturn, cast

import typer

from ..agent.errors import DiskError, GroundwalkError, InputError
from .ask import ask
from .chat.start import chat
from .evaluate import app as evaluate
from .kg import app as kg
from .mcp import mcp
from .terminal import internal_error, open_streams, quiet_libraries, report, whole_writes
from .train import train
from .verify import verify

app = typer.Typer(
    name="groundwalk",
    help="Ask questions over your own knowledge graph; every fact is checked at its source.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(ask)
app.command()(chat)
app.command()(train)
app.command()(verify)
app.command()(mcp)
app.add_typer(kg, name="kg")
app.add_typer(evaluate, name="eval")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"groundwalk {version('groundwalk')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask questions over your own knowledge graph; every fact is checked at its source."""


@app.command()
def graph(method: Annotated[str, typer.Argument(help="Such as gcr.")] = "gcr") -> None:
    """Print the state machine of a method as Mermaid."""
    from ..graphs.methods import check_method

    check_method(method)
    from ..graphs import build_graph

    typer.echo(build_graph(method).get_graph().draw_mermaid())


_COLLECTED = 50_000
"""Objects made between two looks for garbage.

Imports make many that stay. With Python's 700, a tenth of the time until the first answer goes into
looking at these again and again.
"""

_COMMAND_LINE = cast(type[Exception], typer.BadParameter.__mro__[2])
"""What any error of the command line is; typer brings its own click or takes the installed one."""


def _check_one_graph(arguments: Sequence[str]) -> None:
    """Raise InputError where `--kg` is given twice: of an option the last one alone would count."""
    options = takewhile(lambda argument: argument != "--", arguments)
    if sum(argument == "--kg" or argument.startswith("--kg=") for argument in options) > 1:
        raise InputError("--kg is given twice", "put the files into one folder, and name that")


def _end_unread() -> NoReturn:
    """End where whoever read standard output has gone: what is left to say is lost."""
    sys.stdout = None  # nothing can be flushed at the exit
    sys.exit(DiskError.exit_code)


def main() -> None:
    """Run the command line; every error ends in one line and its exit code."""
    gc.set_threshold(_COLLECTED)
    atexit.register(gc.freeze)  # what is there at the end need not be looked at again
    quiet_libraries()
    closed = open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    sys.stdout = whole_writes(sys.stdout)
    try:
        _check_one_graph(sys.argv[1:])
        code = app(prog_name="groundwalk", standalone_mode=False)
        sys.stdout.flush()
        if closed is not None and closed.lost:
            raise DiskError(
                "standard output is closed, so what should be shown is lost",
                "leave it open, or send it to a file or to /dev/null",
            )
        sys.exit(code if isinstance(code, int) else 0)
    except _COMMAND_LINE as error:
        usage: Any = error
        context = getattr(usage, "ctx", None)
        command = context.command_path if context else "groundwalk"
        if message := usage.format_message().rstrip("."):  # none where the help was printed
            report(InputError(message, f"see {command} --help"))
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except GroundwalkError as error:
        report(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        _end_unread()
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # of the libraries that print
            _end_unread()
        raise
    except Exception as error:  # the last resort: no traceback on a user's screen
        sys.exit(_code_of_unforeseen(error))


def _code_of_unforeseen(error: Exception) -> int:
    """Report an error that nothing foresaw; with GROUNDWALK_DEBUG raise it."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        sys.stdout = None  # nothing can be flushed at the exit
        full = DiskError("the disk that the output goes to is full", "make room")
        report(full)
        return full.exit_code
    if os.environ.get("GROUNDWALK_DEBUG"):
        raise error
    report(internal_error(error))
    return 4
