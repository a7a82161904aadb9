"""Population privacy of noisy sums of whole numbers, subset by subset and output by output.

Laws of the sums are exact fractions over all subsets; noise and hockey sticks are added up to 60
digits, straight from their definitions. Nothing is shared with the package.
"""

import decimal
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache

from tests.oracles.samples import samples

CONTEXT = decimal.Context(prec=60, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
FAR = Decimal("1e-45")
"""Outputs rarer than that beside the sums do not count."""
Law = dict[int, Fraction]
Pmf = Callable[[int], Decimal]


def sums(values: Sequence[int], size: int, record: int) -> tuple[Law, Law]:
    """The laws of the sum with the record in and out."""
    laws = []
    for some in samples(len(values), size, record):
        often = Counter(sum(values[i] for i in members) for members in some)
        laws.append({total: Fraction(count, len(some)) for total, count in often.items()})
    return laws[0], laws[1]


@cache
def laplace(scale: float) -> Pmf:
    rate = CONTEXT.divide(Decimal(1), Decimal(scale))
    alpha = CONTEXT.exp(-rate)
    at_zero = CONTEXT.divide(1 - alpha, 1 + alpha)
    return cache(lambda k: CONTEXT.multiply(at_zero, CONTEXT.exp(CONTEXT.multiply(-rate, abs(k)))))


def gaussian(scale: float) -> Pmf:
    rate = CONTEXT.divide(Decimal(1), 2 * Decimal(scale) * Decimal(scale))
    weights = [Decimal(1)]
    while weights[-1] > Decimal("1e-70"):
        weights.append(CONTEXT.exp(CONTEXT.multiply(-rate, len(weights) ** 2)))
    total = 1 + 2 * sum(weights[1:], Decimal(0))
    return lambda k: CONTEXT.divide(
        CONTEXT.exp(CONTEXT.multiply(-rate, k * k)) if abs(k) >= len(weights) else weights[abs(k)],
        total,
    )


def released(law: Law, pmf: Pmf, outputs: range) -> list[Decimal]:
    with decimal.localcontext(CONTEXT):
        parts = [(s, Decimal(p.numerator) / Decimal(p.denominator)) for s, p in law.items()]
        return [sum((p * pmf(t - s) for s, p in parts), Decimal(0)) for t in outputs]


def pure(values: Sequence[int], size: int, record: int, pmf: Pmf) -> Decimal:
    """sup |ln ratio| where it is constant beyond the sums, as with Laplace noise."""
    laws = sums(values, size, record)
    outputs = range(min(map(min, laws)) - 2, max(map(max, laws)) + 3)
    inside, outside = (released(law, pmf, outputs) for law in laws)
    with decimal.localcontext(CONTEXT):
        ratios = [p / q for p, q in zip(inside, outside, strict=True)]
        return max(abs(max(ratios).ln()), abs(min(ratios).ln()))


def approximate(values: Sequence[int], size: int, record: int, pmf: Pmf, delta: float) -> Decimal:
    """The least ε >= 0 with both hockey sticks at most δ, to 1e-25."""
    laws = sums(values, size, record)
    reach = next(k for k in itertools.count() if pmf(k) < FAR)
    outputs = range(min(map(min, laws)) - reach, max(map(max, laws)) + reach + 1)
    pair = [released(law, pmf, outputs) for law in laws]
    with decimal.localcontext(CONTEXT):

        def holds(epsilon: Decimal) -> bool:
            factor = epsilon.exp()
            return all(
                sum(
                    (max(a - factor * b, Decimal(0)) for a, b in zip(*order, strict=True)),
                    Decimal(0),
                )
                <= Decimal(delta)
                for order in (pair, pair[::-1])
            )

        low, high = Decimal(0), Decimal(1)
        if holds(low):
            return low
        while not holds(high):
            low, high = high, 2 * high
        while high - low > Decimal("1e-25"):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high


def encloses(lower: float, upper: float, truth: Decimal) -> bool:
    """Whether the truth, known to 1e-24, lies between the ends."""
    if math.isinf(upper):
        return Decimal(lower) <= truth + Decimal("1e-24")
    return Decimal(lower) <= truth + Decimal("1e-24") and truth <= Decimal(upper) + Decimal("1e-24")
