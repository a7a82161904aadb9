"""Chromosomes side by side on one axis, and what is drawn above them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.report.html import legible

WIDTH = 640
"""Of the plot, in pixels."""

_GAP = 0.004
"""Between chromosomes, as a share of the axis."""

_GAPS = 0.5
"""The most that all gaps take of the axis, where a file has hundreds of contigs."""

_LETTER = 8.0
"""Pixels of a letter of a label, on average."""

_RIGHT = 0.72
"""From here on labels stand on the left of their points, where there is room."""
_CROWDED = 0.04
"""So do labels that would run into a point on the right; of the axis, about three digits."""
_TICKS = 7
"""Positions that are named below one chromosome, at most and about: a label of each has room."""
_MEGABASE = 1_000_000
"""Bases."""
_KILOBASE = 1_000
"""Bases; where positions are named closer, they are named in bases."""


@attrs.frozen
class Tick:
    """Where a number stands on a scale."""

    at: float
    label: str


@attrs.frozen
class Chromosome:
    """A stretch of the axis; `label` is empty where its name has no room."""

    name: str
    label: str
    start: float
    end: float


@attrs.frozen
class GenomeAxis:
    """Public chromosomes and the extent of their variants, in file order.

    Parameters
    ----------
    chromosomes : tuple of Chromosome
        From 0 to 1, with gaps.
    lows, scale : mapping of str to int, float
        The least position of each, and positions per unit of the axis.
    """

    chromosomes: tuple[Chromosome, ...]
    lows: dict[str, int]
    scale: float

    @classmethod
    def of(cls, chromosome: ArrayLike, position: ArrayLike) -> "GenomeAxis":
        """The axis of variants at these places; shape (n_variants,) each."""
        return cls.between(extents(chromosome, position))

    @classmethod
    def between(cls, extents: Mapping[str, tuple[int, int]]) -> "GenomeAxis":
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
            chromosomes.append(Chromosome(name, name if has_label else "", start, end))
            start = end + gap
        lows = {name: low for name, (low, _) in extents.items()}
        return cls(tuple(chromosomes), lows, scale)

    def places(self, chromosome: Sequence[str], position: ArrayLike) -> NDArray[np.float64]:
        """Where variants stand on the axis, in [0, 1]."""
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
        round_positions = range(-(-low // step) * step, high + 1, step)
        places = self.places([name] * len(round_positions), list(round_positions)).tolist()
        return tuple(
            Tick(place, _position(base, step))
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
        return name, low, low + length - 1, _step(length)


def _step(length: int) -> int:
    """The least of 1, 2, 5, 10, 20, ... bases that makes few enough steps."""
    power = int(10 ** max(math.floor(math.log10(length / _TICKS)), 0))
    return next(power * each for each in (1, 2, 5, 10) if length <= power * each * _TICKS)


def _position(base: int, step: int) -> str:
    if step < _KILOBASE:
        return f"{base:,}"
    decimals = max(6 - math.floor(math.log10(step)), 0)
    return f"{base / _MEGABASE:,.{decimals}f}"


@attrs.frozen
class Point:
    """A variant: its place on the axis, its height, and a label or nothing.

    Parameters
    ----------
    low, high : float or None
        Ends of what the height can be, where it is noisy.
    faint : bool
        Whether noise alone may have put it there.
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

    Parameters
    ----------
    axis : GenomeAxis
        What is below.
    points : tuple of Point
        Variants one by one, the most important last.
    columns : tuple of Column
        Variants that are not told apart.
    height_title : str
        What the height means.
    ranks : int or None
        Heights are ranks 1 to this, 1 at the top; None where they are values.
    line : float or None
        A height to mark: where significance begins.
    line_label : str
        What stands on that line.
    right : tuple of Tick
        A second scale for the same heights, on the right; empty for none.
    right_title : str
        What that means.
    warning : str
        Written all over the picture; empty where everybody may see it.
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


def labels_on(points: Sequence[Point], *, left: bool) -> list[dict[str, Any]]:
    """Labels that stand on the left of their points, where there is room, or on the right."""
    named = [each for each in points if each.label]
    crowded = {
        one.place for one in named for other in named if 0 < other.place - one.place < _CROWDED
    }
    return [
        {"place": p.place, "height": p.height, "label": legible(p.label)}
        for p in named
        if (p.place > _RIGHT or p.place in crowded) is left
    ]
