"""The Wasserstein mechanism for correlated data: noise as wide as one secret moves a query."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from deniable import _validate
from deniable._rounding import directed, upper
from deniable.errors import InvalidArgument
from deniable.mechanisms.laplace import Laplace

Law: TypeAlias = Mapping[float, float | Fraction]
"""The probability of each value of a query."""

_ROUNDING = Fraction(1, 10**12)


def wasserstein_infinity(one: Law, other: Law) -> float:
    r"""The largest distance that mass has to be moved to turn one law into another.

    .. math:: W_\infty = \inf_{\text{couplings}} \operatorname{ess\,sup} |X - Y|
              = \sup_{0 < u < 1} |F^{-1}(u) - G^{-1}(u)|

    Quantiles are compared over all levels u; stretches of less than 1e-12 count as rounding of
    the probabilities. Fractions are taken exactly, floats as the decimals that they print.

    Parameters
    ----------
    one, other : mapping of float to float or Fraction
        Probabilities by value; each sums to 1 within 1e-9.

    Raises
    ------
    InvalidArgument
        If a probability is negative or a sum is off.

    References
    ----------
    song-2017, Definition 3.1.

    Examples
    --------
    >>> wasserstein_infinity({0: 0.5, 1: 0.5}, {1: 0.5, 3: 0.5})
    2.0
    """
    left, right = _steps(one), _steps(other)
    farthest, level, i, j = 0.0, Fraction(0), 0, 0
    while i < len(left) and j < len(right):
        end = min(left[i][1], right[j][1])
        if end - level > _ROUNDING:
            farthest = max(farthest, abs(left[i][0] - right[j][0]))
        i, j, level = i + (left[i][1] <= end), j + (right[j][1] <= end), end
    return farthest


def wasserstein_mechanism(pairs: Iterable[tuple[Law, Law]], epsilon: float) -> Laplace:
    r"""The noise that keeps every pair of secrets ε-indistinguishable, Lap(W/ε).

    Parameters
    ----------
    pairs : iterable of pairs of laws
        For each pair of secrets and each belief that an adversary may hold, the laws of the
        query under the one secret and under the other; W is the largest of their distances.
    epsilon : float
        How far the log-odds between the secrets may move, > 0.

    Raises
    ------
    InvalidArgument
        If no secret moves the query: then it may be published as it is.

    References
    ----------
    song-2017, Algorithm 1 and Theorem 3.2.

    Examples
    --------
    >>> wasserstein_mechanism([({0: 1.0}, {2: 1.0})], 0.5).scale
    4.0
    """
    budget = _validate.positive(epsilon, "epsilon")
    distance = max((wasserstein_infinity(one, other) for one, other in pairs), default=0.0)
    if distance == 0:
        raise InvalidArgument("Expected a secret that moves the query, got none.")
    with directed() as r:
        return Laplace(upper(r(distance) / r(budget)))


def _steps(law: Law) -> list[tuple[float, Fraction]]:
    """The values in order, each with the probability up to it."""
    result, level = [], Fraction(0)
    for value in sorted(law):
        mass = law[value]
        share = mass if isinstance(mass, Fraction) else Fraction(repr(float(mass)))
        if share < 0:
            raise InvalidArgument(f"Expected probabilities >= 0, got {float(share)}.")
        if share > 0:
            level += share
            result.append((_validate.finite(value, "a value"), level))
    if abs(level - 1) > Fraction(1, 10**9):
        raise InvalidArgument(f"Expected a law that sums to 1, got a sum of {float(level)}.")
    return [(value, end / level) for value, end in result]
