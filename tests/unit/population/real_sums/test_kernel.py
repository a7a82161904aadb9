import math

import numpy as np
import pytest
from scipy.integrate import quad

from deniable.population.real_sums.kernel import Kernel


def test_normal_and_laplace_transforms():
    density = Kernel(0.0001, 2.0)
    for theta in (0.0, 0.3, 2.0):
        exactly = 2 * quad(lambda u, t=theta: math.cos(t * u) * math.exp(-u / 2) / 4, 0, 80)[0]
        assert math.exp(density.log_characteristic(np.array(theta))) == pytest.approx(exactly)
    assert Kernel(2.0).log_characteristic(np.array(0.5)) == pytest.approx(-0.5)


def test_moments_end_where_the_tail_is_too_heavy():
    assert Kernel(1.0, 0.5).log_moment(1.0) == pytest.approx(0.5 - math.log(0.75))
    assert Kernel(1.0, 0.5).log_moment(2.0) == math.inf
    assert Kernel(1.0, 0.5).limit(1) == 2.0
    assert Kernel(1.0).limit(-1) == math.inf


def test_what_lies_beyond_the_cutoff():
    kernel, step = Kernel(1.0), 0.1
    theta = kernel.cutoff(8.0)
    rest = np.exp(2 * kernel.log_characteristic(np.arange(math.ceil(theta / step), 900) * step))
    assert kernel.log_characteristic(np.array(theta)) == pytest.approx(-8.0)
    assert rest.sum() - rest[0] <= kernel.beyond(theta, step) <= 3 * rest.sum()
