r"""What is measured of the cells, with which noise, and what is known of its error.

Everybody is in exactly one cell. So one entity moves the cells by 1 under add-remove, and under
replace-one by 2 in L1 and √2 in L2, however many cells there are; and the total is public under
replace-one, also with a filter, as a cell counts those who do not pass.

- Without δ each cell gets discrete Laplace noise. Under replace-one it adds up to zero over all
  cells (`pipeline.noise.zero_sum`).
- With δ the cells stand on a circle, and sums of neighbouring cells are measured
  (`mechanisms.circulant`); or each cell gets discrete Gaussian noise, where that is less.

With a public total, what independent noise adds to all cells together is taken away again.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.mechanisms import CirculantDesign, DiscreteGaussian, DiscreteLaplace, ZeroSumNoise
from deniable.mechanisms.circulant import MOST_CELLS
from deniable.notions import Adjacency
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise import PublicPart, VectorPart
from deniable.publish.query import CONFIDENCE, ErrorTerm, Mechanisms, Noisy, Parts, half_width
from deniable.survival.curve import Spread
from deniable.survival.table import Estimates, Group, Layout, whole_by_projection, whole_by_sums

Design: TypeAlias = Literal["cells", "circle"]
"""What is measured: each cell, or sums of cells on a circle."""
CELLS: Design = "cells"
"""The label of the noisy numbers, too."""
CIRCLE: Design = "circle"
TOTAL = "total"
"""The label of the public number of all people."""
OBSERVED, SURVIVAL, HAZARD = "still observed", "survival", "cumulative hazard"
MEDIAN, QUANTILE, MEAN, LOG_RANK = "median", "quantile", "rmst", "log-rank"
EVENTS, CENSORED, BEYOND, OUTSIDE = "events", "censored", "beyond", "other"
"""What rows call what they hold."""

DIFFERENCE, BY_SAMPLING, BY_NOISE, CHI_SQUARED, P_VALUE = "U", "V", "W", "chi-squared", "p-value"
"""The categories of the rows of a log-rank test."""


@attrs.frozen
class Measuring:
    """How the cells of a layout are measured, and what follows from the noisy numbers.

    The noise is Gaussian, for ρ, or else Laplace noise, for ε.
    """

    layout: Layout
    design: Design
    adjacency: Adjacency
    gaussian: bool

    @classmethod
    @functools.lru_cache(maxsize=16)  # every step of a release asks for it
    def best(cls, layout: Layout, adjacency: Adjacency, *, gaussian: bool) -> Measuring:
        """Return the design with the least noise in numbers still observed and in the curve.

        Both count alike: the product of their errors is least. The curve is that of a group with
        as many people in each cell.

        >>> Measuring.best(Layout(1, 6), Adjacency.REPLACE_ONE, gaussian=True).design
        'circle'
        """
        cells = cls(layout, CELLS, adjacency, gaussian)
        if not gaussian or layout.cells > MOST_CELLS:
            return cells
        return min(
            cells, attrs.evolve(cells, design=CIRCLE), key=lambda each: math.prod(each.errors)
        )

    @property
    def has_public_total(self) -> bool:
        """Whether neighbours have the same number of people."""
        return self.adjacency is Adjacency.REPLACE_ONE

    @property
    def circle(self) -> CirculantDesign:
        """The numbers of the circle."""
        return CirculantDesign.of_cells(self.layout.cells)

    def parts(self) -> Parts:
        """Return the numbers that get noise, after the total where that is public beside them."""
        moved = 2 if self.has_public_total else 1
        cells = self.layout.cells
        if self.design == CELLS:
            zero_sum = self.has_public_total and not self.gaussian
            with directed() as r:
                l2 = upper(r.sqrt(r(moved)))
            partition = cells if zero_sum else 0
            vector = VectorPart(CELLS, 1.0, cells, moved, l2, moved, partition=partition)
        else:
            circle, zero_sum = self.circle, False
            l1 = circle.l1_sensitivity(self.adjacency)
            l2 = circle.l2_sensitivity(self.adjacency)
            vector = VectorPart(CELLS, 1 / circle.row[0], cells, l1=l1, l2=l2, moved=cells)
        has_total = self.has_public_total and not zero_sum
        return (PublicPart(TOTAL), vector) if has_total else (vector,)

    def exact(self, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Return what is measured of exact counts, an array a part."""
        vector = self.circle.measure(counts) if self.design == CIRCLE else counts
        if len(self.parts()) == 1:
            return (vector,)
        return counts.sum().reshape(1), vector

    def estimates(self, noisy: Noisy) -> tuple[Estimates, int]:
        """Return unbiased numbers of people in the cells, and the whole number of all."""
        measured = [int(each) for each in noisy[-1]]
        total = int(noisy[0][0]) if len(noisy) > 1 else None
        if self.design == CIRCLE:
            values = self.circle.rebuild(measured, total)
            common = math.lcm(*(each.denominator for each in values))
            cells = Estimates(tuple(int(each * common) for each in values), common)
        elif total is None:
            cells = Estimates(tuple(measured))
        else:
            number, excess = len(measured), sum(measured) - total
            cells = Estimates(tuple(number * each - excess for each in measured), number)
        return cells, cells.total() if total is None else total

    def whole_table(self, estimates: Estimates, total: int) -> list[int]:
        """Return whole people in each cell."""
        if self.design == CELLS:
            return whole_by_projection(estimates, total)
        # Nobody may be in `other`. With it in front, sums that are cut to 0 would take its noise
        # from the first events, and the curve would be too high.
        other, *rest = estimates.numerators
        *people, outside = whole_by_sums(Estimates((*rest, other), estimates.denominator), total)
        return [outside, *people]

    def covariances(self, mechanisms: Mechanisms) -> list[float]:
        """Return the covariance of the errors of two cells that are so many cells apart."""
        noise, cells = mechanisms[-1], self.layout.cells
        if isinstance(noise, ZeroSumNoise):
            return [noise.variance(), *[noise.covariance()] * (cells - 1)]
        return [_variance(noise) * each for each in _unit_covariances(self)]

    def half_width(self, mechanisms: Mechanisms, length: int) -> float:
        """Return the 95 % half-width of people in so many neighbouring cells, rounded up."""
        noise = mechanisms[-1]
        if isinstance(noise, ZeroSumNoise):
            return float(noise.half_width(length, CONFIDENCE))
        if self.design == CIRCLE:
            if not isinstance(noise, DiscreteGaussian):
                raise InvalidArgument(
                    f"Expected Gaussian noise, got {noise!r}. Set delta in [target]."
                )
            public = self.has_public_total
            return self.circle.half_width(
                noise.scale, length, public_total=public, confidence=CONFIDENCE
            )
        if self.has_public_total and not self.gaussian:
            raise InvalidArgument(
                "Expected a target that some noise of a number of people can meet, got one that "
                "needs noise beyond 2^40 people. Ask for less."
            )
        # With a public total, what independent noise adds to all cells together is taken away.
        every = self.layout.cells if self.has_public_total else 0
        if not isinstance(noise, DiscreteGaussian | DiscreteLaplace):
            raise InvalidArgument(f"Expected a noise on numbers, got {noise!r}.")
        return _of_cells(noise, length, every)

    @property
    def errors(self) -> tuple[float, float]:
        """Root mean square errors for a unit of ρ: of numbers still observed, and of a curve."""
        moved = self.parts()[-1]
        if not isinstance(moved, VectorPart):
            raise AssertionError("the last part is the noisy one")
        observed, curve = _deviations(self.layout, _unit_covariances(self))
        return moved.l2 * observed, moved.l2 * curve

    def beside_independent(self, mechanisms: Mechanisms) -> tuple[float, float]:
        """Return how many times those errors are with independent noise in each cell."""
        noise, ours = mechanisms[-1], self.errors
        theirs = attrs.evolve(self, design=CELLS).errors
        if not self.gaussian:
            if not isinstance(noise, ZeroSumNoise):
                return 1.0, 1.0
            alone = [_variance(DiscreteLaplace(noise.scale)), *[0.0] * (self.layout.cells - 1)]
            theirs = _deviations(self.layout, alone)
            ours = _deviations(self.layout, self.covariances(mechanisms))
        pairs = zip(theirs, ours, strict=True)
        observed, curve = (one / other if other else 1.0 for one, other in pairs)  # 0: no noise
        return observed, curve


