r"""What can be believed about one value with a stated law, given sums of values.

With independent laws :math:`f_k` and sums that are nested, the belief that value i is v is in
proportion to :math:`f_i(v)` times the likelihood of all sums, given v: the walk of `tree`, on
values in place of counts.
"""

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from deniable.errors import InvalidArgument
from deniable.numerics.rounding import directed, exact_product
from deniable.rules.relations import Relations
from deniable.rules.tree import tree, weights_from_the_rest

_MOST_WORK = 20_000_000  # Products of two whole numbers for one question: seconds
_DIGITS = 64  # Of the smallest chance of a log-normal law: all within 1 in 10¹⁹ of its density


@attrs.frozen
class ValueLaw:
    """The law of each value before anything is published: uniform, log-normal or a chance a value.

    Without bounds, a law has those of each contributor. A log-normal law has a `median`, and
    `sigma`, the standard deviation of the logarithm; its chances of whole values above 0 are in
    proportion to the density.
    """

    low: int | None = None
    high: int | None = None
    chances: Mapping[int, Fraction] | None = None
    median: Fraction | None = None
    sigma: Fraction = Fraction(1)

    def is_possible(self, value: int) -> bool:
        """Whether the law gives a value within its bounds a chance above 0."""
        if self.median is not None:
            return value > 0
        return self.chances is None or bool(self.chances.get(value))

    def weights(self, low: int, high: int) -> list[int]:
        """Return numbers in proportion to the chances of low…high."""
        if self.median is not None:
            positive = _log_normal(self.median, self.sigma, max(low, 1), high)
            return [*[0] * (high - low + 1 - len(positive)), *positive]
        if self.chances is None:
            return [1] * (high - low + 1)
        scale = math.lcm(*(each.denominator for each in self.chances.values()))
        return [int(self.chances.get(v, Fraction(0)) * scale) for v in range(low, high + 1)]


@functools.lru_cache(1_000)
def _log_normal(median: Fraction, sigma: Fraction, low: int, high: int) -> tuple[int, ...]:
    # ln f(v) = c − ln v − (ln v − ln m)²/(2 σ²) is concave in ln v: least at an end of low…high.
    def density(log: float) -> float:
        return -log - (log - math.log(median)) ** 2 / (2 * float(sigma) ** 2)

    span = math.log(low), math.log(high)
    mode = min(max(math.log(median) - float(sigma) ** 2, span[0]), span[1])
    least = min(map(density, span))
    bits = _DIGITS + math.ceil((density(mode) - least) / math.log(2))
    if bits > 4_096:  # Of the largest: no attacker's chances differ by a factor of 10¹²⁰⁰
        raise InvalidArgument(
            "Expected bounds within reach of a log-normal law, got others. Raise sigma, or give "
            "bounds nearer to the median."
        )
    with directed(bits + _DIGITS) as r:
        middle, spread, scale = r.log(r(median)), r(2 * sigma**2), r(1 << _DIGITS)
        weights = []
        for value in range(low, high + 1):
            log = r.log(r(value))
            away = log - middle
            ball = scale * r.exp(-log - away * away / spread - r(least))
            number = ball.mid().floor().unique_fmpz()
            assert number is not None, "a midpoint lies between two whole numbers"
            weights.append(int(number))
    return tuple(weights)


def posterior(
    relations: Relations, lows: Sequence[int], law: ValueLaw, target: int
) -> dict[int, int] | None:
    """Return numbers in proportion to the belief in each value; None where it is too much work.

    An atom is a contributor whom the attacker does not know, and counts from its least value on.
    """
    nested = tree(relations.merged())
    if nested is None or nested.work() > _MOST_WORK:
        return None
    laws = []
    for atom, low in enumerate(lows):
        least, most = nested.hull(atom)
        laws.append(law.weights(low + least, low + most))
    rest = weights_from_the_rest(nested, laws, exact_product)[target]
    first = lows[target] + nested.hull(target)[0]
    together = [f * g for f, g in zip(laws[target], rest, strict=True)]
    return {value: weight for value, weight in enumerate(together, first) if weight}


def near_truth(belief: Mapping[int, int], truth: int, within: Fraction) -> Fraction:
    """Return the belief that the value is nearer to the truth than `within` times the truth."""
    near = sum(
        weight
        for value, weight in belief.items()
        if value == truth or abs(value - truth) < within * truth
    )
    return Fraction(near, sum(belief.values()))


def best_guess(belief: Mapping[int, int], within: Fraction) -> Fraction:
    """Return the largest belief, of any guess g, that |g − X| < within · X."""
    # X is near g where X(1 − p) < g < X(1 + p); 0 is near 0 only. Intervals are open: the most of
    # them overlap right after one begins.
    changes: list[tuple[Fraction, int, int]] = []
    at_zero = belief.get(0, 0)
    for value, weight in belief.items():
        if value:
            low, high = value * (1 - within), value * (1 + within)
            changes += [(low, 1, weight), (high, 0, -weight)]
            at_zero += weight * (low < 0)
    running = itertools.accumulate(weight for _, _, weight in sorted(changes))
    return Fraction(max(at_zero, max(running, default=0)), sum(belief.values()))
