"""What the sums of losses take for granted of float64, against ball arithmetic."""

import numpy as np
from flint import arb, ctx

from deniable.training.noisy_gradients import sums


def test_exp_and_expm1_are_as_exact_as_is_counted():
    ctx.prec = 128
    points = np.concatenate([-np.geomspace(1e-12, 700, 4000), np.linspace(-40, 0, 4001)])
    for function, exact in ((np.exp, arb.exp), (np.expm1, arb.expm1)):
        for x, found in zip(points.tolist(), function(points).tolist(), strict=True):
            truth = exact(arb(x))
            assert abs(arb(found) - truth) <= abs(truth) * arb(sums._FUNCTION)