_PEOPLE = 1_000
"""People in each cell of the group that designs are compared by: more divide all errors alike."""


def _deviations(layout: Layout, covariances: Sequence[float]) -> tuple[float, float]:
    """The root mean square errors of numbers still observed, and of the curve, of one group.

    The group that the curve is of has as many people in each of its cells.
    """
    cells, bins = np.arange(layout.width), np.arange(layout.bins)
    apart = np.array(covariances)[np.abs(np.subtract.outer(cells, cells))]
    # After so many bins, cells as near to `beyond` in the middle are still observed.
    arcs = np.less_equal.outer(bins, layout.bins - np.abs(cells - layout.bins)).astype(float)
    even = (_PEOPLE,) * layout.bins
    curve = Spread.of(Group(even, even, _PEOPLE), "half").gradients
    observed, shares = (
        math.sqrt(max(float(((rows @ apart) * rows).sum()), 0.0) / layout.bins)
        for rows in (arcs, curve)
    )
    return observed, shares


@functools.lru_cache(maxsize=16)
def _unit_covariances(measuring: Measuring) -> tuple[float, ...]:
    """Those of errors, where each number that is measured has noise of variance 1."""
    cells = measuring.layout.cells
    if measuring.design == CIRCLE:
        exact = measuring.circle.covariance(public_total=measuring.has_public_total)
        return tuple(map(float, exact))
    if measuring.has_public_total:
        return (1 - 1 / cells, *[-1 / cells] * (cells - 1))
    return (1.0, *[0.0] * (cells - 1))


def _variance(noise: object) -> float:
    """The variance of one number's noise, or a little more."""
    match noise:
        case DiscreteGaussian(scale=scale):
            return scale * scale
        case DiscreteLaplace(scale=scale):
            alpha = math.exp(-1 / scale)
            return 2 * alpha / math.expm1(-1 / scale) ** 2
    raise InvalidArgument(f"Expected a noise on numbers, got {noise!r}.")


@functools.lru_cache(maxsize=512)  # asked for again by the plan, the rows and the certificate
def _of_cells(noise: DiscreteGaussian | DiscreteLaplace, length: int, cells: int) -> float:
    """The half-width of a sum of independent numbers, less its share of the sum of all `cells`."""
    if not cells:
        return half_width([ErrorTerm(Fraction(1), length, noise)], CONFIDENCE).value
    share = Fraction(length, cells)
    terms = [ErrorTerm(1 - share, length, noise), ErrorTerm(share, cells - length, noise)]
    return half_width([each for each in terms if each.size and each.number], CONFIDENCE).value
