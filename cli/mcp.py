"""`groundwalk mcp`: a knowledge graph as tools of any agent host that speaks MCP."""

import contextlib
import os
import sys
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from ..agent.errors import GroundwalkError, InputError
from . import options as o
from .preparing import Prepared
from .terminal import internal_error, report

if TYPE_CHECKING:
    from ..graphs.about import About
    from .session import Session

_HOST, _PORT = "127.0.0.1", 8000
"""Where it listens over HTTP, unless told otherwise."""
_PATIENCE = 10.0
"""Seconds that the graph is waited for once the host is gone, to end in what is wrong with it."""


@o.takes_options
def mcp(
    answering: Annotated[
        o.Answering, o.Without("beams", "hops", "paper", "on_ambiguous", "thread")
    ],
    transport: Annotated[
        str, typer.Option("--transport", metavar="stdio|http", help="How hosts connect.")
    ] = "stdio",
    host: Annotated[
        str | None,
        typer.Option("--host", help=f"http: the address to listen at; unset: {_HOST}."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help=f"http: its port; 0 is a free one, unset: {_PORT}."
        ),
    ] = None,
) -> None:
    """Serve a knowledge graph as tools, by the Model Context Protocol.

    An agent host starts it by itself over stdio. With --transport http it
    listens at http://HOST:PORT/mcp, without a password: leave it on loopback,
    or put it behind a proxy that asks for one. It needs the extra `mcp`.
    """
    o.one_of("--transport", transport, "stdio", "http")
    for option, value in (("--host", host), ("--port", port)):
        if transport == "stdio" and value is not None:
            raise InputError(f"{option} {value}: stdio listens nowhere", "add --transport http")
    host, port = host or _HOST, _PORT if port is None else port
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise InputError("the MCP SDK is not installed", "pip install 'groundwalk[mcp]'")
    answering, reported = replace(answering, on_ambiguous="error"), set[str]()
    with contextlib.redirect_stdout(sys.stderr):  # standard output is the protocol's
        early = _wrong(answering)
        if early is not None:
            if transport == "http":
                raise early
            _report_once(early, reported)  # a host on stdio is told in its first call too
        from .mcp_server import listen, mcp_server, serve_http
        from .mcp_tools import Tools

        listening = listen(host, port) if transport == "http" else None
        stopped = Event()
        session = Prepared(partial(_opened, answering, reported))
        about = Prepared(partial(_described, session, answering, stopped))
        tools = Tools(session, about, _path(answering))
        server = mcp_server(tools, ahead=(session, about))
    if listening:
        serve_http(server, host, listening, needed=session)
    else:
        with contextlib.redirect_stdout(_host_output()):
            server.run("stdio")
        session.settle(_PATIENCE)
    stopped.set()
    is_open = session.has_begun and not session.is_at_work
    failure = session.failure if is_open else early
    code = failure.exit_code if isinstance(failure, GroundwalkError) else 4 if failure else 0
    if session.is_at_work or about.is_at_work:  # libraries that are half imported crash at the end
        sys.stderr.flush()
        os._exit(code)
    raise typer.Exit(code)


def _host_output() -> TextIO:
    """The standard output that a host reads; from now on all that is printed goes elsewhere.

    The SDK gives it back as soon as the host is gone, and what is still at work would print there.
    """
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return output


def _wrong(answering: o.Answering) -> GroundwalkError | None:
    """What is wrong with the options, or that the graph is not there; graphs are opened later."""
    from .session import check_answering

    try:
        check_answering(answering)
        if (path := _path(answering)) and not Path(path).exists():
            answering.source.open()
    except GroundwalkError as error:
        return error
    return None


def _path(answering: o.Answering) -> str:
    """Where the graph lies; empty for one that is no file or folder of the user's.

    It is empty too where settings are wrong, which `_wrong` tells.
    """
    from ..agent.kg.opening import WORLD, is_endpoint
    from ..agent.settings import read_settings

    try:
        name = read_settings().kg if answering.source.kg is None else answering.source.kg
    except GroundwalkError:
        return ""
    return "" if name == WORLD or is_endpoint(name) else str(Path(name).expanduser())


def _report_once(error: GroundwalkError, reported: set[str]) -> None:
    """Report an error, unless it was `reported` before."""
    if error.message not in reported:
        reported.add(error.message)
        report(error)


def _opened(answering: o.Answering, reported: set[str]) -> "Session":
    """The session; what is wrong, and what a user must know, is told on standard error too."""
    from .session import open_session

    try:
        session = open_session(answering)
    except GroundwalkError as error:
        _report_once(error, reported)
        raise
    except Exception as error:  # what this tells no tool tells again
        if os.environ.get("GROUNDWALK_DEBUG"):
            traceback.print_exc()
        else:
            report(internal_error(error))
        raise
    for note in session.notes:
        typer.echo(note, err=True)
    return session


def _described(session: "Prepared[Session]", answering: o.Answering, stopped: Event) -> "About":
    tries = o.with_settings(answering).llm in ("", "none")
    return described(session.get(), tries=tries, stopped=stopped)


def described(session: "Session", *, tries: bool, stopped: Event) -> "About":
    """What the graph of a session holds, for a host that has never seen it.

    Where it `tries` the examples, it loads the models with it. They are tried until it is
    `stopped`, or for some time. Raises ServiceError.
    """
    from ..graphs.about import describe, tried

    answers = tried(session.graph, session.options, stopped.is_set) if tries else None
    return describe(session.kg, answers, session.notes)
