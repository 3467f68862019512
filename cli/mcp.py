"""`groundwalk mcp`: a knowledge graph as tools of any agent host that speaks MCP."""

import contextlib
import sys
from typing import Annotated

import typer

from ..agent.errors import InputError
from . import options as o


def mcp(
    kg: o.KG = None,
    profile: o.Profile = "generic",
    graph: o.Graphs = None,
    language: o.Language = None,
    mediators: o.Mediators = None,
    infer: o.Infer = None,
    on_broken: o.OnBroken = "fail",
    method: o.Method = None,
    model: o.Model = None,
    reader: o.Reader = None,
    llm: o.LLM = None,
    settings: o.Settings = None,
    no_partial: o.NoPartial = False,
    device: o.Device = None,
    dtype: o.Dtype = None,
    prompts: o.Prompts = None,
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
    method = o.chosen_method(method, model)
    with contextlib.redirect_stdout(sys.stderr):  # standard output is the protocol's
        from .mcp_server import listen, mcp_server, serve_http
        from .mcp_tools import Tools
        from .session import open_session

        listening = listen(host, port) if transport == "http" else None
        session = open_session(
            kg=kg,
            profile=profile,
            graphs=graph or (),
            language=language,
            mediators=mediators,
            infer=infer,
            on_broken=on_broken,
            model=model,
            reader=reader,
            llm=llm,
            method=method,
            beams=None,
            hops=None,
            paper=False,
            pairs=settings or (),
            on_ambiguous="error",
            no_partial=no_partial,
            device=device,
            dtype=dtype,
            prompts=prompts,
            interactive=False,
        )
        for note in session.notes:
            typer.echo(note, err=True)
        server = mcp_server(Tools(session))
    if listening:
        serve_http(server, host, listening)
    else:
        server.run("stdio")
