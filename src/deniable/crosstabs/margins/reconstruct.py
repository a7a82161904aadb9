r"""Tables that add up exactly, in whole numbers, from the noisy vector.

Whatever was measured, every margin is a sum of residuals

.. math:: Q_A x = \sum_{B \subseteq A} \frac{W_B}{e_B N_A}, \qquad W_B = \otimes(n_i I - 11^T) Y_B

with whole Y_B and e_B, each W_B repeated along the axes of A that B lacks. Along an axis of B it
sums to 0, and along another one to n_j times itself, so Σ over an axis of margin A is margin A
without it: as fractions, without any rounding.

*Residuals:* Y_B is the noisy block and e_B = m_B N_B. A block's noise is centred again by this,
which loses nothing: z_B is centred itself.

*Counts:* block A has variance v/m_A². What the blocks A ⊇ B say of B's residual is weighed by
m_A² N_B/N_A, the inverse of its variance; with L a common multiple of their N_A that is
:math:`Y_B = \sum m_A (L/N_A) y_{A \to B}` and :math:`e_B = \sum m_A^2 L/N_A`. Residuals of
different B are independent of each other, so this is weighted least squares over all blocks.

A public total is a residual without error, e = 1.

Half-widths follow, and the largest noise that keeps wanted ones.
"""

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.crosstabs.margins.layout import Basis, Counts, Design, Margin, centre, subsets
from deniable.errors import InvalidArgument
from deniable.numerics.rounding import greatest
from deniable.pipeline.noise import LEAST_SCALE, DiscreteGaussian, DiscreteLaplace
from deniable.publish.query import DiscreteNoise, ErrorTerm, HalfWidth, half_width

_TOLERANCE = 1e-9  # share of the scale up to which the largest one is sought
_NARROW = 1.9  # deviations in a half-width from which the search begins
_INT64 = 2**63  # sizes below it fit 64 bits with a sign; else Python's integers are used


@attrs.frozen(eq=False)
class FractionTable:
    """A margin as fractions of one denominator, an axis a column, in int64 or Python's integers."""

    numerators: NDArray[Any]
    denominator: int

    def values(self) -> NDArray[np.float64]:
        """The cells, each by one correctly rounded division."""
        quotients = [number / self.denominator for number in self.numerators.reshape(-1).tolist()]
        return np.array(quotients, np.float64).reshape(self.numerators.shape)


def reconstruct(
    design: Design, noisy: Counts, *, public_total: int | None = None
) -> dict[Margin, FractionTable]:
    """Every margin, unbiased, from noisy and public numbers alone; all of them add up exactly.

    `public_total` is needed for, and only for, a design that does not measure the number of rows.

    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> from deniable.crosstabs.margins.layout import measure, rebuild_counts
    >>> margins = close_downwards((2, 3), [(0, 1)])
    >>> design = Design(margins, (1024, 654, 497, 267))
    >>> vector = measure(design, rebuild_counts(margins, np.array([5, 2, 1, 0, 3, 4])))
    >>> reconstruct(design, vector)[0, 1].values().tolist()
    [[5.0, 2.0, 1.0], [0.0, 3.0, 4.0]]
    """
    if design.has_public_total != (public_total is not None):
        raise InvalidArgument(
            "Expected a public total exactly where the design measures none, got "
            f"public_total={public_total}."
        )
    blocks = design.split(np.asarray(noisy))
    residuals: dict[Margin, NDArray[Any]] = {}
    divisors: dict[Margin, int] = {}
    for margin, weights, divisor in _contributions(design):
        shape = design.margins.shape(margin)
        most = sum(w * _size(blocks[at]) * design.margins.cells(at) for at, w in weights.items())
        summed: NDArray[Any] = np.zeros(shape, np.int64 if most < _INT64 else object)
        for name, weight in weights.items():  # a block is summed over columns that `margin` lacks
            axes = tuple(axis for axis, column in enumerate(name) if column not in margin)
            block = blocks[name] if most < _INT64 else blocks[name].astype(object)
            # Python's integers leave an array without axes at the first operation.
            summed = np.asarray(summed + weight * block.sum(axis=axes), summed.dtype)
        growth = math.prod(2 * (size - 1) for size in shape)
        fits = _size(summed) * growth < _INT64
        residuals[margin] = centre(summed if fits else summed.astype(object), shape)
        divisors[margin] = divisor
    if public_total is not None:
        residuals[()], divisors[()] = np.array(public_total, object), 1
    return {
        margin: _table(design, margin, residuals, divisors) for margin in design.margins.margins
    }


