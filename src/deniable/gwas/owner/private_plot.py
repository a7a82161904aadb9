"""The owner's own Manhattan plot of everything: exact, small, and marked on its face."""

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas import pages
from deniable.gwas.association import FAMILY_LEVEL
from deniable.gwas.files import ScanColumns
from deniable.gwas.genotypes import CountedStudy
from deniable.numerics.operating_system import whole_file
from deniable.report.charts import finish, inline
from deniable.report.html import PAGE_BEGINNING, PALETTE
from deniable.report.rendering import render
from deniable.report.sentences import significant

WARNING = "NOT FOR PUBLICATION"
"""Stands in the picture, in its text and on its page."""

_REASON = (
    "Exact statistics of every variant, without noise, for the owner of the data only. What is "
    "drawn here can show who took part; no budget covers it."
)
_SUFFIXES = (".html", ".svg")
_POINTS = 2000
"""The number of the highest variants that are drawn one by one."""
_LABELLED = 5
"""The number of variants beyond significance that are named."""
_LOCUS = 0.04
"""The share of the axis within which a label names its neighbours too."""
_WORDS = 0.35
"""The share of the axis that a label takes: a name and a p-value."""
_LINE = 0.08
"""The share of the height that a label takes."""
_COLUMNS = pages.WIDTH
_SMALLEST = 5e-324
"""The least float above 0: a p-value below it is drawn there, at −log10 p = 323."""


class ScanToDraw(Protocol):
    """What is drawn of a scan of every variant."""

    @property
    def study(self) -> CountedStudy:
        """Variants and counts."""

    @property
    def statistic(self) -> str:
        """Which one stands in `columns`."""

    @property
    def columns(self) -> ScanColumns:
        """Statistics by variant, in file order."""

    @property
    def lambda_gc(self) -> float | None:
        """Genomic control's λ."""


def check_plot(path: Path) -> None:
    """Refuse a place that a plot cannot be written to, before anything is read."""
    if path.suffix.lower() not in _SUFFIXES:
        raise InvalidArgument(f"Expected a plot named .html or .svg, got {path}. Rename it.")
    validate.new_file(path, b"<svg " if path.suffix.lower() == ".svg" else PAGE_BEGINNING)


def write_private_plot(scan: ScanToDraw, path: Path) -> None:
    """Draw all variants of a scan: −log10 p, or the distance, along the genome.

    A page shows observed against expected p-values too, where there are p-values. The 2,000
    highest are points; the others are drawn as columns from the lowest to the highest within a
    pixel, so that the file stays small. It appears whole, in place of an older one, and only its
    owner can read it.
    """
    check_plot(path)
    chart = inline(
        pages.genome_layers(private_picture(scan)),
        "private",
        f"{WARNING}: all variants along the genome",
        f"{_REASON} The dashed line is where significance begins.",
    )
    if path.suffix.lower() == ".svg":
        ground = f'<rect width="100%" height="100%" fill="{PALETTE["paper"]}"></rect>'
        named = str(chart).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        document = named.replace("</desc>", f"</desc>{ground}", 1) + "\n"
    else:
        of_p_values = None
        if scan.statistic != "distance":
            of_p_values = pages.quantile_layers(*quantiles(scan.columns.p_value), WARNING)
        document = render(
            "gwas/owner/private.html",
            warning=WARNING,
            reason=_REASON,
            chart=chart,
            has_quantiles=of_p_values is not None,
            inflation="not defined" if scan.lambda_gc is None else f"{scan.lambda_gc:.4f}",
            quantiles=of_p_values,
        )
    with whole_file(path, private=True) as file:
        file.write(document.encode())


