"""The four words as MCP tools, under the same tokens as HTTP."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import BaseRoute

from deniable.serve.access import MOST_BYTES
from deniable.serve.session import Session

_INSTRUCTIONS = (
    "Ask for statistics about people, with noise that protects each of them. Every new question "
    "costs a part of a budget that never grows again. Call describe first, then cost, then ask. "
    "The same question asked again costs nothing."
)

Answer = Callable[[Session, str, str, Any], tuple[int, dict[str, Any]]]


def serve_tools(session: Session, answer: Answer) -> tuple[list[BaseRoute], Any]:
    """Return the routes of MCP over HTTP, and what runs as long as they do."""
    server: MCPServer[Any] = MCPServer("deniable", instructions=_INSTRUCTIONS)

    async def call(word: str, context: Context[Any, Any], given: Any = None) -> dict[str, Any]:
        # Who asks is what the request's token said, and never an argument of the agent's.
        asks = cast(Request, context.request_context.request).state.asks
        status, result = await anyio.to_thread.run_sync(answer, session, word, asks, given)
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

    return list(app.routes), run
