"""The page's server: on this machine alone, for those who have the address with its token."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import socket
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from deniable.errors import DeniableError, validate
from deniable.errors.late import late
from deniable.explorer import open_in_browser
from deniable.numerics.operating_system import run_interruptibly
from deniable.studio.draft import begin
from deniable.studio.pages import Page, Studio

if TYPE_CHECKING:
    import uvicorn
    from starlette import applications, concurrency, requests, responses, routing
    from starlette.middleware import body_limit
    from starlette.types import ASGIApp, Receive, Scope, Send
else:
    uvicorn = late("uvicorn", extra="serve")
    applications, concurrency, requests, responses, routing, body_limit = (
        late(f"starlette.{name}", extra="serve")
        for name in (
            "applications", "concurrency", "requests", "responses", "routing",
            "middleware.body_limit",
        )
    )  # fmt: skip

HERE = "127.0.0.1"
"""The only address that listens: no other machine reaches it."""
MOST_BYTES = 2**20
"""The largest form: a plan with 10,000 keys has a fifth of it."""
_MOST_FIELDS = 2_000
"""Fields of a form: a file has up to some hundreds of columns."""
_TOKEN = 32
"""Random bytes of a token: nobody guesses 256 bits."""
_REFUSED = "Refused. The studio answers only at the address that it printed when it was started."
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; frame-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'self'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # with "no-referrer" a form of our own has no origin
    "x-content-type-options": "nosniff",
}
_OF_REPORT = "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def studio(
    source: str | os.PathLike[str] | None = None,
    *,
    port: int = 0,
    browser: bool = True,
    announce: Callable[[str], object] = print,
) -> None:
    """Serve a local page for making, previewing and releasing a plan by forms, until Ctrl-C.

    All that the page keeps is the plan's file. Closed and opened again, it goes on there.

    Parameters
    ----------
    source : str or path, optional
        A file of data, whose plan is made beside it under the same name, or a plan. Left out, the
        plan is plan.toml in the current folder.
    port : int
        Where the page listens on this machine, 127.0.0.1; 0 takes a free port.
    browser : bool
        Whether to open the page in a browser, where there is a screen.
    announce : callable
        Called once with the address, in which a token stands that nobody else has.

    Raises
    ------
    PlanError
        If the plan that was begun cannot be read.
    OSError
        If the port is taken, or the plan cannot be written.
    """
    port = validate.port(port)
    desk = Studio(begin(source))
    with contextlib.closing(socket.create_server((HERE, port))) as listening:
        token = secrets.token_urlsafe(_TOKEN)
        port = listening.getsockname()[1]
        address = f"http://{HERE}:{port}/{token}/"
        serving = server(application(desk, token, port))
        announce(address)
        if browser:
            open_in_browser(address)
        try:
            with contextlib.suppress(KeyboardInterrupt):  # a notebook has a loop in this thread
                end = partial(setattr, serving, "should_exit", True)
                run_interruptibly(partial(serving.run, [listening]), end).result()
        finally:
            desk.close()


def server(app: ASGIApp) -> uvicorn.Server:
    """What serves an application and logs nothing: a request holds names and keys."""
    settings = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", ws="none", http="h11",
        server_header=False, limit_concurrency=50, timeout_graceful_shutdown=1,
    )  # fmt: skip
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logging.getLogger(name).disabled = True
    return uvicorn.Server(settings)


class _Guard:
    """Answers requests that name this machine and its token, and come from no other page."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode("ascii")
        self._hosts = {f"{name}:{port}".encode() for name in (HERE, "localhost")}
        if port == 80:
            self._hosts |= {HERE.encode(), b"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, without its token, or refuse it in the same words for any reason."""
        if scope["type"] == "http":
            first, _, rest = scope["path"].removeprefix("/").partition("/")
            given = first.encode("utf-8", "surrogateescape")
            # A name of another's that was made to lead here is none of ours.
            hosts = [value for name, value in scope["headers"] if name == b"host"]
            own = {b"sec-fetch-site": {b"same-origin", b"none"}}
            own[b"origin"] = {b"http://" + host for host in hosts}
            is_own = len(hosts) == 1 and hosts[0] in self._hosts
            is_own &= all(value in own[name] for name, value in scope["headers"] if name in own)
            if is_own and secrets.compare_digest(given, self._token):
                inner = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
                await self._app(inner, receive, send)
                return
            refusal = responses.PlainTextResponse(_REFUSED, 403, _HEADERS)
            await refusal(scope, receive, send)


def application(desk: Studio, token: str, port: int) -> ASGIApp:
    """The pages behind their guard."""

    def send_file(request: requests.Request) -> responses.Response:
        """A file of the release, to be kept; the report to be read, where it cannot do a thing."""
        name = request.path_params["name"]
        path = desk.files().get(name)
        if path is None:
            return responses.PlainTextResponse("There is no such file.", 404, _HEADERS)
        if "report" in request.query_params:
            headers = _HEADERS | {"content-security-policy": _OF_REPORT}
            return responses.Response(path.read_bytes(), 200, headers, "text/html; charset=utf-8")
        return responses.FileResponse(path, 200, _HEADERS, filename=name)

    async def answer(request: requests.Request) -> responses.Response:
        step = request.path_params.get("step", "")
        form = None
        if request.method == "POST":
            if request.headers.get("content-type") != "application/x-www-form-urlencoded":
                return responses.PlainTextResponse("Expected a form.", 415, _HEADERS)
            try:
                fields = parse_qsl(
                    (await request.body()).decode("ascii"), keep_blank_values=True,
                    errors="strict", max_num_fields=_MOST_FIELDS,
                )  # fmt: skip
            except ValueError:
                return responses.PlainTextResponse("Expected a form in UTF-8.", 400, _HEADERS)
            form = dict(fields)
        query = dict(request.query_params)
        page = await concurrency.run_in_threadpool(_call, desk, step, query, form)
        if page.place is not None:
            return responses.RedirectResponse(page.place, 303, _HEADERS)
        return responses.Response(page.content, page.status, _HEADERS, page.kind)

    pages = applications.Starlette(
        routes=[
            routing.Route("/", answer, methods=["GET"]),
            routing.Route("/{step}", answer, methods=["GET", "POST"]),
            routing.Route("/files/{name}", send_file, methods=["GET"]),
        ]
    )
    return _Guard(body_limit.RequestBodyLimitMiddleware(pages, MOST_BYTES), token, port)


def _call(desk: Studio, step: str, query: dict[str, str], form: dict[str, str] | None) -> Page:
    """A page; of a fault its type alone, for its words may quote a record."""
    try:
        return desk.show(step, query) if form is None else desk.send(step, query, form)
    except DeniableError as error:
        return Page(str(error), "text/plain; charset=utf-8", 409)
    except Exception as error:
        return Page(f"An internal error: {type(error).__name__}.", "text/plain; charset=utf-8", 500)
