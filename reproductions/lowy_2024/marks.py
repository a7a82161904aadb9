"""A mark of a curve, means over parent sets, and both as rows of a file."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

PAPER = "the paper's curve, its settings"
BESIDE = "ours, the paper's settings"
OURS = "ours, our settings"
TABLE = "in the table only"
"""The panel of marks that are not drawn."""


@attrs.frozen
class Mark:
    """One point of one curve: over `sets` parent sets; `what` says what `low` and `high` are."""

    figure: int
    panel: str
    curve: str
    whose: str
    x: float
    value: float
    sets: int
    error: float
    low: float
    high: float
    what: str


@attrs.frozen
class Curve:
    """Where marks belong."""

    figure: int
    panel: str
    name: str
    whose: str

    def mean(self, x: float, values: Sequence[float]) -> Mark:
        """The mean over parent sets with its standard error; two of them each way."""
        many = len(values)
        error = float(np.std(values, ddof=1)) / math.sqrt(many) if many > 1 else 0.0
        mean = float(np.mean(values))
        what = f"mean over {many} parent sets, two standard errors each way"
        ends = mean - 2 * error, mean + 2 * error
        return self._mark(x, mean, many, error, ends, what)

    def bracket(self, x: float, ends: tuple[float, float], what: str) -> Mark:
        """Both ends of an interval, drawn at the upper one."""
        return self._mark(x, ends[1], 1, 0.0, ends, what)

    def _mark(
        self, x: float, value: float, sets: int, error: float, ends: tuple[float, float], what: str
    ) -> Mark:
        where = self.figure, self.panel, self.name, self.whose
        return Mark(*where, x, value, sets, error, *ends, what)


def read(path: Path) -> list[Mark]:
    """The marks that a run has written."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_parsed(row) for row in csv.DictReader(file)]


def _parsed(row: dict[str, str]) -> Mark:
    kinds = {field.name: field.type for field in attrs.fields(Mark)}
    fields: dict[str, Any] = {name: (kinds[name] or str)(text) for name, text in row.items()}
    return Mark(**fields)
