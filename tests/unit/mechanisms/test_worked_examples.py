"""Numbers of functions that mechanisms share."""

import numpy as np

from deniable.mechanisms.continual_counts import estimate, half_widths, measure, total_weights
from deniable.pipeline.noise.gaussian import DiscreteGaussian


def test_continual_counts():
    assert measure(np.array([[1], [0], [2]])).tolist() == [[1048576], [419430], [2390753]]
    counts, totals = estimate(measure(np.array([[1], [0], [2]])))
    assert (counts.round(9).T.tolist(), totals.round(9).T.tolist()) == (
        [[1.0, 0.0, 2.0]],
        [[1.0, 1.0, 3.0]],
    )
    noise = DiscreteGaussian(2.0**20)
    assert [round(each, 3) for each in half_widths(noise, total_weights(3), 0.95)] == [
        1.96,
        2.286,
        2.472,
    ]
