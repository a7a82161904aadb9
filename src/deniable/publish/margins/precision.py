"""From wanted half-widths to the largest noise that keeps them."""

import functools
import math
from collections.abc import Mapping
from fractions import Fraction

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.numerics.rounding import greatest
from deniable.publish.margins.half_widths import CONFIDENCE, ErrorTerm, half_width
from deniable.publish.margins.layout import Design, Margin
from deniable.publish.margins.reconstruct import error_terms, variance

LEAST_SCALE = 2.0**-10
"""No scale is smaller: there noise differs from 0 with a probability below 1e-400."""
_TOLERANCE = 1e-9
"""Share of the scale up to which the largest one is sought."""
_NARROW = 1.9
"""Deviations in a half-width from which the search begins."""


def largest_scale(
    design: Design, wanted: Mapping[Margin, float], confidence: float = CONFIDENCE
) -> float:
    """The largest scale of discrete Gaussian noise that keeps every wanted half-width.

    The margin that seems to need least noise is searched first; the others are tried at what it
    allows, and searched below where that is too much. The answer has been tried with all.
    """
    deviations = {margin: float(variance(design, margin)) ** 0.5 for margin in wanted}
    order = sorted(
        (margin for margin in wanted if deviations[margin]),
        key=lambda margin: (wanted[margin] / deviations[margin], margin),
    )
    if not order:
        raise InvalidArgument("Expected a half-width of some measured margin, got none.")
    scale = math.inf
    for margin in order:
        terms = sorted(error_terms(design, margin).items())
        holds = functools.partial(_keeps, terms, wanted[margin], confidence)
        if math.isinf(scale):
            scale = max(wanted[margin] / (_NARROW * deviations[margin]), 2 * LEAST_SCALE)
            while holds(scale):
                scale *= 2
        if not holds(scale):
            scale = greatest(holds, LEAST_SCALE, scale, tolerance=_TOLERANCE)
    return scale


def _keeps(terms: list[tuple[Fraction, int]], most: float, confidence: float, scale: float) -> bool:
    noise = DiscreteGaussian(scale)
    return half_width([ErrorTerm(c, n, noise) for c, n in terms], confidence).value <= most
