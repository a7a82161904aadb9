"""What a table that is handed over says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


class Frame(Protocol):
    """A table that is handed over."""

    @property
    def names(self) -> Sequence[object]:
        """The columns' names, as the frame has them."""

    @property
    def index(self) -> Sequence[object]:
        """Names of what stands beside the columns, which is not read."""

    def types(self) -> Mapping[str, pa.DataType | None]:
        """Columns and their Arrow types; None where only a declaration could say."""


class Scanned(Frame, Protocol):
    """A table of this process, which DuckDB scans; below, one class a library."""

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        """Columns to scan as often as needed; the folder takes what is not in memory."""
