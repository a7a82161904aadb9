"""Finished parts of long work, kept in a folder so that an interrupted run goes on."""

import hashlib
import os
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument

Arrays: TypeAlias = dict[str, NDArray[Any]]
_STAMP = "__stamp__"


def digest(text: str) -> str:
    """A short name of a long key."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def job_folder(checkpoint: Path, key: str) -> Path:
    """The folder of one job, named by its key; made where it is missing.

    Raises
    ------
    InvalidArgument
        If the checkpoint is no folder.
    """
    name = re.sub(r"[^A-Za-z0-9-]+", "-", key)[:40].strip("-")
    folder = checkpoint / f"{name}-{digest(key)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidArgument(
            f"Expected a folder for the checkpoint, got {str(checkpoint)!r}, not a folder."
        ) from None
    return folder


@attrs.frozen
class Part:
    """One part's place on disk, and the stamp that says what it is a result of."""

    path: Path
    stamp: str

    def load(self) -> Arrays | None:
        """The kept arrays; None where they are missing, damaged or another task's."""
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as file_arrays:
                kept = {name: file_arrays[name] for name in file_arrays.files}
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error):
            return None
        stamp = kept.pop(_STAMP, None)
        return kept if stamp is not None and str(stamp) == self.stamp else None

    def save(self, arrays: Arrays) -> None:
        """Keep the arrays: the file appears whole or not at all."""
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.unfinished")
        try:
            with unfinished.open("wb") as file:
                np.savez(file, **{_STAMP: np.array(self.stamp)}, **arrays)  # type: ignore[arg-type]
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self.path)
        finally:
            unfinished.unlink(missing_ok=True)
