"""`groundwalk mcp`: a knowledge graph as tools of any agent host that speaks MCP."""

import contextlib
import sys
from dataclasses import replace
from typing import Annotated

import typer

from ..agent.errors import InputError
from . import options as o


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
    """Serve ask, query, find_entity, neighbours and verify_chain by the Model Context Protocol.

    An agent host starts it by itself over stdio. With --transport http it
    listens at http://HOST:PORT/mcp, without a password: leave it on loopback,
    or put it behind a proxy that asks for one. It needs the extra `mcp`.
    """
    o.one_of("--transport", transport, "stdio", "http")
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise InputError("the MCP SDK is not installed", "pip install 'groundwalk[mcp]'")
    o.chosen_method(answering.method, answering.model)
    with contextlib.redirect_stdout(sys.stderr):  # standard output is the protocol's
        from .mcp_server import listen, mcp_server, serve_http
        from .mcp_tools import Tools
        from .session import open_session

        listening = listen(host, port) if transport == "http" else None
        session = open_session(replace(answering, on_ambiguous="error"))
        for note in session.notes:
            typer.echo(note, err=True)
        server = mcp_server(Tools(session))
    if listening:
        serve_http(server, host, listening)
    else:
        server.run("stdio")
