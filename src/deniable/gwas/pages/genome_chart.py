"""Variants along the genome as an Altair chart, and as inline SVG for pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.report import vega_lite as vega
from deniable.report.charts import LABEL_LIMIT, SIDE, line
from deniable.report.html import PALETTE, legible

WIDTH = 640
"""Size of the plot, in pixels."""

_GAP = 0.004
"""Gap between chromosomes, as a share of the axis."""

_GAPS = 0.5
"""The most that all gaps take of the axis, where a file has hundreds of contigs."""

_LETTER = 8.0
"""Pixels of a letter of a label, on average."""

_RIGHT = 0.72
"""Place on the axis from which labels stand to the left of their points, if there is room."""
_CROWDED = 0.04
"""Width of about three digits, as a share of the axis: labels that near a point go left."""
_TICKS = 7
"""Positions that are named below one chromosome, at most and about: a label of each has room."""
_MEGABASE = 1_000_000
"""Bases."""
_KILOBASE = 1_000
"""Bases; where positions are named closer, they are named in bases."""


@attrs.frozen
class Tick:
    """Number and label of a place on a scale."""

    at: float
    label: str


@attrs.frozen
class ChromosomeSpan:
    """A stretch of the axis; `label` is empty where its name has no room."""

    name: str
    label: str
    start: float
    end: float


@attrs.frozen
class GenomeAxis:
    """Public chromosomes and the extent of their variants, in file order.

    They go from 0 to 1, with gaps. `lows` are the least position of each; `scale` is positions per
    unit of the axis.
    """

    chromosomes: tuple[ChromosomeSpan, ...]
    lows: dict[str, int]
    scale: float

    @classmethod
    def of(cls, chromosome: ArrayLike, position: ArrayLike) -> GenomeAxis:
        """The axis of variants at these places; shape (n_variants,) each."""
        return cls.between(extents(chromosome, position))

    @classmethod
    def between(cls, extents: Mapping[str, tuple[int, int]]) -> GenomeAxis:
        """The axis of chromosomes with these first and last positions, in order."""
        lengths = {name: high - low + 1 for name, (low, high) in extents.items()}
        gap = min(_GAP, _GAPS / len(lengths)) if len(lengths) > 1 else 0.0
        scale = sum(lengths.values()) / (1 - gap * (len(lengths) - 1))
        chromosomes, start, free = [], 0.0, 0.0
        for name, length in lengths.items():
            end = start + length / scale
            half = _LETTER * len(name) / WIDTH / 2 + 0.004
            middle = (start + end) / 2
            has_label = middle - half >= free
            free = middle + half if has_label else free
            chromosomes.append(ChromosomeSpan(name, name if has_label else "", start, end))
            start = end + gap
        return cls(tuple(chromosomes), {name: low for name, (low, _) in extents.items()}, scale)

    def places(self, chromosome: Sequence[str], position: ArrayLike) -> NDArray[np.float64]:
        """Return the places of variants on the axis, in [0, 1]."""
        starts = {each.name: each.start for each in self.chromosomes}
        offsets = {name: starts[name] - low / self.scale for name, low in self.lows.items()}
        shift = np.array([offsets[name] for name in chromosome], dtype=np.float64)
        return shift + (np.asarray(position, dtype=np.float64) + 0.5) / self.scale

    @property
    def positions(self) -> tuple[Tick, ...]:
        """Round positions on the only chromosome, in [0, 1]; none where there are several."""
        if (span := self._span) is None:
            return ()
        name, low, high, step = span
        is_close = step < _KILOBASE
        decimals = None if is_close else max(6 - math.floor(math.log10(step)), 0)
        round_positions = range(-(-low // step) * step, high + 1, step)
        places = self.places([name] * len(round_positions), list(round_positions)).tolist()
        return tuple(
            Tick(place, f"{base:,}" if decimals is None else f"{base / _MEGABASE:,.{decimals}f}")
            for place, base in zip(places, round_positions, strict=True)
        )

    @property
    def title(self) -> str:
        """What the axis shows."""
        if (span := self._span) is None:
            return "Chromosome"
        name, _, _, step = span
        return f"Position on chromosome {name}{', Mb' if step >= _KILOBASE else ''}"

    @property
    def _span(self) -> tuple[str, int, int, int] | None:
        """The only chromosome, its ends, and from number to number, in bases."""
        if len(self.lows) != 1:
            return None
        [(name, low)] = self.lows.items()
        length = round(self.scale)
        # The least of 1, 2, 5, 10, 20, ... bases that makes few enough steps.
        power = int(10 ** max(math.floor(math.log10(length / _TICKS)), 0))
        step = next(power * each for each in (1, 2, 5, 10) if length <= power * each * _TICKS)
        return name, low, low + length - 1, step


@attrs.frozen
class Point:
    """A variant: its place on the axis, its height, and a label or nothing.

    A noisy height has bounds of what it can be; noise alone may have put a `faint` one there.
    """

    place: float
    height: float
    label: str = ""
    low: float | None = None
    high: float | None = None
    faint: bool = False


@attrs.frozen
class Column:
    """Many variants in a narrow stretch of the axis, from the lowest to the highest."""

    start: float
    end: float
    low: float
    high: float


@attrs.frozen
class ManhattanPicture:
    """Everything that the picture shows.

    Points are variants one by one, the most important last, and columns those that are not
    distinguished. Heights are ranks from 1 at the top to `ranks`, or values where it is None. The
    line is where significance begins; `right` is a second scale of the same heights. The warning
    is written all over the picture; it is empty where everybody may see it.
    """

    axis: GenomeAxis
    points: tuple[Point, ...]
    columns: tuple[Column, ...] = ()
    height_title: str = ""
    ranks: int | None = None
    line: float | None = None
    line_label: str = ""
    right: tuple[Tick, ...] = ()
    right_title: str = ""
    warning: str = ""


def extents(chromosome: ArrayLike, position: ArrayLike) -> dict[str, tuple[int, int]]:
    """The least and greatest position of each chromosome, in file order; shape (n_variants,)."""
    names, position = np.asarray(chromosome, dtype=object), np.asarray(position)
    if not len(names):
        return {}
    starts = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]]))
    lows = np.minimum.reduceat(position, starts).tolist()
    highs = np.maximum.reduceat(position, starts).tolist()
    ranges: dict[str, tuple[int, int]] = {}
    for name, low, high in zip(names[starts].tolist(), lows, highs, strict=True):
        before = ranges.get(name, (low, high))
        ranges[name] = min(before[0], low), max(before[1], high)
    return ranges


_MANHATTAN_HEIGHT = 300
"""Pixels."""
_LEAST_HEIGHT = 110
"""Pixels of a picture with few ranks: axis and title still fit."""
_RANK_STEP = 26
"""Pixels from rank to rank: a line of text."""


def genome_layers(picture: ManhattanPicture) -> vega.Chart:
    """Variants along the genome: stems by rank, or points and columns by height."""
    height = _MANHATTAN_HEIGHT
    if picture.ranks is not None:
        height = min(max(_RANK_STEP * picture.ranks, _LEAST_HEIGHT), height)
    layers = [
        *_chromosomes(picture, height),
        *_columns(picture),
        *_line(picture),
        *_variants(picture, height),
        *_right(picture),
    ]
    if not picture.warning:
        return vega.layer(*layers).properties(width=WIDTH, height=height)
    words = vega.chart([{"warning": picture.warning}])
    across = words.mark(
        "text", color=PALETTE["target"], fontSize=44, fontWeight="bold", opacity=0.28
    ).encode(text="warning:N", x=vega.value(WIDTH / 2), y=vega.value(height / 2))
    title = vega.title(picture.warning, color=PALETTE["target"], fontSize=22)
    return vega.layer(*layers, across).properties(width=WIDTH, height=height, title=title)


def _chromosomes(picture: ManhattanPicture, height: int) -> list[Any]:
    """Stretches in two shades by turns, with names below."""
    records = [
        {"start": c.start, "end": c.end, "middle": (c.start + c.end) / 2,
         "label": legible(c.label), "shade": PALETTE["band" if i % 2 else "panel"]}
        for i, c in enumerate(picture.axis.chromosomes)
    ]  # fmt: skip
    base = vega.chart(records)
    bands = base.mark("rect").encode(
        x=vega.channel("start:Q", scale={"domain": [0, 1], "nice": False}, axis=None),
        x2="end:Q",
        y=vega.value(0),
        y2=vega.value(height),
        color=vega.channel("shade:N", scale=None),
    )
    below = vega.chart([{"title": legible(picture.axis.title)}]).mark("text",
        fontSize=13, color=PALETTE["ink"], baseline="top"
    ).encode(x=vega.value(WIDTH / 2), y=vega.value(height + 30), text="title:N")  # fmt: skip
    if positions := [{"at": t.at, "label": t.label} for t in picture.axis.positions]:
        at = vega.chart(positions)
        ticks = at.mark("rule", color=PALETTE["muted"], strokeWidth=1)
        numbers = at.mark("text", fontSize=13, color=PALETTE["ink"], baseline="top")
        return [
            bands,
            ticks.encode(x="at:Q", y=vega.value(height), y2=vega.value(height + 5)),
            numbers.encode(x="at:Q", y=vega.value(height + 8), text="label:N"),
            below,
        ]
    names = base.mark("text", fontSize=13, color=PALETTE["ink"], baseline="top").encode(
        x="middle:Q", y=vega.value(height + 8), text="label:N"
    )
    return [bands, names, below]


def _line(picture: ManhattanPicture) -> list[Any]:
    """Draw the line where significance begins, with its label."""
    if picture.line is None:
        return []
    base = vega.chart([{"height": picture.line, "label": picture.line_label}])
    rule = base.mark("rule", color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
    words = base.mark(
        "text", fontSize=12, color=PALETTE["target"], align="left", baseline="bottom", dx=4, dy=-3
    )
    named = words.encode(y=_heights(picture), x=vega.value(0), text="label:N")
    return [rule.encode(y=_heights(picture)), *([named] if picture.line_label else [])]


def _right(picture: ManhattanPicture) -> list[Any]:
    """The second scale: a tick, and its number outside the plot."""
    if not picture.right:
        return []
    base = vega.chart([{"height": t.at, "label": t.label} for t in picture.right])
    ticks = base.mark("rule", color=PALETTE["muted"], strokeWidth=1)
    numbers = base.mark("text", fontSize=13, color=PALETTE["ink"], align="left", baseline="middle")
    title = vega.chart([{"title": picture.right_title}]).mark("text",
        fontSize=13, color=PALETTE["ink"], align="left", baseline="bottom"
    ).encode(x=vega.value(WIDTH + 8), y=vega.value(-6), text="title:N")  # fmt: skip
    at = _heights(picture)
    return [
        ticks.encode(y=at, x=vega.value(WIDTH), x2=vega.value(WIDTH + 5)),
        numbers.encode(y=at, x=vega.value(WIDTH + 8), text="label:N"),
        title,
    ]


def _stems(picture: ManhattanPicture) -> bool:
    """Whether variants are few and published; a private score may be negative."""
    return not picture.columns and not picture.warning


def _heights(picture: ManhattanPicture, field: str = "height") -> dict[str, Any]:
    if picture.ranks is None:
        scale = {"zero": _stems(picture)}  # what they stand on
        return vega.channel(f"{field}:Q", title=picture.height_title, scale=scale)
    ticks = sorted({1, *range(5, picture.ranks + 1, 5), picture.ranks})
    return vega.channel(
        "height:Q",
        title=picture.height_title,
        scale={"domain": [picture.ranks + 0.5, 0.5], "nice": False},
        axis={"values": ticks, "format": "d", "grid": False, "labelOverlap": "greedy"},
    )


def _columns(picture: ManhattanPicture) -> list[Any]:
    if not picture.columns:
        return []
    records = [
        {"start": c.start, "end": c.end, "height": c.low, "top": c.high} for c in picture.columns
    ]
    bars = vega.chart(records).mark("rect", color=PALETTE["bar"])
    return [bars.encode(x="start:Q", x2="end:Q", y=_heights(picture), y2="top:Q")]


def _variants(picture: ManhattanPicture, height: int) -> list[Any]:
    if not picture.points:
        return []
    large = _stems(picture)
    layers = []
    for faint in (True, False):  # what stands out is drawn last
        records = [
            {"place": p.place, "height": p.height, "low": p.low, "high": p.high}
            for p in picture.points
            if p.faint is faint
        ]
        if records:
            base = vega.chart(records)
            layers += _stands(picture, base, height, faint=faint) if large else []
            # Faint ones are hollow, so that they differ in print too.
            look = (
                {"color": PALETTE["muted"], "fill": PALETTE["paper"], "strokeWidth": 1.5}
                if faint
                else {"color": PALETTE["accent"], "filled": True}
            )
            marks = base.mark("point", size=70 if large else 14, opacity=1, shape="circle", **look)
            layers.append(marks.encode(x="place:Q", y=_heights(picture)))
    return [*layers, *_words(picture)]


def _stands(picture: ManhattanPicture, base: Any, height: int, *, faint: bool) -> list[Any]:
    """What holds a variant: its whisker, or a stem where nothing is known to be noisy."""
    color = PALETTE["muted" if faint else "accent"]
    if any(point.low is None for point in picture.points):
        stems = base.mark("rule", color=color, strokeWidth=1)
        return [stems.encode(x="place:Q", y=_heights(picture), y2=vega.value(height))]
    rules = base.mark("rule", color=color, strokeWidth=1.5, strokeDash=[3, 3] if faint else [1, 0])
    caps = base.mark("tick", color=color, orient="horizontal", size=10, thickness=1.5)
    return [
        rules.encode(x="place:Q", y=_heights(picture, "low"), y2="high:Q"),
        *(caps.encode(x="place:Q", y=_heights(picture, end)) for end in ("low", "high")),
    ]


def _words(picture: ManhattanPicture) -> list[Any]:
    layers = []
    for side in (False, True):
        # Labels that stand on the left of their points, where there is room, or on the right.
        named = [each for each in picture.points if each.label]
        crowded = {
            one.place for one in named for other in named if 0 < other.place - one.place < _CROWDED
        }
        labels = [
            {"place": p.place, "height": p.height, "label": legible(p.label)}
            for p in named
            if (p.place > _RIGHT or p.place in crowded) is side
        ]
        if labels:
            words = vega.chart(labels).mark(
                "text",
                align="right" if side else "left",
                dx=-8 if side else 8,
                fontSize=13,
                color=PALETTE["ink"],
                baseline="middle",
                limit=LABEL_LIMIT,
            )
            layers.append(words.encode(x="place:Q", y=_heights(picture), text="label:N"))
    return layers


def quantile_layers(
    expected: Sequence[float], observed: Sequence[float], warning: str
) -> vega.Chart:
    """Observed against expected −log10 p; on the line where nothing is associated."""
    points = [{"expected": x, "observed": y} for x, y in zip(expected, observed, strict=True)]
    end = max(expected, default=1.0)
    dots = vega.chart(points).mark(
        "point", size=14, filled=True, opacity=1, color=PALETTE["accent"]
    )
    chart = vega.layer(
        line([(0.0, 0.0), (end, end)], PALETTE["target"], dash=[8, 4], width=2),
        dots.encode(
            x=vega.channel("expected:Q", title="Expected −log10 p"),
            y=vega.channel("observed:Q", title="Observed −log10 p"),
        ),
    )
    title = vega.title(warning, color=PALETTE["target"], fontSize=18)
    return chart.properties(width=SIDE, height=SIDE, title=title)
