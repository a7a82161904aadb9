"""Connections of clients that are slow are closed; the only place that extends uvicorn."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from deniable.serve.access import PATIENCE


class PromptProtocol(H11Protocol):
    """HTTP/1.1, where `PATIENCE` limits the wait for a request's head, and for a taken answer.

    The body has its limit in `AccessControl`.
    """

    _head: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # writing pauses until all of an answer is on its way
        self._head = self.loop.call_later(PATIENCE, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head, and no longer once it is whole."""
        if self._head is None and self._is_between_requests():
            self._head = self.loop.call_later(PATIENCE, self.transport.abort)
        super().data_received(data)
        if self._head is not None and not self._is_between_requests():
            self._head.cancel()
            self._head = None

    def pause_writing(self) -> None:
        """Wait until the client takes the answer."""
        super().pause_writing()
        self._unread = self.loop.call_later(PATIENCE, self.transport.abort)

    def resume_writing(self) -> None:
        """Wait no longer."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def _is_between_requests(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # none before the first
        return cycle is None or cycle.response_complete
