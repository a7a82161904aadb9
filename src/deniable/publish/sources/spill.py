"""A private folder for what does not fit in memory, gone on every exit that a process can see."""

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import attrs

from deniable.errors import DataError

PREFIX = "deniable-spill-"
_UNLOCKED = "deniable-new-"
_ENDING = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGALRM", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
"""Ctrl-\\, limits on time and what batch systems warn with end a process at once, too."""


@contextmanager
def spill_folder() -> Iterator[Path]:
    """A fresh folder that only this user may enter, under the system's temporary folder.

    It is removed at the end, also after an exception, Ctrl-C or a signal that asks to end. What a
    process left that was killed outright is removed when the next one starts here.

    Raises
    ------
    DataError
        If nothing can be written there.
    """
    with _ending() as ending:
        _check_temporary()
        _sweep()
        folder, lock = _lock_folder()
        try:
            ending.now()
            yield folder
        finally:
            ending.later()
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _lock_folder() -> tuple[Path, int]:
    """The folder and a lock on it, which ends with the process however that ends."""
    fresh = Path(tempfile.mkdtemp(prefix=_UNLOCKED))
    lock = None
    try:
        lock = os.open(fresh, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Under the name that others sweep only once it is locked.
        return fresh.rename(fresh.with_name(PREFIX + fresh.name.removeprefix(_UNLOCKED))), lock
    except BaseException:
        if lock is not None:
            os.close(lock)
        fresh.rmdir()
        raise


def _check_temporary() -> None:
    """Refuse where no place for temporary files takes any, which Python calls a missing one."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        failure = DataError(
            "Expected a folder for temporary files that can be written, got none with space. Set "
            "TMPDIR to a larger disk."
        )
    else:
        return
    raise failure


def _sweep() -> None:
    """Remove folders of this user that no living process holds."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        # Another user's, or another process is sweeping too: not ours to remove.
        with contextlib.suppress(OSError):
            _remove_if_left(folder)


def _remove_if_left(folder: Path) -> None:
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(lock)


@attrs.define
class _Ending:
    """What a signal that asks to end does: it waits while the folder is made or removed."""

    waits: bool = True
    signal_number: int | None = None

    def now(self) -> None:
        """End at once from here on, also for what was asked before."""
        self.waits = False
        if self.signal_number is not None:
            raise SystemExit(128 + self.signal_number)

    def later(self) -> None:
        """Let what is asked from here on wait."""
        self.waits = True

    def hear(self, number: int, _: FrameType | None) -> None:
        """Take a signal; one that ends the block at once is not heard again at its end."""
        if not self.waits:
            raise SystemExit(128 + number)
        self.signal_number = number


@contextmanager
def _ending() -> Iterator[_Ending]:
    """Signals that would end the process at once raise SystemExit instead, so that blocks end.

    Only the main thread may say so, and only where nobody else has said what they do.
    """
    ending, changed = _Ending(), []
    with contextlib.suppress(ValueError):  # not the main thread
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, ending.hear)
                changed.append(number)
    try:
        yield ending
        ending.now()
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
