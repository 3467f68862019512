"""The MCP server of the tools: their registration, their errors, and the HTTP transport."""

import functools
import socket
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from ..agent.errors import GroundwalkError, InputError
from ..agent.kg.labels.names import one_line
from ..graphs.tool import in_one_line
from .mcp_tools import Tools

INSTRUCTIONS = (
    "A knowledge graph, read only. `ask` answers questions in plain words and proves each answer "
    "with triples of the graph; `query` says exactly what is asked, as JSON; `find_entity` and "
    "`neighbours` look into it; `verify_chain` checks triples that somebody claims."
)
_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def mcp_server(tools: Tools) -> MCPServer[Any]:
    """A server that offers the tools; each call runs in a thread of its own."""
    server = _Server(
        "groundwalk",
        version=version("groundwalk"),
        instructions=INSTRUCTIONS,
        log_level="WARNING",
    )
    for tool in (tools.ask, tools.query, tools.find_entity, tools.neighbours, tools.verify_chain):
        server.add_tool(_with_errors(tool), annotations=_READS)
    return server


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises InputError where none can."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot listen at {host}:{port}: {reason}", "choose another") from error


def serve_http(server: MCPServer[Any], host: str, listening: socket.socket) -> None:
    """Serve at http://HOST:PORT/mcp until interrupted; the address is told on standard error.

    On loopback only requests for a loopback address are taken, so that no page in a browser reaches
    it by another name (DNS rebinding).
    """
    import uvicorn

    port: int = listening.getsockname()[1]
    where = f"[{host}]" if ":" in host else host
    print(f"groundwalk: serving MCP at http://{where}:{port}/mcp", file=sys.stderr, flush=True)
    config = uvicorn.Config(server.streamable_http_app(host=host), log_level="warning")
    anyio.run(functools.partial(uvicorn.Server(config).serve, sockets=[listening]))


class _Server(MCPServer[Any]):
    """Says in one line what is wrong with the arguments of a tool."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_wrong(error.__cause__)) from error.__cause__
            raise


def _wrong(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return one_line("; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in details))


def _with_errors(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool with errors that the host is told, in one line."""

    @functools.wraps(tool)
    def run(**arguments: Any) -> Any:
        try:
            return tool(**arguments)
        except GroundwalkError as error:
            raise ToolError(in_one_line(error)) from error

    return run
