import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian
from deniable.population.whole_sums import gaussian
from deniable.population.whole_sums.laws import SumLaws


def test_reach():
    noise = DiscreteGaussian(3.0)
    assert noise.tail(gaussian.reach(noise, 1e-9)) <= 1e-9


@pytest.mark.parametrize("scale", [0.3, 4.0, 60.0])
def test_the_product_is_the_convolution(scale):
    rng, noise = np.random.default_rng(0), DiscreteGaussian(scale)
    law = rng.dirichlet(np.ones(90), (2, 3))
    nothing = np.full((2, 3), -np.inf)
    low, high = gaussian.noisy_law(
        SumLaws(np.log(law), np.log(law), nothing, nothing), noise, 1e-20
    )
    reach = gaussian.reach(noise, 1e-20)
    weights = noise.pmf(np.arange(-reach, reach + 1))
    for place in np.ndindex(2, 3):
        expected = np.convolve(law[place], weights)
        np.testing.assert_allclose(high[place], expected + 1e-20, rtol=1e-11)
        assert np.all(low[place] <= expected)
        assert np.all(expected <= high[place])
