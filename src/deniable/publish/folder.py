"""An output folder that appears whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deniable.errors import InvalidArgument


def check_free(out: Path) -> None:
    """Refuse a folder that holds something, before anything is spent.

    Raises
    ------
    InvalidArgument
        If `out` is a file, a folder with something in it, or has no parent folder.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InvalidArgument(f"Expected a new or empty folder, got {out}. Choose another name.")
    if out.is_dir() and any(out.iterdir()):
        raise InvalidArgument(
            f"Expected a new or empty folder, got {out} with files in it. Choose another name; "
            "a release is never written over."
        )
    if not out.absolute().parent.is_dir():
        raise InvalidArgument(
            f"Expected an existing folder above {out}, got none. Create {out.parent} first."
        )


@contextmanager
def whole(out: Path) -> Iterator[Path]:
    """A hidden folder beside `out` to write into; renamed to `out` in one step at the end.

    If the block fails nothing is left. A process that is killed inside it leaves no `out`, and
    the hidden folder goes with the next release to the same place.
    """
    check_free(out)
    target = out.absolute()
    prefix = f".{target.name}.partial-"
    for stale in target.parent.glob(f"{_escaped(prefix)}*"):
        shutil.rmtree(stale, ignore_errors=True)
    partial = target.parent / f"{prefix}{secrets.token_hex(8)}"
    try:
        partial.mkdir()
        yield partial
        for path in partial.iterdir():
            _to_disk(path)
        partial.rename(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _escaped(text: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in text)
