import math
from decimal import Decimal, localcontext

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deniable.population.bounds import gaussian_tails
from tests.oracles import real_sums as oracle


def ends(values, size):
    _, counts = np.unique(values, return_counts=True)
    return gaussian_tails(counts, size, np.arange(len(counts)))


def test_infinite_where_a_tail_tells():
    assert ends([0.0, 1.0, 2.0], 1)[0].tolist() == [np.inf] * 3


def test_a_record_that_ties_at_both_ends_is_hidden_in_the_tails():
    values = [0.0, 1.0, 1.0, 1.0, 2.0]
    lower, upper = ends(values, 2)
    assert lower[[0, 2]].tolist() == [np.inf, np.inf]
    inside, outside = oracle.subset_sums(values, 2, 1)
    tails = [
        abs(
            oracle.log_density(inside, t, 1.0, "gaussian")
            - oracle.log_density(outside, t, 1.0, "gaussian")
        )
        for t in (-60.0, 60.0)
    ]
    assert abs(lower[1] - max(tails)) < 1e-9
    assert upper[1] == np.inf


@given(st.integers(1, 40), st.integers(2, 80), st.integers(1, 40), st.integers(0, 157))
def test_the_limit_is_rounded_down_and_tight(before, same, after, start):
    """Against the logarithm of the rational ratio in 50 digits."""
    everyone = before + same + after
    size = start % (everyone - 1) + 1
    found = gaussian_tails(np.array([before, same, after]), size, np.array([1]))[0][0]
    taken = [size - beyond for beyond in (before, after)]
    if not all(0 < k < same for k in taken):
        assert found == math.inf
        return
    with localcontext() as context:
        context.prec = 50
        odds = [Decimal(k * (everyone - size)) / ((same - k) * size) for k in taken]
        exact = max(abs(ratio.ln()) for ratio in odds)
        assert Decimal(found) <= exact
        assert exact == found == 0 or exact < Decimal(math.nextafter(found, math.inf))
