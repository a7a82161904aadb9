r"""How noise is best split over margins: ResidualPlanner's closed form, in whole multipliers.

For every margin B measure :math:`P_B Q_B x` with noise of covariance :math:`\sigma_B^2 P_B`, where
:math:`P_B = \otimes_{i \in B}(I - 11^T/n_i)` centres along each axis. With
:math:`p_B = \prod_{i \in B}(1 - 1/n_i)` one row costs (add-remove) and a cell of A varies by

.. math:: 2\rho = \sum_B p_B/\sigma_B^2, \quad
          \mathrm{Var}_A = \sum_{B \subseteq A} \sigma_B^2 p_B N_B^2/N_A^2 .

The weighted sum :math:`\sum_A w_A \mathrm{Var}_A = \sum_B \sigma_B^2 p_B u_B` with
:math:`u_B = \sum_{A \supseteq B} w_A N_B^2/N_A^2` is least, by Cauchy and Schwarz, where
:math:`\sigma_B^2 = T/\sqrt{u_B}`, :math:`T = \sum_B p_B \sqrt{u_B}/2\rho`, and is then
:math:`2\rho T^2`. Only optimality rests on floating point; multipliers are exact functions of
the weights, so that a check finds the same.

References
----------
xiao-2023 (ResidualPlanner); what is stated here is tried by brute force.
"""

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from deniable.crosstabs.margins.layout import Basis, Design, Margin, MarginSet, subsets
from deniable.errors import InvalidArgument, validate
from deniable.numerics.search import bisect_integers

Weights = Mapping[Margin, Fraction]

LARGEST_MULTIPLIER = 1024
"""Multiplier of the margin with the least noise, where that leaves no other one coarse."""
LEAST_MULTIPLIER = 64
"""The multiplier below which rounding it moves a variance by over 2 %: all are doubled."""
MOST_DOUBLINGS = 30
"""Beyond 2^40 a multiplier and a few cells leave no room for rows in 62 bits."""


def weigh(
    margins: MarginSet, importance: Mapping[Margin, float] | None = None
) -> dict[Margin, Fraction]:
    """The weight of each margin's variance: its number of cells times its importance, 1 if unsaid.

    With equal importance the total squared error of all cells is least.
    """
    given = dict(importance or {})
    weights = {
        margin: margins.cells(margin)
        * Fraction(validate.non_negative(given.get(margin, 1.0), "importance"))
        for margin in margins.margins
    }
    _check_weights(margins, weights)
    return weights


def _check_weights(margins: MarginSet, weights: Weights) -> None:
    for margin in margins.maximal():
        if not weights.get(margin):
            raise InvalidArgument(
                f"Expected a positive weight of margin {margin}, which no other contains, got "
                "none. Give it some importance."
            )


def balance(margins: MarginSet, *, public_total: bool = False) -> dict[Margin, Fraction]:
    r"""Weights for which the largest variance of a margin's cells is least, nearly.

    The least largest variance is the largest over λ in the simplex of the least
    :math:`\sum \lambda_A \mathrm{Var}_A`, so every λ gives a bound from below. Each step
    multiplies λ_A by Var_A. The number of steps is fixed, so that a check finds the same weights.
    """
    # Every pair B ⊆ A, as positions, with N_B²/N_A², what A's variance takes from B's noise; and
    # p_B of each margin, 0 where it is public.
    place = {margin: i for i, margin in enumerate(margins.margins)}
    pairs = [
        (place[above], place[below], (margins.cells(below) / margins.cells(above)) ** 2)
        for above in margins.margins
        for below in subsets(above)
    ]
    upper, lower, ratios = map(np.array, zip(*pairs, strict=True))
    costs = np.array([math.prod(1 - 1 / margins.sizes[i] for i in a) for a in margins.margins])
    costs[0] *= not public_total
    shares = np.ones(len(margins.margins))
    shares[0] -= public_total
    shares /= np.count_nonzero(shares)
    # Steps towards the least largest variance: some 0.1 % of it on tables with 100 margins.
    for _ in range(500):
        # The variance of each margin's cells at ρ = ½ where their weighted sum is least; bincount
        # adds in the order of its arguments: the same sum on every machine.
        u = np.sqrt(np.bincount(lower, shares[upper] * ratios))
        total = math.fsum((costs * u).tolist())
        shares = shares * np.bincount(upper, (total / u * costs)[lower] * ratios)
        shares = shares / math.fsum(shares.tolist())
    return dict(zip(margins.margins, map(Fraction, shares.tolist()), strict=True))


def residual_design(margins: MarginSet, weights: Weights, *, public_total: bool = False) -> Design:
    r"""Multipliers of the residuals, in proportion to 1/s_B with s_B = σ_B N_B.

    .. math:: m_B = \mathrm{round}(1024\, q_B^{1/4}/\max_C q_C^{1/4}), \quad q_B = u_B/N_B^4,

    doubled together until none is below `LEAST_MULTIPLIER`. Fourth roots are rounded in whole
    numbers, halves up.

    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> margins = close_downwards((2, 3), [(0, 1)])
    >>> residual_design(margins, {(0,): 2, (1,): 3, (0, 1): 6}).multipliers
    (1024, 654, 497, 267)
    """
    _check_weights(margins, weights)
    u = dict.fromkeys(margins.margins, Fraction(0))
    for above in margins.margins:
        share = Fraction(weights.get(above, 0)) / margins.cells(above) ** 2
        for below in subsets(above):
            u[below] += share
    # u_B/N_B⁴ with u_B = N_B² Σ w_A/N_A²
    rates = [u[margin] / margins.cells(margin) ** 2 for margin in margins.margins]
    return _scale_roots(margins, rates, 4, Basis.RESIDUALS, public_total)


def count_design(margins: MarginSet, weights: Weights, *, public_total: bool = False) -> Design:
    """Multipliers of the counts themselves, in proportion to ε_A ∝ w_A^{1/3}: for pure ε.

    With independent Laplace noise in proportion to 1/ε_A the weighted sum of variances is least
    there, at a given sum of the ε_A, before least squares.
    """
    _check_weights(margins, weights)
    least = min(weight for weight in weights.values() if weight > 0)
    rates = [Fraction(weights.get(margin, 0)) or Fraction(least) for margin in margins.margins]
    return _scale_roots(margins, rates, 3, Basis.COUNTS, public_total)


def _scale_roots(
    margins: MarginSet, rates: list[Fraction], root: int, basis: Basis, public_total: bool
) -> Design:
    """Roots of the rates in whole numbers, the largest `LARGEST_MULTIPLIER` times a power of 2."""
    first = int(public_total)
    largest = max(rates[first:], default=Fraction(1))
    for doublings in range(MOST_DOUBLINGS + 1):
        most = LARGEST_MULTIPLIER << doublings
        multipliers = [
            max(rounded_root((2 * most) ** root * rate / largest, root), 1)
            for rate in rates[first:]
        ]
        if min(multipliers, default=LEAST_MULTIPLIER) >= LEAST_MULTIPLIER:
            break
    return Design(margins, (*[0] * first, *multipliers), basis)


def rounded_root(power: Fraction, root: int) -> int:
    """Half of a root of a number, rounded to the nearest whole number, halves up.

    >>> rounded_root(Fraction(6**3), 3), rounded_root(Fraction(5**4), 4)
    (3, 3)
    """
    floor = math.floor(power)
    if root == 4:
        return (math.isqrt(math.isqrt(floor)) + 1) // 2
    most = 1 << (floor.bit_length() // root + 1)
    return (bisect_integers(lambda each: each**root <= floor, 0, most) + 1) // 2
