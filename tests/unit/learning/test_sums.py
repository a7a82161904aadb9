"""What the sums of losses take for granted of float64, against ball arithmetic."""

import math

import numpy as np
from flint import acb, arb, ctx

from deniable.learning import sums


def test_exp_and_expm1_are_as_exact_as_is_counted():
    ctx.prec = 128
    points = np.concatenate([-np.geomspace(1e-12, 700, 4000), np.linspace(-40, 0, 4001)])
    for function, exact in ((np.exp, arb.exp), (np.expm1, arb.expm1)):
        for x, found in zip(points.tolist(), function(points).tolist(), strict=True):
            truth = exact(arb(x))
            assert abs(arb(found) - truth) <= abs(truth) * arb(sums._FUNCTION)


def test_a_transform_is_as_exact_as_is_counted():
    ctx.prec = 128
    points = 128
    rng = np.random.default_rng(3)
    roots = [acb(0, -2 * arb.pi() * k / points).exp() for k in range(points)]
    for masses in (rng.random(points), rng.random(points) ** 30, np.eye(points)[5]):
        found = np.fft.rfft(masses)
        wrong = 0.0
        for k, value in enumerate(found):
            truth = sum(
                (acb(float(a)) * roots[j * k % points] for j, a in enumerate(masses)), acb(0)
            )
            gap = acb(float(value.real), float(value.imag)) - truth
            wrong += float(abs(gap)) ** 2
        stages = sums._BUTTERFLY * math.log2(points)
        counted = stages * math.sqrt(points) * np.linalg.norm(masses)
        assert math.sqrt(2 * wrong) <= counted
