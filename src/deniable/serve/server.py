"""The service over HTTP: JSON in and out, an OpenAPI document, and MCP for agents."""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import logging
import os
import re
import sys
from collections.abc import Awaitable, Callable
from importlib import resources
from typing import TYPE_CHECKING, Any

from deniable.errors import (
    BudgetExceeded,
    InfeasibleTarget,
    InvalidArgument,
    NotApplicable,
    PlanError,
    validate,
)
from deniable.errors.late import late
from deniable.ledger.ledger import Ledger
from deniable.numerics.answer import plain
from deniable.publish.plan import FILE, PlanInput, entries
from deniable.serve.access import PATIENCE, AccessControl, parse, refuse
from deniable.serve.session import BusyError, Session
from deniable.serve.settings import FORM

if TYPE_CHECKING:
    import anyio
    import uvicorn
    from starlette import applications, responses, routing
    from starlette.requests import Request

    from deniable.serve import connections, tools
else:
    uvicorn = late("uvicorn", extra="serve")
    anyio = late("anyio", extra="serve")
    applications, responses, routing = (
        late(f"starlette.{name}", extra="serve")
        for name in ("applications", "responses", "routing")
    )
    connections = late("deniable.serve.connections")
    tools = late("deniable.serve.tools")

PORT = 8765
"""The usual port, which no well-known service has."""
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_MOST_AT_ONCE = 200
"""Connections at once; more are told to come again."""
_MOST_HEAD = 2**14
"""Bytes of a request's head."""
WORDS = ("describe", "cost", "ask", "left")
"""What a session may be asked, over HTTP and MCP alike."""
_ELSEWHERE = (
    "Expected GET /v1/describe, GET /v1/left, POST /v1/cost or POST /v1/ask, got another address "
    "or method. The page at / says what each is for."
)


def answer(session: Session, word: str, client: str, given: Any) -> tuple[int, dict[str, Any]]:
    """Return status and JSON of one of the words; errors say nothing that depends on data."""
    try:
        if word in ("describe", "left"):
            result = session.describe() if word == "describe" else session.left(client=client)
        else:
            result = getattr(session, word)(**_read(given), client=client)
    except BudgetExceeded as error:
        left = answer(session, "left", client, None)[1]
        return 409, plain({"refused": "budget", "error": str(error), "left": left})
    except InfeasibleTarget as error:
        return 409, {"refused": "target", "error": in_json(str(error))}
    except BusyError as error:
        return 503, {"error": str(error)}
    except (PlanError, InvalidArgument, NotApplicable) as error:
        return 400, {"error": in_json(str(error))}
    except RecursionError:
        return 400, {"error": "Expected a query, got one that is nested too deeply."}
    except Exception as error:
        # Nobody but the owner learns of it; not even they, what it says: it may quote a value.
        print(f"deniable serve: {type(error).__name__} in {word}", file=sys.stderr)
        return 500, {"error": "There is no answer. Ask again, or ask the owner."}
    return 200, plain(result)


def _read(given: Any) -> dict[str, Any]:
    """The query of a request and its target, with dates as dates."""
    if not isinstance(given, dict) or not given.keys() <= {"query", "target"}:
        raise PlanError(FORM)
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise PlanError("Expected text of whole characters, got half of one.") from None
    read = entries({name: [table] for name, table in given.items() if table is not None})
    return {"query": None} | {name: table for name, [table] in read.items()}


_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TOML = re.compile(
    rf" at {re.escape(FILE)}|({_QUOTED})|\[\[(query)\]\](?: {_QUOTED}| \d+)?|\[(target)\]"
    r"|\b([a-z_]+) = |\b(\d{4}-\d\d-\d\d(?:[T ][\d:]+)?(?:[+-]\d\d:\d\d)?)\b"
    r"|(?<=Expected )a (table)(?=,)"
)
"""What messages about a plan quote, and what a request has in other words."""
_WITHIN = rf"(?:{_QUOTED}|[^.?;\"])*"
_FOR_OWNER = re.compile(
    rf"({_QUOTED})|; {_WITHIN}\[(?!query|target)[a-z]+\]{_WITHIN}"
    rf"|(?<=[.?]) {_WITHIN}\[(?!query|target)[a-z]+\]{_WITHIN}(?:;{_WITHIN})*[.?]"
)
"""What to change in the tables of the plan, which only its owner can."""


def in_json(message: str) -> str:
    """Return a message about a plan in the words of a request, which is JSON."""

    def write(match: re.Match[str]) -> str:
        quoted, query, target, key, date, table = match.groups("")
        words = quoted or query or target or (key and f'"{key}": ') or (date and f'"{date}"')
        return words or (table and "a JSON object")

    return _TOML.sub(write, _FOR_OWNER.sub(lambda match: match[1] or "", message))


