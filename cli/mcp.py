"""`groundwalk mcp`: a knowledge graph as tools of any agent host that speaks MCP."""

import contextlib
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from ..agent.errors import GroundwalkError, InputError
from . import options as o
from .preparing import Prepared
from .terminal import internal_error, report

if TYPE_CHECKING:
    from .mcp_about import About
    from .session import Session


@o.takes_options
def mcp(
    answering: Annotated[
        o.Answering, o.Without("beams", "hops", "paper", "on_ambiguous", "thread")
    ],
    transport: Annotated[
        str, typer.Option("--transport", metavar="stdio|http", help="How hosts connect.")
    ] = "stdio",
    host: Annotated[str, typer.Option("--host", help="http: the address to listen at.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="http: its port; 0 is a free one.")
    ] = 8000,
) -> None:
    """Serve a knowledge graph as tools, by the Model Context Protocol.

    An agent host starts it by itself over stdio. With --transport http it
    listens at http://HOST:PORT/mcp, without a password: leave it on loopback,
    or put it behind a proxy that asks for one. It needs the extra `mcp`.
    """
    o.one_of("--transport", transport, "stdio", "http")
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise InputError("the MCP SDK is not installed", "pip install 'groundwalk[mcp]'")
    from .session import check_answering

    answering = replace(answering, on_ambiguous="error")
    with contextlib.redirect_stdout(sys.stderr):  # standard output is the protocol's
        check_answering(answering)
        _check_there(answering)
        from .mcp_server import listen, mcp_server, serve_http
        from .mcp_tools import Tools

        listening = listen(host, port) if transport == "http" else None
        stopped = Event()
        session = Prepared(partial(_opened, answering))
        about = Prepared(partial(_described, session, answering, stopped))
        server = mcp_server(Tools(session, about), ahead=(session, about))
    if listening:
        serve_http(server, host, listening, needed=session)
    else:
        server.run("stdio")
    stopped.set()
    failure = session.failure
    code = failure.exit_code if isinstance(failure, GroundwalkError) else 4 if failure else 0
    if session.is_at_work or about.is_at_work:  # libraries that are half imported crash at the end
        sys.stderr.flush()
        os._exit(code)
    raise typer.Exit(code)


def _check_there(answering: o.Answering) -> None:
    """Raise KGError at once for a graph that is not there; others are opened later."""
    from ..agent.kg.opening import WORLD, is_endpoint
    from ..agent.settings import read_settings

    source = answering.source
    name = read_settings().kg if source.kg is None else source.kg
    if not (name == WORLD or is_endpoint(name) or Path(name).expanduser().exists()):
        source.open()


def _opened(answering: o.Answering) -> "Session":
    """The session; what is wrong, and what a user must know, is told on standard error too."""
    from .session import open_session

    try:
        session = open_session(answering)
    except GroundwalkError as error:
        report(error)
        raise
    except Exception as error:
        report(internal_error(error))
        raise
    for note in session.notes:
        typer.echo(note, err=True)
    return session


def _described(session: "Prepared[Session]", answering: o.Answering, stopped: Event) -> "About":
    from .mcp_about import describe

    tries = o.with_settings(answering).llm in ("", "none")
    return describe(session.get(), tries=tries, stopped=stopped)
