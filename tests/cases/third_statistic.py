"""A statistic of others: one module, and a line of its entry points."""

from pathlib import Path
from typing import Any

import attrs

from deniable.publish.plan import known_keys
from deniable.publish.query import (
    Parts,
    Protection,
    RowValues,
    Statistic,
    sensitivity,
)


@attrs.frozen
class Truths(Statistic):
    """Rows in which a column of truth values is true."""

    kind = "truths"
    PUBLISHES = "The number of rows in which a truth value is true."
    OTHERS = dict.fromkeys(("yes-votes",), "")
    KEYS = (known_keys.COLUMN_READ,)
    PRECISE = True

    column: str

    def row_values(self, table: Any) -> RowValues:
        value = table[self.column]
        return RowValues((value.cast("int64"),), value.notnull())

    def parts(self, protection: Protection, cells: int) -> Parts:
        return (sensitivity.of_values(0, 1, protection, cells).part("truths", 1.0, cells),)


def register(folder: Path, monkeypatch) -> None:
    """Install it as a distribution of its own would: by an entry point on the path."""
    metadata = folder / "truths-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: truths\nVersion: 1.0\n")
    line = f"truths = {__name__}:Truths"
    (metadata / "entry_points.txt").write_text(f"[deniable.statistics]\n{line}\n")
    monkeypatch.syspath_prepend(folder)