def answer_in_thread(session: Session) -> tools.Answer:
    """Return what answers in a thread of its own: as many as connections, so that none waits."""
    threads = anyio.CapacityLimiter(_MOST_AT_ONCE)

    async def call(word: str, client: str, given: Any) -> tuple[int, dict[str, Any]]:
        return await anyio.to_thread.run_sync(answer, session, word, client, given, limiter=threads)

    return call


def application(
    session: Session, *, names: tuple[str, ...] = (), mcp: bool = False, **limits: Any
) -> AccessControl:
    """Return the ASGI application of a session; `names` are its own in addresses."""
    call = answer_in_thread(session)

    def respond_to(word: str) -> Callable[[Request], Awaitable[responses.Response]]:
        async def respond(request: Request) -> responses.Response:
            given = parse(await request.body()) if request.method == "POST" else None
            status, result = await call(word, request.state.asks, given)
            if status == 503:
                return refuse(status, result["error"], again_after=1)
            return responses.JSONResponse(result, status)

        return respond

    def show(name: str, kind: str) -> Callable[[Request], responses.Response]:
        text = resources.files("deniable.serve").joinpath(name).read_text("utf-8")
        example = f"http://127.0.0.1:{PORT}/"

        def send(request: Request) -> responses.Response:
            own = text.replace(example, html.escape(str(request.base_url)))
            return responses.Response(own, media_type=kind)

        return send

    def miss(_request: Request, error: Any) -> responses.Response:
        return responses.JSONResponse({"error": _ELSEWHERE}, error.status_code, error.headers)

    routes: list[Any] = [
        routing.Route("/", show("page.html", "text/html")),
        routing.Route("/openapi.json", show("openapi.json", "application/json")),
    ]
    for word in WORDS:
        method = "POST" if word in ("cost", "ask") else "GET"
        routes.append(routing.Route(f"/v1/{word}", respond_to(word), methods=[method]))
    lifespan = None
    if mcp:
        routes_of_tools, lifespan = tools.serve_tools(call)
        routes += routes_of_tools
    handlers: Any = {404: miss, 405: miss}
    app = applications.Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return AccessControl(app, session.current_clients, {*_LOCAL, *names}, **limits)


def serve(
    ledger: Ledger | str | os.PathLike[str],
    dataset: str,
    plan: PlanInput,
    *,
    data: object | None = None,
    answers: str | os.PathLike[str] | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    name: str | None = None,
    mcp: bool = False,
    stdio: str | None = None,
    started: Callable[[str], None] = print,
) -> None:
    """Answer questions over HTTP until a signal ends the process, or of one agent over stdio.

    Parameters
    ----------
    ledger : Ledger, path or URL
        Where questions are charged.
    dataset : str
        Whose budget.
    plan : path, str or mapping
        A plan without queries, with a ``[[client]]`` for each program that may ask. A file that
        changes is read again: that is how a token is revoked.
    data, answers : data frame and path, optional
        As a `Session` takes them.
    host : str
        The address to listen at: this machine alone unless given.
    port : int
        The port; 0 for any that is free.
    name : str, optional
        The name of the service in addresses, where a proxy passes requests on.
    mcp : bool
        Whether agents find the same words as MCP tools, at /mcp.
    stdio : str, optional
        The client who asks by MCP on standard input and output; nothing listens then.
    started : callable
        Called with the address once requests are taken.

    Raises
    ------
    InvalidArgument
        If the plan has no client, or not that one, the port is taken, or an event loop runs.
    """
    port = validate.port(port)
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        raise InvalidArgument(
            "Expected a thread without an event loop, got one with a loop, as in a notebook. Type "
            "deniable serve in a terminal."
        )
    with Session(plan, ledger, dataset, data=data, answers=answers) as session:
        if not session.clients:
            raise InvalidArgument(
                "Expected a client who may ask, got none. Add [[client]] with name, token_sha256 "
                "and share to the plan."
            )
        if stdio is not None:
            session.left(client=stdio)  # which refuses others than the plan's
            tools.serve_stdio(answer_in_thread(session), stdio)
            return
        names = tuple(each.lower() for each in (host, name) if each)
        app = application(session, names=names, mcp=mcp)
        config = uvicorn.Config(
            app, host=host, port=port, http=connections.PromptProtocol, ws="none", log_config=None,
            access_log=False, server_header=False, limit_concurrency=_MOST_AT_ONCE,
            h11_max_incomplete_event_size=_MOST_HEAD, timeout_graceful_shutdown=int(PATIENCE),
        )  # fmt: skip
        try:
            listening = config.bind_socket()
        except SystemExit:  # which uvicorn raises where others listen
            raise InvalidArgument(
                f"Expected an address of this machine and a free port, got {host} and {port}. "
                "Choose another port, or 127.0.0.1 as the host."
            ) from None
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)  # requests hold names and keys
        with listening:
            listening.listen(_MOST_AT_ONCE)  # who reads the address may ask at once
            started(f"http://{host}:{listening.getsockname()[1]}/")
            uvicorn.Server(config).run([listening])
