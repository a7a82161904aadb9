"""Lee, Clifton, *Differential identifiability*, KDD 2012: what calibration rests on."""

import math
from fractions import Fraction
from statistics import mean, median

import numpy as np
import pytest

from deniable import calibrate
from deniable.errors import InfeasibleTarget
from deniable.notions import PureDP
from deniable.theorems.identifiability import replace_one_dp_to_identifiability
from tests.cases.refusals import refuses


def test_theorem_1():
    """ρ = 1/(1 + (m − 1) e^−ε), and back."""
    for worlds in (2, 8, 1000):
        for epsilon in (0.1, 1.0, 5.0):
            rho = replace_one_dp_to_identifiability(PureDP(epsilon), worlds).rho
            assert rho == pytest.approx(1 / (1 + (worlds - 1) * math.exp(-epsilon)))
            assert calibrate(identifiability=rho, worlds=worlds).epsilon == pytest.approx(epsilon)


def test_below_one_world_in_m_nothing_helps():
    for rho in (1 / 8, 0.1):
        with refuses(InfeasibleTarget, "guessing-among-worlds-already-succeeds"):
            calibrate(identifiability=rho, worlds=8)


def gamma_of(rho, worlds):
    """ρ-DI as positive membership privacy under 1-out-of-m."""
    return max(worlds * rho, (worlds - 1) / (worlds * (1 - rho)))


def rho_of(gamma, worlds):
    return min(gamma / worlds, 1 - (1 - Fraction(1, worlds)) / gamma)


@pytest.mark.parametrize(
    ("worlds", "rho", "gamma"), [(2, "9/10", 5), (8, "3/10", "12/5"), (8, "9/10", "35/4")]
)
def test_identifiability_is_positive_membership_among_m_worlds(worlds, rho, gamma):
    rho, gamma = Fraction(rho), Fraction(gamma)
    assert gamma_of(rho, worlds) == gamma
    assert rho_of(gamma, worlds) == rho
    # The same γ comes out of ε and Theorem 2 of tramer-2015 at prior 1/m.
    epsilon = calibrate(identifiability=float(rho), worlds=worlds).epsilon
    prior = Fraction(1, worlds)
    e = (worlds - 1) * rho / (1 - rho)
    assert math.log(e) == pytest.approx(epsilon, rel=1e-12)
    assert max((e - 1) * prior + 1, e / ((e - 1) * prior + 1)) == gamma


def laplace(distance, scale):
    return np.exp(-np.abs(distance) / scale) / (2 * scale)


def test_first_example():
    """T' = {1, 2, 3} in U = {1, 2, 3, 4, 5, 10}, mean, ε = 2, S = 9/4, output 5.041."""
    worlds = [mean([1, 2, 3, other]) for other in (4, 5, 10)]
    scale = (9 / 4) / 2
    densities = laplace(5.041 - np.array(worlds), scale)
    assert densities == pytest.approx([0.0464, 0.0580, 0.1762], abs=5e-5)
    confidence = densities.max() / densities.sum()
    assert confidence == pytest.approx(0.6278, abs=5e-5)
    assert confidence <= replace_one_dp_to_identifiability(PureDP(2.0), 3).rho


@pytest.mark.parametrize(
    ("statistic", "sensitivity", "scale", "risk"),
    [(mean, 8 / 3, 2.128628, 0.229438), (median, 1, 1 / math.log(3.5), 1 / 3)],
)
def test_second_example(statistic, sensitivity, scale, risk):
    """U = {1 … 10}, D = {1, 2, 3}, T' = {1, 3}, m = 8, ρ = 1/3, output 2.

    S is the range over this world set; the world set of {2, 3} has 3 for the mean.
    """
    worlds = np.array([statistic([1, 3, other]) for other in (2, *range(4, 11))])
    assert np.ptp(worlds) == pytest.approx(sensitivity)
    found = sensitivity / calibrate(identifiability=1 / 3, worlds=8).epsilon
    assert found == pytest.approx(scale, abs=5e-7)
    densities = laplace(2.0 - worlds, found)
    assert densities[0] / densities.sum() == pytest.approx(risk, abs=5e-7)
    if statistic is mean:
        others = [mean([2, 3, other]) for other in (1, *range(4, 11))]
        assert np.ptp(others) == pytest.approx(3)


def test_identifiability_by_brute_force():
    """No world's posterior passes ρ for noise calibrated to ρ, wherever the output falls."""
    worlds = np.array([mean([1, 3, other]) for other in (2, *range(4, 11))], dtype=float)
    scale = np.ptp(worlds) / calibrate(identifiability=0.4, worlds=8).epsilon
    outputs = np.linspace(-20, 30, 5001)
    densities = laplace(outputs[:, None] - worlds, scale)
    found = (densities / densities.sum(axis=1, keepdims=True)).max()
    assert found <= 0.4
