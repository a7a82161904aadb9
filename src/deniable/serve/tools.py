"""The four words as MCP tools: over HTTP, under the same tokens, or for one client over stdio."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, BinaryIO, cast

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from deniable.errors import PlanError
from deniable.serve.access import MOST_BYTES, parse
from deniable.serve.settings import FORM

_INSTRUCTIONS = (
    "Ask for statistics about people, with noise that protects each of them. Every new question "
    "costs a part of a budget that never grows again. Call describe first, then cost, then ask. "
    "The same question asked again costs nothing."
)

Answer = Callable[[str, str, Any], Awaitable[tuple[int, dict[str, Any]]]]
"""What gives status and JSON of a word, to a client, of a query."""


class _Tools(MCPServer[Any]):
    """Tools that leave out no argument: the library would answer without it, at another cost."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool whose arguments have their form; objects may be written as texts."""
        if name in ("cost", "ask"):
            read = dict(arguments)
            for key, value in arguments.items():
                with contextlib.suppress(PlanError):
                    read[key] = parse(value.encode()) if isinstance(value, str) else value
            query, target = read.pop("query", None), read.pop("target", None)
            if read or not (isinstance(query, dict) and isinstance(target, dict | None)):
                raise ToolError(json.dumps({"error": FORM}))
            arguments = {"query": query, "target": target}
        return await super().call_tool(name, arguments, context)


def make_server(answer: Answer, asks: str | None = None) -> MCPServer[Any]:
    """Return the tools, for one client or for those whose tokens requests have."""
    # Below "CRITICAL" it logs questions, in which names and keys may stand.
    server = _Tools("deniable", instructions=_INSTRUCTIONS, log_level="CRITICAL")

    async def call(word: str, context: Context[Any, Any], given: Any = None) -> dict[str, Any]:
        # Who asks is never an argument of the agent's.
        client = asks or cast(Request, context.request_context.request).state.asks
        status, result = await answer(word, client, given)
        if status != 200:
            raise ToolError(json.dumps(result))
        return result

    async def describe(context: Context[Any, Any]) -> dict[str, Any]:
        """Say what may be asked: columns, public keys, statistics, and what the budget allows."""
        return await call("describe", context)

    async def cost(
        query: dict[str, Any], context: Context[Any, Any], target: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Say what a question costs and its half-widths, without asking.

        A query is, for example, {"statistic": "count", "where": [["age", ">=", 60]], "group_by":
        ["ward"], "keys": {"ward": ["north", "south"]}}. With "precision" it costs what that needs.
        """
        return await call("cost", context, {"query": query, "target": target})

    async def ask(
        query: dict[str, Any], context: Context[Any, Any], target: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Answer a query with noise, and charge it; see cost for its form."""
        return await call("ask", context, {"query": query, "target": target})

    async def left(context: Context[Any, Any]) -> dict[str, Any]:
        """Say what you may still spend, and what can be believed after all answers so far."""
        return await call("left", context)

    for tool in (describe, cost, ask, left):
        server.add_tool(tool)
    return server


class _EachNameOnce(io.BufferedIOBase):
    """Lines of a file; one with a name twice asks for a tool of this name, which is refused."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def read1(self, _size: int = -1) -> bytes:
        line = self._file.readline()
        try:
            parse(line)
        except PlanError as refusal:
            with contextlib.suppress(KeyError, RecursionError, TypeError, ValueError):
                call = {"method": "tools/call", "params": {"name": str(refusal)}}
                call |= {"jsonrpc": "2.0", "id": json.loads(line)["id"]}
                return json.dumps(call).encode() + b"\n"
        return line


def serve_stdio(answer: Answer, client: str) -> None:
    """Answer one client over standard input and output, until the input ends."""
    # The library reads JSON itself, and takes the last of two values.
    sys.stdin = io.TextIOWrapper(_EachNameOnce(sys.stdin.buffer))
    make_server(answer, client).run("stdio")


def serve_tools(answer: Answer) -> tuple[list[BaseRoute], Any]:
    """Return the routes of MCP over HTTP, and what runs as long as they do."""
    server = make_server(answer)
    app = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=MOST_BYTES,
        # Hosts and origins were looked at before.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @contextlib.asynccontextmanager
    async def run(_app: Any) -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    # A GET would open a stream that says nothing and never ends: every answer is one to a POST.
    [route] = app.routes
    return [Route("/mcp", cast(Route, route).endpoint, methods=["POST"])], run
