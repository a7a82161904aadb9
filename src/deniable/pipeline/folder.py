"""An output folder that appears whole or not at all, and that one process at a time writes."""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deniable.errors import InvalidArgument
from deniable.numerics import operating_system

_LOCK, _PARTIAL = "deniable-lock", "deniable-partial"
"""Endings of the hidden names beside the folder; nobody else's files are called so."""


def check_free(out: Path) -> None:
    """Refuse what is no new or empty folder below an existing one, before anything is spent."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InvalidArgument(f"Expected a new or empty folder, got {out}. Choose another name.")
    if out.is_dir() and any(out.iterdir()):
        raise InvalidArgument(
            f"Expected a new or empty folder, got {out} with files in it. Choose another name; "
            "a release is never written over."
        )
    is_folder = False
    # What may not be looked at is the system's refusal, in any Python.
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        is_folder = stat.S_ISDIR(out.absolute().parent.stat().st_mode)
    if not is_folder:
        raise InvalidArgument(
            f"Expected an existing folder above {out}, got none. Create {out.parent} first."
        )


@contextmanager
def create_folder_atomically(out: Path) -> Iterator[Path]:
    """A hidden folder beside `out` to write into; renamed to `out` in one step at the end.

    Noise is drawn inside the block: of several processes or threads that want the
    same folder, by whatever spelling of its path, one enters and the others are refused.

    At the end its files, their names and its own are on the disk, whatever happens to the machine.

    If the block fails nothing is left, nor if the disk does. A process that is killed inside it
    leaves no `out`, and what it left hidden goes with the next release to the same place.
    """
    check_free(out)
    target = Path(os.path.realpath(out))
    with _lock(target.with_name(f".{target.name}.{_LOCK}"), out):
        check_free(out)  # The one before may have ended since.
        partial = target.with_name(f".{target.name}.{_PARTIAL}")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        try:
            yield partial
            for path in partial.iterdir():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
            operating_system.write_names_to_disk(partial)
            partial.rename(target)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        try:
            operating_system.write_names_to_disk(target.parent)
        except OSError:
            # It leaves its public name at once: a removal that is cut off leaves no half there.
            with contextlib.suppress(OSError):
                target.rename(partial)
            shutil.rmtree(partial, ignore_errors=True)
            raise


@contextmanager
def _lock(path: Path, out: Path) -> Iterator[None]:
    """Hold the file that stands for `out`; the lock ends with the process, however that ends."""
    stands = False
    while not stands:  # until the file that is locked is the one in this place
        lock = operating_system.open_lock(path)
        try:
            operating_system.lock(lock)
            stands = operating_system.stands_in(path, lock)
        except BlockingIOError:
            raise InvalidArgument(
                f"Expected no other release into {out}, got one that is running. Wait for its end "
                "or choose another name."
            ) from None
        finally:
            if not stands:
                os.close(lock)
    try:
        yield
    finally:
        # While it is held: who has opened it meanwhile finds it gone from its place.
        # One that stays is held by nobody, and what was published is no failure for it.
        try:
            with contextlib.suppress(OSError):
                path.unlink()
        finally:
            os.close(lock)
