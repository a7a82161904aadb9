"""Trade-off curves: a convex polygon that no attack's two error rates lie below (f-DP)."""

import csv
import itertools
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import _fields
from deniable.notions._fields import Adjacency

Point: TypeAlias = tuple[float, float]
"""A false-positive and a false-negative rate."""
Corner: TypeAlias = tuple[Fraction, Fraction]
"""The same, exactly."""

_ROUNDED = Fraction(1, 10**4)
"""How far a point may lie above what it may be at most: rates are printed with a few digits."""


def lower_hull(points: Iterable[Corner]) -> list[Corner]:
    """The corners of the largest convex function that is nowhere above points in rising order."""
    hull: list[Corner] = []
    for point in points:
        while len(hull) > 1:
            (a, u), (b, v), (c, w) = hull[-2], hull[-1], point
            if (v - u) * (c - b) < (w - v) * (b - a):
                break
            hull.pop()  # on or above the line between the others
        hull.append(point)
    return hull


def height(corners: Sequence[Corner], rate: Fraction) -> Fraction:
    """The polygon through corners at a rate; 0 beyond the last."""
    place = bisect_left(corners, rate, key=lambda corner: corner[0])
    if place == len(corners):
        return Fraction(0)
    (b, v), (a, u) = corners[place], corners[max(place - 1, 0)]
    return v if a == b else u + (v - u) * (rate - a) / (b - a)


def _points(value: Any) -> tuple[Point, ...]:
    """Points in rising order, checked, of which those remain that are corners."""
    rows = [validate.several(row, "points") for row in validate.several(value, "points")]
    if not rows or any(len(row) != 2 for row in rows):
        raise InvalidArgument("Expected pairs of rates, alpha and beta, got others or none.")
    rates = sorted(
        (validate.probability(fpr, "alpha"), validate.probability(fnr, "beta")) for fpr, fnr in rows
    )
    least: dict[float, float] = {}
    before = 1.0
    for fpr, fnr in rates:  # of several at one rate the first, which is the least
        if fpr in least:
            continue
        if fnr > before + float(_ROUNDED):
            raise InvalidArgument(
                f"Expected beta not to rise with alpha, got {fnr} at alpha={fpr} after {before}. "
                "Put the false-positive rate first in each pair."
            )
        before = least[fpr] = _at_most_by_chance(fpr, fnr)
    first, last = min(least), max(least)
    if first > 0 or least[last] > 0:
        raise InvalidArgument(
            f"Expected points from alpha=0 to beta=0, got alpha={first} first and "
            f"beta={least[last]} last. State both ends: between points the curve is straight, "
            "and nothing is known beyond them."
        )
    exact = [(Fraction(fpr), Fraction(fnr)) for fpr, fnr in least.items()]
    hull = lower_hull(exact)
    for rate, missed in exact:
        line = height(hull, rate)
        if missed > line + _ROUNDED:
            raise InvalidArgument(
                f"Expected a convex curve, got beta={float(missed):.6g} at alpha={float(rate):.6g} "
                f"above the line between other points, {float(line):.6g}. No test has such rates: "
                "leave the point out."
            )
    # What follows the first corner at which nothing is missed says nothing.
    last = next(place for place, (_, fnr) in enumerate(hull) if fnr == 0)
    return tuple((float(rate), float(missed)) for rate, missed in hull[: last + 1])


def _at_most_by_chance(fpr: float, fnr: float) -> float:
    """β, which who flags at random keeps to 1 − α; a rounding above is taken off."""
    chance = 1 - Fraction(fpr)
    if fnr > chance + _ROUNDED:
        raise InvalidArgument(
            f"Expected beta <= 1 - alpha, got beta={fnr} at alpha={fpr}. Flagging at random misses "
            "no more."
        )
    least = float(chance)
    while Fraction(least) > chance:
        least -= 2.0**-53
    return min(fnr, max(least, 0.0))


