"""Tables as CSV and charts as PNG, beside the page that explains them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

INK, RULE = "#1f2328", "#d8dee4"


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """One line a row, columns in the order of the first."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({k: _short(v) for k, v in row.items()} for row in rows)


def write_png(path: Path, chart: Any, scale: float = 2.0) -> None:
    """A chart on white, at twice the resolution of a screen."""
    styled = chart.configure(
        background="white",
        font="system-ui, 'DejaVu Sans', sans-serif",
        axis=alt.AxisConfig(labelColor=INK, titleColor=INK, gridColor=RULE, titleFontWeight=500),
        legend=alt.LegendConfig(labelLimit=360, titleLimit=360),
        view=alt.ViewConfig(stroke=None),
    )
    path.write_bytes(vl_convert.vegalite_to_png(styled.to_dict(), scale=scale))


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of a page."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _short(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
