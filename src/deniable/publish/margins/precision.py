"""From wanted half-widths to the least budget: what precision costs."""

import functools
import math
from collections.abc import Mapping
from fractions import Fraction

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import DiscreteGaussian
from deniable.notions import Adjacency
from deniable.numerics.rounding import directed, greatest, upper
from deniable.publish.margins.design import balance, residual_design
from deniable.publish.margins.half_widths import CONFIDENCE, ErrorTerm, half_width
from deniable.publish.margins.layout import Design, Margin, MarginSet
from deniable.publish.margins.reconstruct import error_terms, variance
from deniable.publish.margins.sensitivity import MarginSensitivity, sensitivity

LEAST_SCALE = 2.0**-10
"""No scale is smaller: there noise differs from 0 with a probability below 1e-400."""
_TOLERANCE = 1e-9
"""Share of the scale up to which the largest one is sought."""
_NARROW = 1.9
"""Deviations in a half-width from which the search begins."""


@attrs.frozen
class LeastBudget:
    """What wanted half-widths cost.

    Parameters
    ----------
    design : Design
        Multipliers of the vector.
    scale : float
        The largest scale of its discrete Gaussian noise that keeps every half-width.
    rho : float
        Zero-concentrated DP of that noise, rounded up.
    moves : MarginSensitivity
        How far neighbours move the vector.
    gap : float
        Largest share of ρ that another split of the noise could save under add-remove with one row
        an entity, whole numbers and rounding apart.
    """

    design: Design
    scale: float
    rho: float
    moves: MarginSensitivity
    gap: float


def least_budget(
    margins: MarginSet,
    wanted: Mapping[Margin, float],
    adjacency: Adjacency,
    *,
    rows: int = 1,
    has_fixed_rows: bool = False,
    confidence: float = CONFIDENCE,
) -> LeastBudget:
    """The least ρ at which the half-width of each named margin is at most what is wanted.

    The split makes the largest of Var_A/h_A² least; then the scale is as large as half-widths
    allow. Where every entity owns exactly `rows` rows and neighbours replace one, the total is
    public and not measured.

    Parameters
    ----------
    wanted : mapping
        Half-widths in rows, > 0; of every margin that no other contains, at least.

    Raises
    ------
    InvalidArgument
        If a half-width is of no margin, or one of the largest margins has none.

    Examples
    --------
    >>> from deniable.publish.margins.layout import close_downwards
    >>> margins = close_downwards((2, 3), [(0, 1)])
    >>> wanted = dict.fromkeys(margins.margins, 10.0)
    >>> answer = least_budget(margins, wanted, Adjacency.ADD_REMOVE)
    >>> round(answer.rho, 4)
    0.0385
    """
    public_total = has_fixed_rows and adjacency is Adjacency.REPLACE_ONE
    if unknown := set(wanted) - set(margins.margins):
        raise InvalidArgument(
            f"Expected half-widths of published margins, got {sorted(unknown)[0]}."
        )
    widths = {margin: validate.positive(width, "half_width") for margin, width in wanted.items()}
    if public_total:
        widths.pop((), None)
    if not widths:
        raise InvalidArgument("Expected a half-width of some measured margin, got none.")
    best = balance(
        margins, {margin: width**-2 for margin, width in widths.items()}, public_total=public_total
    )
    design = residual_design(margins, best.weights, public_total=public_total)
    moves = sensitivity(design, adjacency, rows=rows, has_fixed_rows=has_fixed_rows)
    scale = largest_scale(design, widths, confidence)
    with directed() as r:
        l2 = upper(r.sqrt(r(moves.squared_l2)))
    rho = DiscreteGaussian(scale).rho(l2)
    return LeastBudget(design, scale, rho, moves, best.gap / best.largest)


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
