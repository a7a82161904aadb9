"""Connections whose requests do not arrive are closed; the only place that extends uvicorn."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from deniable.serve.access import PATIENCE


class PromptProtocol(H11Protocol):
    """HTTP/1.1, where the head of a request has to arrive within `PATIENCE`.

    What follows, the body and the answer, has its limits in `AccessControl`.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head, and no longer once it is whole."""
        if self._deadline is None and self._is_between_requests():
            self._deadline = self.loop.call_later(PATIENCE, self._give_up)
        super().data_received(data)
        if self._deadline is not None and not self._is_between_requests():
            self._deadline.cancel()
            self._deadline = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _is_between_requests(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # none before the first
        return cycle is None or cycle.response_complete

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
