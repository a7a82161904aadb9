"""Work that takes long, in a thread of its own: how far it is, its question, its end."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

from deniable.errors import CostNote, DeniableError, ReleaseCancelled
from deniable.numerics.operating_system import UNWANTED
from deniable.publish.totals import ForOwner

RUNNING, ASKING, DONE, FAILED = "running", "asking", "done", "failed"
"""What work may be doing."""


def words_of(failure: DeniableError | OSError) -> str:
    """Return what a page says of a failure."""
    if isinstance(failure, OSError):
        return f"The system refused: {failure.strerror or type(failure).__name__}."
    return str(failure)


class Work:
    """One call that takes long, `call(progress, confirm)`, begun at once.

    It can be cancelled until its owner has said yes: from then on something may have been charged.
    """

    def __init__(self, name: str, version: str, call: Callable[[Any, Any], Any]) -> None:
        self.name, self.version, self.id = name, version, uuid.uuid4().hex
        self.state, self.fraction = RUNNING, 0.0
        self.result: Any = None
        self.error: str | None = None
        self.private: ForOwner | None = None
        self.is_cancelled = False
        self._agreed: bool | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(call,))
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in (DONE, FAILED)

    def answer(self, agreed: bool) -> None:
        """Answer its question; a no is a cancellation."""
        with self._changed:
            if self.state == ASKING and self._agreed is None:
                self._agreed, self.state = agreed, RUNNING
                self._changed.notify_all()

    def cancel(self) -> bool:
        """End it, unless something may have been charged; whether it will end."""
        with self._changed:
            if self.is_over or self._agreed:
                return False
            self.is_cancelled = True
            self._changed.notify_all()
            return True

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it has ended, or so long."""
        self._thread.join(seconds)

    def _run(self, call: Callable[[Any, Any], Any]) -> None:
        UNWANTED.set(lambda: self.is_cancelled)
        try:
            self.result = call(self._progress, self._confirm)
        except (DeniableError, OSError) as error:
            notes = [each for each in getattr(error, "__notes__", []) if isinstance(each, CostNote)]
            words = words_of(error)
            if self.is_cancelled:
                words = "Cancelled. Nothing was charged, drawn or written."
            self.error = " ".join(map(str, (words, *notes)))
        except Exception as error:  # its text may quote a record
            self.error = f"An internal error: {type(error).__name__}. Nothing else is known of it."
        self.state = DONE if self.error is None else FAILED

    def _progress(self, fraction: float) -> None:
        if self.is_cancelled:
            raise ReleaseCancelled("Expected work that is wanted, got a cancellation.")
        self.fraction = fraction

    def _confirm(self, private: ForOwner) -> bool:
        with self._changed:
            self.private, self.state = private, ASKING
            self._changed.wait_for(lambda: self.is_cancelled or self._agreed is not None)
            return self._agreed is True and not self.is_cancelled
