import math

import numpy as np
import pytest

from deniable.population.vector_sums.threshold_attack import ThresholdAttack

MU = 1.2


def normal_worlds(seed, n_draws):
    """Scores N(±μ/2, 1) with their exact ln ratios."""
    noise = np.random.default_rng(seed).standard_normal((2, n_draws))
    scores = noise[0] + MU / 2, noise[1] - MU / 2
    return tuple(MU * each for each in scores), scores


def advantage(cut, epsilon):
    def tail(t):
        return math.erfc(t / math.sqrt(2)) / 2

    return tail(cut - MU / 2) - math.exp(epsilon) * tail(cut + MU / 2)


def from_pilot(sign, seed=0, precision=0.05):
    ratios, scores = normal_worlds(seed, 3000)
    if sign < 0:
        ratios, scores = tuple(-r for r in ratios[::-1]), tuple(-s for s in scores[::-1])
    return ThresholdAttack.from_pilot(ratios, scores, sign, 0.02, precision)


@pytest.mark.parametrize("epsilon", [0.0, 0.7, 1.5])
def test_gains_have_the_advantage_as_their_mean(epsilon):
    attack, n_draws = from_pilot(1.0), 40_000
    gains = attack.gains(*normal_worlds(5, n_draws), epsilon)
    exact = advantage(attack.cut, epsilon)
    assert abs(gains.mean() - exact) < 6.2 * gains.std() / math.sqrt(n_draws)  # false alarm 1e-9
    assert gains.min() >= -2 * math.exp(epsilon)
    assert gains.max() <= 2


def test_the_lower_end_is_near_and_below_what_the_attack_refutes():
    attack = from_pilot(1.0)
    found = attack.lower_limit(*normal_worlds(6, 40_000), 1e-9)
    low, high = 0.0, 5.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if advantage(attack.cut, middle) > 0.02 else (low, middle)
    assert 0.75 * low < found < low


def test_the_other_direction_is_the_mirror_image():
    there, back = from_pilot(1.0), from_pilot(-1.0)
    assert back.cut == pytest.approx(there.cut)
    assert back.stakes == pytest.approx(there.stakes)


def test_no_bet_can_go_broke():
    attack = from_pilot(1.0, precision=5.0)
    worst = 2 * math.exp(attack.most) + attack.delta
    assert all(stake * worst < 1 for stake in attack.stakes)
    assert sum(attack.weights) == pytest.approx(1)


def test_never_more_than_it_was_planned_for():
    attack = from_pilot(1.0)
    ratios = (np.full(5000, 50.0), np.full(5000, -50.0))
    scores = (np.full(5000, 9.0), np.full(5000, -9.0))
    assert attack.lower_limit(ratios, scores, 0.05) == pytest.approx(attack.most)


def test_no_draws_refute_nothing():
    nothing = (np.empty(0), np.empty(0))
    assert from_pilot(1.0).lower_limit(nothing, nothing, 0.05) == 0.0
