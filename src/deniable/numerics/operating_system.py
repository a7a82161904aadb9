"""What systems do differently: locks that end with their process, files that appear whole, users.

The only place that imports what Linux and macOS have and Windows has not, or the other way round.
Tests run on Linux; of another system they try that the package can be imported and that locks of
its kind exclude each other.
"""

import contextlib
import errno
import getpass
import os
import re
import secrets
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, TypeVar

from deniable.errors import ReleaseCancelled

try:
    import fcntl
except ImportError:  # Windows, which locks bytes of a file in its place
    fcntl = None  # type: ignore[assignment]
    import msvcrt

_Result = TypeVar("_Result")

FOLDERS_LOCK = fcntl is not None
"""Whether a folder itself can be locked, and renamed while it is; else a file in it is locked."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""A file itself, not what it points to, and not for programs that are started."""
_PARTIAL = re.compile(r"[.](.+)[.]partial-[0-9a-f]{16}", re.DOTALL)
"""Hidden names of files that are being written beside their place; nobody else's are called so."""


def open_lock(path: Path) -> int:
    """Open a file to be locked, made if need be, readable by this user only; its descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)


def lock(descriptor: int, *, wait: bool = False) -> None:
    """Lock an open file, or a folder where `FOLDERS_LOCK`, for this process alone."""
    # The lock ends when the descriptor is closed or the process ends, however that ends.
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return
    while True:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            # LK_LOCK tries ten times, a second apart.
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if not wait:
                raise BlockingIOError(errno.EWOULDBLOCK, "locked by another process") from error
        else:
            return


def stands_in(path: Path, descriptor: int) -> bool:
    """Whether the open file is the one that has this name now."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@contextmanager
def whole_file(path: Path, *, private: bool = False, new: bool = False) -> Iterator[BinaryIO]:
    """A file to write into, which takes its place, whole and on disk, at the end of the block."""
    # If the block fails, what stood there stands, and nothing is left. What a killed process leaves
    # goes with the next file for the same place. An older file's mode is kept.
    # `FileExistsError` where it has to be new, or no file stands there; `PermissionError` where an
    # older one is read-only.
    if not new:
        # Refuse what is read-only, a device, a pipe or a folder, which renaming alone would not.
        if path.exists() and not path.is_file():
            raise FileExistsError(errno.EEXIST, "It is no file that could be replaced", str(path))
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    partial, file = open_partial(path, private=private)
    try:
        with file:
            if not (new or private):
                # Let the file be read and written by whom an older one may be.
                with contextlib.suppress(FileNotFoundError):
                    mode = stat.S_IMODE(path.stat().st_mode)
                    if hasattr(os, "fchmod"):
                        os.fchmod(file.fileno(), mode & 0o666)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if FOLDERS_LOCK:  # while it is locked, so that nobody takes it for left over
                appear(partial, path, new=new)
        if not FOLDERS_LOCK:  # an open file cannot be renamed there
            appear(partial, path, new=new)
    finally:
        remove_partial(partial)


def open_partial(path: Path, *, private: bool = False) -> tuple[Path, BinaryIO]:
    """A new and locked file beside a place, by its hidden name; what is left over there goes."""
    remove_left_over(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK
    while True:
        partial = path.with_name(f".{path.name}.partial-{secrets.token_hex(8)}")
        descriptor = os.open(partial, flags, 0o600 if private else 0o666)
        if FOLDERS_LOCK:
            with contextlib.suppress(OSError):  # a file system without locks: nothing is swept
                lock(descriptor, wait=True)
            if not stands_in(partial, descriptor):  # swept before it was locked
                os.close(descriptor)
                continue
        return partial, open(descriptor, "wb")


def appear(partial: Path, path: Path, *, new: bool = False) -> None:
    """Give a written file its name."""
    if not new:
        partial.replace(path)
        return
    try:
        os.link(partial, path)  # never over another, which renaming would be
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links, such as a memory stick's
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        partial.rename(path)


def remove_partial(partial: Path) -> None:
    """Remove what did not appear, as far as the system lets it; what did has its name."""
    with contextlib.suppress(OSError):
        partial.unlink()


def remove_left_over(path: Path) -> None:
    """Remove what processes that were killed left beside a place: nobody has it locked."""
    if not FOLDERS_LOCK:
        return
    with contextlib.suppress(OSError):
        for name in os.listdir(path.absolute().parent):
            match = _PARTIAL.fullmatch(name)
            if match is not None and match[1] == path.name:
                partial = path.with_name(name)
                with contextlib.suppress(OSError):
                    descriptor = os.open(partial, os.O_RDWR | _NO_LINK)
                    try:
                        if stat.S_ISREG(os.fstat(descriptor).st_mode):
                            lock(descriptor)
                            partial.unlink()
                    finally:
                        os.close(descriptor)


def write_names_to_disk(folder: Path) -> None:
    """Put the names in a folder onto the disk; where the system cannot, it does in its own time."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK)
    except PermissionError:  # may be written into and not be listed; on Windows: any folder
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def is_own(path: Path) -> bool:
    """Whether this user owns what has this name; where nobody owns files, everything is."""
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()


def user_name() -> str:
    """Name who runs the process, as the system says; it may be what somebody exported."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # the last one before Python 3.13, on Windows
        return ""


def user_number() -> str:
    """Return the number by which the system knows who runs the process; 0 where it has none."""
    return str(os.getuid()) if hasattr(os, "getuid") else "0"


AGAIN = 0.05
"""Seconds between two looks at signals, and between two requests to stop: one that came before
the work began is lost."""


UNWANTED: ContextVar[Callable[[], bool]] = ContextVar("unwanted", default=lambda: False)
"""Says, while an engine works, whether its work is no longer wanted: it is then interrupted."""


def run_interruptibly(call: Callable[[], _Result], stop: Callable[[], object]) -> Future[_Result]:
    """Call in a thread of its own, and wait until the call is done, well or not."""
    # Python hears signals only while its main thread is not inside an engine. A wait without an end
    # is woken only by a signal that the main thread itself was sent, while it slept; any other
    # thread may be the one that the system chose. `stop` asks the engine to end the call, and is
    # repeated until it has, where the wait ends with an exception.
    future: Future[_Result] = Future()
    admitted = threading.Event()

    def work() -> None:
        admitted.wait()
        if future.set_running_or_notify_cancel():
            try:
                result = call()
            except BaseException as failure:
                future.set_exception(failure)
            else:
                future.set_result(result)

    worker = threading.Thread(target=work, daemon=True)
    ended: BaseException | None = None
    while True:
        try:
            if ended is None:
                # A signal may end this line with the thread begun: it waits until it is admitted.
                worker.start()
                admitted.set()
            while not future.done():
                if ended is not None:
                    with contextlib.suppress(Exception):  # an engine that is gone has stopped
                        stop()
                elif UNWANTED.get()():
                    raise ReleaseCancelled("Expected a result that is wanted, got a cancellation.")
                wait([future], timeout=AGAIN)
            break
        except BaseException as caught:  # a second Ctrl-C too: nobody else asks it to stop
            ended = ended or caught
            future.cancel()
            admitted.set()
    if ended is not None:
        raise ended
    return future
