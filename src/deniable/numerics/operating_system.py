"""What systems do differently: locks that end with their process, names on the disk, and users.

The only place that imports what Linux and macOS have and Windows has not, or the other way round.
Tests run on Linux; of another system they try that the package can be imported and that locks of
its kind exclude each other.
"""

import errno
import getpass
import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, which locks bytes of a file in its place
    fcntl = None  # type: ignore[assignment]
    import msvcrt

FOLDERS_LOCK = fcntl is not None
"""Whether a folder itself can be locked, and renamed while it is; else a file in it is locked."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""A file itself, not what it points to, and not for programs that are started."""


def open_lock(path: Path) -> int:
    """Open a file to be locked, made if need be, readable by this user only; its descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)


def lock(descriptor: int, *, wait: bool = False) -> None:
    """Lock an open file, or a folder where `FOLDERS_LOCK`, for this process alone.

    The lock ends when the descriptor is closed or the process ends, however that ends.

    Raises
    ------
    BlockingIOError
        If another one has it, and `wait` is false.
    """
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
    """Who runs the process, as far as the system says; it may be whatever somebody exported."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # the last one before Python 3.13, on Windows
        return ""


def user_number() -> str:
    """By what number the system knows who runs the process; 0 where it has none."""
    return str(os.getuid()) if hasattr(os, "getuid") else "0"