def private_picture(scan: ScanToDraw) -> pages.ManhattanPicture:
    """What the private plot shows; variants without a statistic are left out."""
    if scan.statistic == "distance":
        heights = np.asarray(scan.columns.statistic, dtype=np.float64)
        title, line, words = "Distance from significance", 0.5, "significant"
    else:
        heights = -np.log10(np.maximum(scan.columns.p_value, _SMALLEST))  # NaN stays
        level = FAMILY_LEVEL / max(len(heights), 1)
        title, line = f"−log10 p, {scan.statistic}", float(-np.log10(level))
        words = f"significant: p ≤ {significant(level, 3)}"
    (defined,) = np.nonzero(~np.isnan(heights))
    variants, heights = scan.study.variants, heights[defined]
    axis = pages.GenomeAxis.of(variants.chromosome, variants.position)
    places = axis.places(variants.chromosome[defined].tolist(), variants.position[defined])
    order = np.argsort(-heights, kind="stable")
    high, low = np.sort(order[:_POINTS]), order[_POINTS:]
    labels = _labels(scan, defined, places, heights, order[heights[order] >= line])
    points = zip(
        places[high].tolist(), heights[high].tolist(), map(labels.get, high.tolist()), strict=True
    )
    pixel = np.minimum((places[low] * _COLUMNS).astype(np.int64), _COLUMNS - 1)
    lows, highs = np.full(_COLUMNS, np.inf), np.full(_COLUMNS, -np.inf)
    np.minimum.at(lows, pixel, heights[low])
    np.maximum.at(highs, pixel, heights[low])
    return pages.ManhattanPicture(
        axis,
        tuple(pages.Point(place, height, label or "") for place, height, label in points),
        tuple(
            pages.Column(i / _COLUMNS, (i + 1) / _COLUMNS, float(lows[i]), float(highs[i]))
            for i in np.flatnonzero(lows <= highs).tolist()
        ),
        height_title=title,
        line=line,
        line_label=words,
        warning=WARNING,
    )


def _labels(
    scan: ScanToDraw,
    defined: NDArray[np.intp],
    places: NDArray[np.float64],
    heights: NDArray[np.float64],
    order: NDArray[np.intp],
) -> dict[int, str]:
    """Names and p-values of the highest, as far as they have room; `order` begins with those."""
    labels: dict[int, str] = {}
    line_height = _LINE * (np.ptp(heights) if len(heights) else 0.0)
    for which in order[:_POINTS].tolist():
        near = [abs(places[which] - places[other]) for other in labels]
        level = [abs(heights[which] - heights[other]) < line_height for other in labels]
        pairs = zip(near, level, strict=True)
        if any(gap < _LOCUS or (same and gap < _WORDS) for gap, same in pairs):
            continue
        row = int(defined[which])
        words = str(scan.study.variants.identifier[row])
        if scan.statistic != "distance":
            p = float(scan.columns.p_value[row])
            words += f", p = {significant(p, 3)}" if p >= _SMALLEST else ", p < 5e-324"
        labels[which] = words
        if len(labels) == _LABELLED:
            break
    return labels


def private_chart(scan: ScanToDraw, kind: str) -> Any:
    """The Altair chart of a scan: "manhattan" or "qq"."""
    if validate.one_of(kind, ("manhattan", "qq"), "kind") == "manhattan":
        return finish(pages.genome_layers(private_picture(scan)))
    if scan.statistic == "distance":
        raise InvalidArgument(
            'Expected p-values for a QQ plot, got distances. Scan with statistic="allelic".'
        )
    return finish(pages.quantile_layers(*quantiles(scan.columns.p_value), WARNING))


def quantiles(p_values: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Expected and observed −log10 p: the i-th smallest of m against (i − 1/2)/m.

    The smallest stand one by one, of the others some.
    """
    p = np.sort(p_values[~np.isnan(p_values)])
    rank = np.arange(len(p))
    every = max(1, len(p) // _POINTS)
    kept = (rank < _POINTS) | (rank % every == 0)
    expected = -np.log10((rank[kept] + 0.5) / max(len(p), 1))
    return expected.tolist(), (-np.log10(np.maximum(p[kept], _SMALLEST))).tolist()
