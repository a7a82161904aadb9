"""A page that appears whole or not at all, in place of an older one."""

import os
import secrets
from pathlib import Path

from deniable.errors import InvalidArgument


def check_page(path: Path) -> Path:
    """Refuse a place that a page cannot be written to, before anything is done.

    Raises
    ------
    InvalidArgument
        If the name does not end in .html, or it is a folder, or in none.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidArgument(f"Expected a page named .html, got {path}. Rename it.")
    is_not_file = path.exists() and not path.is_file()
    if is_not_file or not path.absolute().parent.is_dir():
        raise InvalidArgument(
            f"Expected a file in an existing folder, got {path}. Choose another name."
        )
    return path


def write_page(page: str, path: Path) -> None:
    """Write a page beside its place, and move it there in one step."""
    partial = path.with_name(f".{path.name}.partial-{secrets.token_hex(8)}")
    try:
        with partial.open("x", encoding="utf-8") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