@attrs.frozen
class TradeOffCurve:
    r"""No attack's error rates lie below a convex curve (f-DP, dong-roth-su-2022).

    .. math:: \beta_\phi \ge f(\alpha_\phi) \text{ for every test } \phi,

    α the share of non-members whom the attack flags, β that of members whom it misses; `points`
    (α, β) are joined by straight lines. The first is at α = 0, the last at β = 0, and f is 0 from
    there on. This is stronger than β at the points alone: a true trade-off function is convex, so
    lines between points *on* it lie above it, and lines that touch it from below are to be stated.

    With add-remove adjacency f need not be symmetric: members are in one of two data sets, and in
    the other is nobody in their place. With replace-one either data set may be called that of
    the members, so that the mirrored curve holds too, and what follows uses the higher of the two.

    Parameters
    ----------
    points : sequence of (float, float)
        α and β, dimensionless, in any order; a point up to 1e-4 above the line between others, or
        above 1 − α, is lowered to it. Of the points those remain that are corners.
    adjacency : Adjacency
        Which data sets are neighbours.

    Raises
    ------
    InvalidArgument
        If a number is no probability, β rises, an end is missing, a point is above 1 − α, or the
        curve is not convex.

    Examples
    --------
    >>> TradeOffCurve([(0, 1), (0.25, 0.25), (1, 0)]).spec
    'trade-off:0.0,1.0/0.25,0.25/1.0,0.0'
    """

    points: tuple[Point, ...] = attrs.field(converter=_points)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @classmethod
    def from_csv(
        cls, path: str | Path, adjacency: Adjacency = Adjacency.REPLACE_ONE
    ) -> "TradeOffCurve":
        """Read α and β from the first two columns of a file; a first line of names is passed over.

        Raises
        ------
        InvalidArgument
            If the file cannot be read as text in UTF-8, a line holds no two numbers, or the points
            are none of a trade-off curve.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, ValueError):
            raise InvalidArgument(
                f"Expected the points of a curve, got no readable file at {path}."
            ) from None
        rows = [row for row in csv.reader(text.splitlines()) if row]
        points = []
        for number, row in enumerate(rows, 1):
            try:
                points.append((float(row[0]), float(row[1])))
            except (ValueError, IndexError):
                if number > 1:
                    raise InvalidArgument(
                        f"Expected two numbers, alpha and beta, in each line, got others in line "
                        f"{number} of {str(path)!r}. Write them with a point and a comma between."
                    ) from None
        return cls(points, adjacency)

    @property
    def corners(self) -> list[Corner]:
        """The points as exact numbers."""
        return [(Fraction(fpr), Fraction(fnr)) for fpr, fnr in self.points]

    @property
    def mirrored(self) -> "TradeOffCurve":
        """The curve with the two kinds of error exchanged."""
        return attrs.evolve(self, points=[(fnr, fpr) for fpr, fnr in self.points])

    @property
    def area(self) -> Fraction:
        """What lies below the curve, at most ½: the higher the curve, the larger."""
        pairs = itertools.pairwise(self.corners)
        return sum(((b - a) * (u + v) / 2 for (a, u), (b, v) in pairs), Fraction(0))

    def is_above(self, other: "TradeOffCurve", within: Fraction = Fraction(0)) -> bool:
        """Whether this curve is nowhere below another, by more than `within`."""
        mine, theirs = self.corners, other.corners
        rates = {rate for rate, _ in (*mine, *theirs)}
        return all(height(mine, rate) + within >= height(theirs, rate) for rate in rates)

    @property
    def spec(self) -> str:
        """``trade-off:α,β/α,β/…``, with the adjacency where it is add-remove."""
        rows = "/".join(_fields.numbers(*point) for point in self.points)
        return f"trade-off:{rows}{self.adjacency.suffix}"


Notion: TypeAlias = _fields.Written | TradeOffCurve
"""Any guarantee that theorems are about."""