def _contributions(design: Design) -> Iterator[tuple[Margin, dict[Margin, int], int]]:
    """Each residual B: the factors with which blocks A ⊇ B are summed to Y_B, and e_B."""
    if design.basis is Basis.RESIDUALS:
        for margin, multiplier in design.measured():
            yield margin, {margin: 1}, multiplier * design.margins.cells(margin)
        return
    above: dict[Margin, list[tuple[Margin, int]]] = {}
    for measured in design.measured():
        for below in subsets(measured[0]):
            above.setdefault(below, []).append(measured)
    for margin, _ in design.measured():
        common = math.lcm(*(design.margins.cells(name) for name, _ in above[margin]))
        parts = {name: common // design.margins.cells(name) for name, _ in above[margin]}
        weights = {name: multiplier * parts[name] for name, multiplier in above[margin]}
        yield margin, weights, sum(m * weights[name] for name, m in above[margin])


def _size(table: NDArray[Any]) -> int:
    """The largest absolute value, and 1 at least: factors of 0 must fit as well."""
    return max(abs(int(table.max())), abs(int(table.min())), 1)


def _table(
    design: Design,
    margin: Margin,
    residuals: Mapping[Margin, NDArray[Any]],
    divisors: Mapping[Margin, int],
) -> FractionTable:
    parts = list(subsets(margin))
    common = math.lcm(*(divisors[part] for part in parts))
    factors = {part: common // divisors[part] for part in parts}
    exact = sum(factors[part] * _size(residuals[part]) for part in parts) < _INT64
    total: NDArray[Any] = np.zeros(design.margins.shape(margin), np.int64 if exact else object)
    for part in parts:
        shape = tuple(design.margins.sizes[i] if i in part else 1 for i in margin)
        residual = residuals[part].astype(np.int64 if exact else object)
        total = total + factors[part] * residual.reshape(shape)
    # Python's integers leave an array without axes at the first operation.
    numerators = np.asarray(total, np.int64 if exact else object)
    return FractionTable(numerators, common * design.margins.cells(margin))


def error_terms(design: Design, margin: Margin) -> dict[Fraction, int]:
    """The error of every cell of a margin, as Σ c_k X_k over independent coordinates' noise X_k.

    The law is the same for all cells. Noise is symmetric, so that only sizes of c_k are told apart.

    The answer says how many coordinates enter with each size c > 0.

    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> design = Design(close_downwards((2, 3), [(0, 1)]), (1, 1, 1, 1))
    >>> error_terms(design, (0,))
    {Fraction(1, 2): 1, Fraction(1, 4): 2}
    """
    # Blocks that share the same columns with the margin are alike but for multiplier and cells.
    cells, sizes = design.margins.cells, design.margins.sizes
    measured, above, precisions = measured_blocks(design)
    terms: Counter[Fraction] = Counter()
    for shared in subsets(margin):
        if design.basis is Basis.RESIDUALS:
            own, below = measured.get(shared, 0), [shared]
            kinds = {(own, cells(shared)): 1} if own else {}
        else:
            kinds, below = _sharing(above, shared, margin), [*subsets(shared)]
        for matched in subsets(shared):
            # Y_B/e_B of each part B moves by so much where the block's number moves by its rate.
            moved = Fraction(0)
            for part in below:
                if part or not design.has_public_total:
                    product = math.prod(sizes[i] - 1 if i in matched else -1 for i in part)
                    moved += Fraction(product) / precisions.get(part, cells(part))
            alike = math.prod(sizes[i] - 1 for i in shared if i not in matched)
            for (multiplier, own), number in kinds.items():
                rate = Fraction(multiplier, own) if precisions else Fraction(1, multiplier)
                size = abs(moved * rate) / cells(margin)
                terms[size] += alike * own // cells(shared) * number
    del terms[Fraction(0)]
    return dict(terms)


_Kind: TypeAlias = tuple[int, int]
"""A block's multiplier, and how many numbers it has."""


def _sharing(
    above: Mapping[Margin, Mapping[_Kind, int]], shared: Margin, margin: Margin
) -> dict[_Kind, int]:
    """How many blocks of each kind share just these columns with a margin.

    Those that contain more of it are taken away, and given back where that is done twice.
    """
    kinds: Counter[_Kind] = Counter()
    for more in subsets(tuple(i for i in margin if i not in shared)):
        for kind, number in above.get(tuple(sorted(shared + more)), {}).items():
            kinds[kind] += -number if len(more) % 2 else number
    return +kinds


@functools.lru_cache(maxsize=4)
def measured_blocks(
    design: Design,
) -> tuple[dict[Margin, int], dict[Margin, Counter[_Kind]], dict[Margin, Fraction]]:
    """Multipliers m_A; of counts the blocks A ⊇ B by kind, and Σ m_A²/N_A over them, of every B."""
    above: dict[Margin, Counter[_Kind]] = {}
    precisions: dict[Margin, Fraction] = {}
    measured = dict(design.measured())
    for name, multiplier in measured.items() if design.basis is Basis.COUNTS else ():
        own = design.margins.cells(name)
        for part in subsets(name):
            above.setdefault(part, Counter())[multiplier, own] += 1
            precisions[part] = precisions.get(part, Fraction(0)) + Fraction(multiplier**2, own)
    return measured, above, precisions


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


# --- Non-negative whole numbers with given sums, in whole-number arithmetic.


def project_lines(lines: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
    """The nearest non-negative numbers with given sums, line by line, in whole numbers.

    θ is rounded down, so that a line's sum is reached and passed by less than its length.

    `lines` is of int64 where its largest size times the length stays below 2^62, else of Python's
    integers. A line whose sum is 0 becomes 0; no sum is negative.

    >>> project_lines(np.array([[5, 3, -4], [2, 2, 2]]), np.array([6, 0])).tolist()
    [[4, 2, 0], [0, 0, 0]]
    """
    ranks = np.arange(1, lines.shape[1] + 1)
    sorted_lines = -np.sort(-lines, axis=1)
    excess = np.cumsum(sorted_lines, axis=1) - sums[:, np.newaxis]
    # The condition holds for the first ranks of a line, and for none after them.
    count = np.maximum((ranks * sorted_lines > excess).astype(np.int64).sum(axis=1), 1)
    last = np.take_along_axis(excess, count[:, np.newaxis] - 1, axis=1)
    shift = last // count[:, np.newaxis]
    return np.where(sums[:, np.newaxis] > 0, np.maximum(lines - shift, 0), 0)


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """Whole numbers with this sum in proportion to the weights, by largest remainders.

    Ties go to the first; without any weight all count alike.

    >>> apportion(10, [1, 1, 1]), apportion(3, [0, 0])
    ([4, 3, 3], [2, 1])
    """
    if total < 0 or any(weight < 0 for weight in weights) or (total and not len(weights)):
        raise InvalidArgument("Expected a total and weights of 0 or more, got others.")
    everything = sum(weights)
    if not everything:
        weights, everything = [1] * len(weights), len(weights)
    shares = [divmod(total * weight, everything) for weight in weights]
    parts = [quotient for quotient, _ in shares]
    order = sorted(range(len(parts)), key=lambda i: (-shares[i][1], i))
    for i in order[: total - sum(parts)]:
        parts[i] += 1
    return parts
