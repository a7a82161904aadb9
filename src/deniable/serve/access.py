"""Control access: tokens, origins, rates, sizes and patience, before a session sees a request."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.json_documents import unique_keys
from deniable.errors import PlanError
from deniable.errors.late import late
from deniable.serve.settings import Client

if TYPE_CHECKING:
    from starlette import responses
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
else:
    responses = late("starlette.responses", extra="serve")

MOST_BYTES = 2**16
"""Bytes of a body: a query with a few thousand keys."""
PATIENCE = 10.0
"""Seconds for the head of a request, for its body, and for the answer to be taken."""
OPEN = ("/", "/openapi.json")
"""Pages that say nothing of this service's data, and need no token."""
_PORT = re.compile(":[0-9]*$")
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'"),
)


@attrs.define
class AccessControl:
    """Let a client's request in, whole, once its token is known; refuse everything else.

    Clients are looked up at each request, so that a token which the plan no longer has is refused
    from then on. All tokens are compared, each in constant time.
    """

    app: ASGIApp
    clients: Callable[[], Mapping[str, Client]]
    names: Collection[str]
    patience: float = PATIENCE
    clock: Callable[[], float] = time.monotonic
    _rates: dict[str, tuple[float, float]] = attrs.field(factory=dict, init=False)
    """Requests that each client could still make, and when: they grow again, up to a minute's."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the service, or answer why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            await send(message)

        async def receive_again() -> Message:
            if bodies:
                return {"type": "http.request", "body": bodies.pop(), "more_body": False}
            return await receive()

        refusal, bodies = self._refuse(scope), list[bytes]()
        if refusal is None:
            try:
                bodies.append(await asyncio.wait_for(_read(receive), self.patience))
            except TimeoutError:
                refusal = refuse(408, "The body took too long. Send it at once.")
            if sum(map(len, bodies)) > MOST_BYTES:
                refusal = refuse(413, f"Expected a body of at most {MOST_BYTES} bytes.")
        if refusal is None and scope["method"] == "POST":  # MCP's, too, before its own reader
            try:
                parse(bodies[0])
            except PlanError as error:
                refusal = refuse(400, str(error))
        await (refusal or self.app)(scope, receive_again, send_with_headers)

    def _refuse(self, scope: Scope) -> responses.Response | None:
        """Why a request is not let in; None where it is. Who asks then stands in its state."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        if _PORT.sub("", host).lower() not in self.names:
            return refuse(403, "This service has another name. Ask at the address it printed.")
        if any(origin.partition("://")[2] != host for origin in origins):
            return refuse(403, "Pages of other origins may not ask.")
        if scope["path"] in OPEN:
            return None
        client = self._known(headers.get(b"authorization", b""))
        if client is None:
            return refuse(403, "Expected a client, got no token. Send Authorization: Bearer TOKEN.")
        now, per_second = self.clock(), client.per_minute / 60
        left, at = self._rates.get(client.name, (client.per_minute, now))
        left = min(client.per_minute, left + (now - at) * per_second)
        self._rates[client.name] = (left - 1 if left >= 1 else left), now
        if left < 1:
            wait = int((1 - left) / per_second) + 1
            return refuse(429, "Too many requests. Wait.", again_after=wait)
        scope["state"] = {**scope.get("state", {}), "asks": client.name}
        return None

    def _known(self, authorization: bytes) -> Client | None:
        kind, _, token = authorization.partition(b" ")
        digest = hashlib.sha256(token.strip()).hexdigest()
        known = None
        for client in self.clients().values():
            if hmac.compare_digest(digest, client.token_sha256) and kind.lower() == b"bearer":
                known = client
        return known


def parse(body: bytes) -> Any:
    """Read JSON; without numbers that it does not have, and names that mean two things."""
    try:
        # No NaN and no Infinity is an integer.
        return json.loads(body, parse_constant=int, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        raise PlanError("Expected JSON, with each name once, got something else.") from None


def refuse(status: int, error: str, *, again_after: int | None = None) -> responses.Response:
    """Return an answer that says why there is none, and after how many seconds there may be one."""
    headers = None if again_after is None else {"Retry-After": str(again_after)}
    return responses.JSONResponse({"error": error}, status, headers)


async def _read(receive: Receive) -> bytes:
    """The whole body; of one that is too long the beginning."""
    message: Message = {"more_body": True}
    body = b""
    while message.get("more_body") and len(body) <= MOST_BYTES:
        message = await receive()
        body += message.get("body", b"")
    return body
