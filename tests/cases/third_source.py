"""A third party's source in one file: a table of dice, thrown as often as its location says."""

from collections.abc import Mapping
from pathlib import Path

import attrs
import pyarrow as pa

from deniable.errors import PlanError
from deniable.publish.sources import Frame, Kind, ScannedReader

ENTRY_POINTS = """\
[deniable.sources]
dice = tests.cases.third_source:DiceReader
tests.cases.third_source.Dice = tests.cases.third_source:DiceFrame
"""


def register(folder: Path, monkeypatch) -> None:
    """Install it, as a package that names it in its `pyproject.toml` would be."""
    metadata = folder / "dice-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: dice\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(folder)


def throws(times: int) -> pa.Table:
    return pa.table(
        {"player": [f"p{n}" for n in range(times)], "eyes": [n % 6 + 1 for n in range(times)]}
    )


@attrs.frozen(eq=False)
class DiceReader(ScannedReader):
    """Reads ``dice:TIMES``."""

    def kinds(self) -> Mapping[str, Kind]:
        if not self.source.location.removeprefix("dice:").isdigit():
            raise PlanError(f"Expected dice:TIMES, got {self.source.location}.")
        return {"player": Kind.TEXT, "eyes": Kind.INTEGER}

    def scan(self, running, columns) -> str:
        times = int(self.source.location.removeprefix("dice:"))
        return running.register_rows("dice", throws(times).select(list(columns)))


@attrs.frozen
class Dice:
    """Somebody's type that is handed over as data."""

    times: int


@attrs.frozen(eq=False)
class DiceFrame(Frame):
    """Dice as a table."""

    @property
    def names(self):
        return ["player", "eyes"]

    def types(self):
        return {"player": pa.string(), "eyes": pa.int64()}

    def rows(self, columns, folder):  # noqa: ARG002
        return throws(self.frame.times).select(list(columns))
