import numpy as np
import pytest
from scipy.integrate import quad

from deniable.population.real_sums.tilt import TiltedKernel, exponential_tilt, piece
from tests.oracles import real_sums as brute


@pytest.mark.parametrize("tilt", [-0.9, 0.0, 0.6])
def test_kernels_bracket_the_laplace_density(tilt):
    kernel = TiltedKernel(tilt, 0.3)
    theta = np.linspace(-60, 60, 120_001)
    step = theta[1] - theta[0]
    for u in (-1.0, -0.1, 0.0, 0.2, 2.0):
        waves = np.exp(-1j * theta * u) * step / (2 * np.pi)
        low = float((kernel.lower(theta) * waves).sum().real)
        high = low + float((kernel.bump(theta) * waves).sum().real)
        assert low - 1e-9 <= np.exp(tilt * u - abs(u)) / 2 <= high + 1e-9
    envelope = np.exp(kernel.log_characteristic(np.abs(theta)))
    assert np.all(np.abs(kernel.lower(theta)) + np.abs(kernel.bump(theta)) <= envelope * (1 + 1e-9))


def test_moments_of_the_tilted_kernel():
    kernel = TiltedKernel(0.5, 0.1)
    both = 0.7
    exactly = quad(lambda u: np.exp(both * u - abs(u)) / 2, -60, 60, points=[0])[0]
    assert kernel.log_moment(0.2) >= np.log(exactly)
    assert kernel.log_moment(0.5) == np.inf
    assert (kernel.limit(1), kernel.limit(-1)) == (0.5, 1.5)


def test_odds_are_tilted_and_n_expected(small):
    tilted, log_odds = exponential_tilt(small, 0.8)
    odds = np.log(tilted.rates / (1 - tilted.rates))
    assert odds == pytest.approx(log_odds + 0.8 * small.values)
    assert tilted.total(tilted.rates) == pytest.approx(3)


@pytest.mark.parametrize("tilt", [-0.7, 0.0, 0.5])
def test_a_piece_encloses_the_densities(small, tilt):
    numbers = np.repeat(small.values, small.counts).tolist()
    found = piece(small, np.array([0, 4]), tilt, 0.05, 0.25)
    for row, record in enumerate((0, 6)):
        inside, outside = brute.subset_sums(numbers, 3, record)
        columns = np.linspace(0, found.inside[0].shape[1] - 1, 7).astype(int)
        constants = []
        for column in columns:
            t = 0.25 * (found.first + column)
            for ends, sums in ((found.inside, inside), (found.outside, outside)):
                exactly = brute.log_density(sums, t, 1.0, "laplace")
                constants.append((ends[0][row, column] - exactly, ends[1][row, column] - exactly))
        low, high = np.array(constants).T
        assert low.max() <= high.min()  # one constant fits them all
        assert np.median(high - low) < 0.1
