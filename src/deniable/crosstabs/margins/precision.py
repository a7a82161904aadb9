"""Half-widths after reconstruction, and from wanted ones to the largest noise that keeps them."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from deniable.crosstabs.margins.layout import Basis, Design, Margin, subsets
from deniable.crosstabs.margins.reconstruct import error_terms, measured_blocks
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.rounding import greatest
from deniable.publish.query import DiscreteNoise, ErrorTerm, HalfWidth, half_width

LEAST_SCALE = 2.0**-10
"""No scale is smaller: there noise differs from 0 with a probability below 1e-400."""
_TOLERANCE = 1e-9  # share of the scale up to which the largest one is sought
_NARROW = 1.9  # deviations in a half-width from which the search begins


def half_widths(design: Design, noise: DiscreteNoise) -> dict[Margin, HalfWidth]:
    """The 95 % half-width of each margin's cells, in rows, from public numbers alone.

    It is of each cell by itself, not of all together.

    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> design = Design(close_downwards((2, 3), [(0, 1)]), (1024, 654, 497, 267))
    >>> widths = half_widths(design, DiscreteGaussian(2060.0))
    >>> round(widths[0, 1].value, 3), widths[0, 1].method.value
    (2.075, 'smoothed')
    """
    result: dict[Margin, HalfWidth] = {}
    laws: dict[tuple[ErrorTerm, ...], HalfWidth] = {}
    alike: dict[object, HalfWidth] = {}
    measured, above, _ = measured_blocks(design)
    for margin in design.margins.margins:
        # A residual's noise enters no margin but those that contain it; that of counts all that
        # share columns with it.
        parts: list[object] = [measured.get(part) for part in subsets(margin)]
        if design.basis is Basis.COUNTS:
            parts = [frozenset(above.get(part, {}).items()) for part in subsets(margin)]
        own = (design.margins.shape(margin), *parts)
        if own not in alike:
            terms = tuple(
                ErrorTerm(size, number, noise)
                for size, number in sorted(error_terms(design, margin).items())
            )
            if terms not in laws:
                laws[terms] = half_width(terms)
            alike[own] = laws[terms]
        result[margin] = alike[own]
    return result


def largest_scale(design: Design, wanted: Mapping[Margin, float]) -> float:
    """The largest scale of discrete Gaussian noise that keeps every wanted half-width."""
    laws = [(most, error_terms(design, margin)) for margin, most in sorted(wanted.items())]
    return largest_scale_of(laws, DiscreteGaussian)


def largest_scale_of(
    laws: Sequence[tuple[float, Mapping[Fraction, int]]],
    made: type[DiscreteGaussian | DiscreteLaplace],
) -> float:
    """The largest scale of this noise that keeps a wanted half-width of each of these errors.

    The one that seems to need least noise is searched first; the others are tried at what it
    allows, and searched below where that is too much. The answer has been tried with all.

    `laws`: what is wanted, and how many coordinates' noise enters the error with each size.
    """
    measured = [
        (most, sum(float(size) ** 2 * number for size, number in terms.items()) ** 0.5, terms)
        for most, terms in laws
        if terms
    ]
    if not measured:
        raise InvalidArgument("Expected a half-width of some measured margin, got none.")
    scale = math.inf
    for most, deviation, terms in sorted(measured, key=lambda law: law[0] / law[1]):
        law = sorted(terms.items())

        def holds(scale: float, most: float = most, law: list[tuple[Fraction, int]] = law) -> bool:
            noise = made(scale)
            return half_width([ErrorTerm(c, n, noise) for c, n in law]).value <= most

        if math.isinf(scale):
            scale = max(most / (_NARROW * deviation), 2 * LEAST_SCALE)
            while holds(scale):
                scale *= 2
        if not holds(scale):
            scale = greatest(holds, LEAST_SCALE, scale, tolerance=_TOLERANCE)
    return scale
