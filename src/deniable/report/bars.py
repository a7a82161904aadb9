"""Published numbers as rows of a chart: labels in lines, values, error bars."""

import textwrap
from collections.abc import Sequence
from typing import Any

import attrs

from deniable.report.html import legible

_STEP = 26
"""Height of a row with one line, in pixels."""
_LETTERS = 24
"""In a line of a label, at 13 pixels a letter's height."""
_MOST_LINES = 3
"""Lines of a label beside a bar."""
_LINE = 15
"""Height of a line of a label, in pixels."""


@attrs.frozen
class Bar:
    """One published number and the ends of its error bar; ends are None where it has none.

    `faint` says that noise alone explains it.
    """

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    faint: bool = False


def records(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    """What a chart draws, a row each."""
    seen: dict[str, int] = {}
    rows = []
    for bar in bars:
        label = "\n".join(_lines(bar.label))
        repeats = seen[label] = seen.get(label, -1) + 1
        # Equal labels would share one row; marks without width tell them apart.
        record = {"label": label + "\u200b" * repeats, "value": bar.value, "faint": bar.faint}
        rows.append(record | {"low": bar.low, "high": bar.high})
    return rows


def row_height(bars: Sequence[Bar]) -> int:
    """Pixels a row, so that the longest label has room."""
    lines = max((len(_lines(bar.label)) for bar in bars), default=1)
    return _STEP + _LINE * (lines - 1)


def _lines(label: str) -> list[str]:
    """A label in a few lines; a word that is too long for one is broken."""
    return textwrap.wrap(
        legible(label), _LETTERS, max_lines=_MOST_LINES, placeholder="…"
    ) or [""]  # fmt: skip
