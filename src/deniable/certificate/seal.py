"""Digests that tie a release's files together, in one direction only.

The statement is the certificate without its digests of files. Results and report carry the
statement's digest; the certificate carries theirs.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deniable.errors import InvalidArgument

_PIECE = 2**20
"""Bytes that are read at once: a megabyte."""

_NOT_STATED = ("statement_sha256", "files")


def sha256(data: bytes) -> str:
    """SHA-256 in 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_file(path: Path, most: int) -> str:
    """The same of an ordinary file of at most so many bytes, piece by piece.

    Raises
    ------
    InvalidArgument
        If there is no such file, or it is longer.
    """
    digest, read = hashlib.sha256(), 0
    try:
        if not path.is_file():
            raise OSError
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
                if (read := read + len(piece)) > most:
                    break
    except (OSError, ValueError):
        raise InvalidArgument(f"Expected a file, got no readable one at {path}.") from None
    if read > most:
        raise InvalidArgument(f"Expected at most {most} bytes, got more at {path}.")
    return digest.hexdigest()


def statement_sha256(document: Mapping[str, Any]) -> str:
    """SHA-256 of what a certificate states: its JSON in one spelling, without digests of files.

    The spelling: keys sorted, no spaces, UTF-8, numbers as Python prints them.

    Examples
    --------
    >>> one = statement_sha256({"format": "x", "files": {"results.csv": "0"}})
    >>> one == statement_sha256({"files": {}, "format": "x"}) == sha256(b'{"format":"x"}')
    True
    """
    stated = {key: value for key, value in document.items() if key not in _NOT_STATED}
    text = json.dumps(
        stated, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return sha256(text.encode("utf-8"))
