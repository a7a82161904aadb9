import math

import numpy as np
import pytest

from deniable.population.whole_sums.hypergeometric import TiltedCounts, tilted_counts


@pytest.mark.parametrize("tilt", [0.0, 0.4, -3.0, 150.0, -150.0])
@pytest.mark.parametrize(("ones", "population", "size"), [(30, 90, 40), (3, 9, 8), (80, 90, 20)])
def test_sums_against_binomials(tilt, ones, population, size):
    counts = tilted_counts(ones, population, size, tilt)
    support = range(max(0, size - population + ones), min(ones, size) + 1)
    logs = [
        math.log(math.comb(ones, y) * math.comb(population - ones, size - y)) + tilt * y
        for y in support
    ]
    peak = max(logs)
    weights = [math.exp(log - peak) for log in logs]
    for factor in (lambda y: y * 1.0, lambda y: y * 0 + 2.0):
        low, high = counts.log_sum(factor(counts.counts))
        truth = math.fsum(w * factor(y) for w, y in zip(weights, support, strict=True))
        assert low - 1e-12 <= math.log(truth) <= high + 1e-12
        assert high - low < 1e-11


def test_windows_of_large_populations():
    counts = tilted_counts(10**9, 3 * 10**9, 10**9, 0.0)
    middle = counts.counts[np.argmax(counts.logs)]
    assert abs(middle - 10**9 / 3) < 2
    assert len(counts.counts) < 10**6
    assert max(counts.below.log, counts.above.log) < math.log(1e-30)


def test_one_count():
    low, high = TiltedCounts.at(3).log_sum(np.array([5.0]))
    assert low <= math.log(5) <= high
    assert TiltedCounts.at(3).log_sum(np.array([0.0])) == (-math.inf, math.inf)
