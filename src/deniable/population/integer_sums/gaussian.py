"""Subset sums under discrete Gaussian noise: one matrix product of non-negative numbers."""

import math

import numpy as np

from deniable.mechanisms import DiscreteGaussian
from deniable.numerics.rounding import UNIT
from deniable.numerics.time_limit import check
from deniable.population.integer_sums.laws import TINY, Floats, SumLaws

_LEAST_BLOCK = 64
"""Outputs in one product; a third of the width wastes least, fewer than these waste the caches."""
_MOST_ENTRIES = 2**26
"""Of the banded matrix: half a gigabyte."""
_AT_ONCE = 2**29
"""Multiply-adds between two looks at the time limit: half a second."""


def reach(noise: DiscreteGaussian, outside: float) -> int:
    """A whole k with Pr[|X| > k] <= outside, by Pr[X >= t] <= e^(−t²/2σ²).

    canonne-kamath-steinke-2020 has the tail.
    """
    return math.ceil(noise.scale * math.sqrt(2 * math.log(2 / outside)) * (1 + 1e-9))


def noisy_law(laws: SumLaws, noise: DiscreteGaussian, outside: float) -> tuple[Floats, Floats]:
    """Enclosure of Pr[S + X = t] for t up to `reach` beyond the columns.

    Shape (2, n_targets, n_sums + 2 reach) each. Noise beyond `reach` adds at most `outside` to a
    probability, which the high end contains, and the low end goes without.
    """
    farthest = reach(noise, outside)
    weights = noise.pmf(np.arange(-farthest, farthest + 1))
    low, high = (_product(np.exp(logs), weights) for logs in (laws.low, laws.high))
    # e^x for x down to −750; k²/2σ² and its exponential; a dot product of non-negative numbers.
    largest = (farthest / noise.scale) ** 2
    error = UNIT * (60 + 4 * min(largest, 1500.0) + 2 * len(weights))
    return np.maximum(low * (1 - error) - TINY, 0.0), high * (1 + error) + outside + TINY


def _product(law: Floats, weights: Floats) -> Floats:
    """The full convolution along the last axis, as a product with a banded matrix."""
    rows = law.reshape(-1, law.shape[-1])
    width, length = len(weights), law.shape[-1] + len(weights) - 1
    block = min(max(width // 3, _LEAST_BLOCK), max(_MOST_ENTRIES // width, 1))
    # Windows of the law times a matrix whose columns are the noise, each one step lower.
    blocks = -(-length // block)
    padded = np.zeros((len(rows), blocks * block + width - 1))
    padded[:, width - 1 : width - 1 + rows.shape[1]] = rows
    windows = np.lib.stride_tricks.sliding_window_view(padded, block + width - 1, axis=1)
    banded = np.zeros((block + width - 1, block))
    for at in range(block):
        banded[at : at + width, at] = weights[::-1]
    result = np.empty((len(rows), blocks, block))
    at_once = max(_AT_ONCE // (len(rows) * banded.size), 1)
    for first in range(0, blocks, at_once):
        check()
        some = np.ascontiguousarray(windows[:, first * block : (first + at_once) * block : block])
        product = some.reshape(-1, len(banded)) @ banded
        result[:, first : first + at_once] = product.reshape(len(rows), -1, block)
    return np.asarray(result.reshape(*law.shape[:-1], -1)[..., :length])
