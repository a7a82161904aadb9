"""The Wasserstein mechanism for correlated data: noise as wide as one secret moves a query."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from numbers import Rational
from typing import TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import Laplace
from deniable.numerics.rounding import directed, upper

Law: TypeAlias = Mapping[float, float | Fraction]
"""The probability of each value of a query."""

ROUNDING = Fraction(1, 2**52)
"""How far off a float probability may be: two half-ulps of 1."""


def wasserstein_infinity(one: Law, other: Law) -> float:
    r"""Return the largest distance that mass must move to turn one law into another, rounded up.

    .. math:: W_\infty = \inf_{\text{couplings}} \operatorname{ess\,sup} |X - Y|
              = \sup_{0 < u < 1} |F^{-1}(u) - G^{-1}(u)|

    Quantiles are compared over all levels u, exactly, and no mass is too small to count. Whole
    numbers and Fractions are taken as they are, floats as the numbers that they are or that they
    print, whichever sum to 1. Floats whose sum is 1 only up to rounding do not say which law they
    mean: levels closer than that rounding are taken for one, and a law with a value about as
    improbable is refused.

    Parameters
    ----------
    one, other : mapping of float to float or Fraction
        Probabilities by value; each sums to 1, floats within 2^-52 an entry.

    Raises
    ------
    InvalidArgument
        If a probability is negative, a sum is off, or a float law's rounding could hide a value.

    References
    ----------
    song-2017, Definition 3.1.

    Examples
    --------
    >>> wasserstein_infinity({0: 0.5, 1: 0.5}, {1: 0.5, 3: 0.5})
    2.0
    >>> rare = Fraction(1, 10**30)
    >>> wasserstein_infinity({0: 1}, {0: 1 - rare, 999: rare})
    999.0
    """
    left, right = _steps(one), _steps(other)
    rounding = left.rounding + right.rounding
    least = min(left.least, right.least)
    if least <= 2 * rounding:
        raise InvalidArgument(
            "Expected laws whose rounding hides no value, got floats that sum to 1 up to "
            f"{float(rounding):.3g} and a probability of {float(least):.3g}. Give Fractions."
        )
    # max |F⁻¹(u) − G⁻¹(u)|: walk over the levels at which either quantile function steps; between
    # two levels both are constant.
    farthest, level, i, j = Fraction(0), Fraction(0), 0, 0
    while i < len(left.steps) and j < len(right.steps):
        end = min(left.steps[i][1], right.steps[j][1])
        if end - level > rounding:
            farthest = max(farthest, abs(left.steps[i][0] - right.steps[j][0]))
        i, j = i + (left.steps[i][1] <= end), j + (right.steps[j][1] <= end)
        level = end
    with directed() as r:
        return upper(r(farthest))


def wasserstein_mechanism(pairs: Iterable[tuple[Law, Law]], epsilon: float) -> Laplace:
    r"""Return the noise that keeps every pair of secrets ε-indistinguishable, Lap(W/ε).

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
    # Lap(W/ε), W the largest distance of all pairs.
    budget = validate.positive(epsilon, "epsilon")
    distance = max((wasserstein_infinity(one, other) for one, other in pairs), default=0.0)
    if distance == 0:
        raise InvalidArgument("Expected a secret that moves the query, got none.")
    with directed() as r:
        return Laplace(upper(r(distance) / r(budget)))


@attrs.frozen
class _Steps:
    """The values in order, each with the probability up to it; the least one's, and how far off."""

    steps: list[tuple[Fraction, Fraction]]
    least: Fraction
    rounding: Fraction


def _steps(law: Law) -> _Steps:
    kept = {_exact(value): mass for value, mass in law.items() if _mass(mass) > 0}
    exact = all(isinstance(mass, Rational) for mass in kept.values())
    readings = [{value: _mass(mass) for value, mass in kept.items()}]
    if not exact:
        printed = {v: m if isinstance(m, Rational) else repr(float(m)) for v, m in kept.items()}
        readings.append({value: Fraction(mass) for value, mass in printed.items()})
    sums = [sum(masses.values(), Fraction(0)) for masses in readings]
    index = next((at for at, total in enumerate(sums) if total == 1), 0)
    total, rounding = sums[index], Fraction(0)
    if total != 1:
        rounding = Fraction(0) if exact else ROUNDING * len(kept)
        if abs(total - 1) > rounding:
            raise InvalidArgument(
                f"Expected a law that sums to 1, got a sum of {validate.format_sum(float(total))}."
            )
    result, level = [], Fraction(0)
    for value, mass in sorted(readings[index].items()):
        level += mass
        result.append((value, level / total))
    return _Steps(result, min(readings[index].values()), rounding)


def _exact(value: float | Fraction) -> Fraction:
    number = validate.finite(value, "a value")
    return Fraction(value) if isinstance(value, Rational) else Fraction(number)


def _mass(mass: float | Fraction) -> Fraction:
    if isinstance(mass, Rational):
        share = Fraction(mass)
    else:
        share = Fraction(validate.finite(mass, "a probability"))
    if share < 0:
        raise InvalidArgument(f"Expected probabilities >= 0, got {float(share)}.")
    return share
