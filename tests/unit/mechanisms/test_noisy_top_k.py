import itertools
import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import NoisyTopK
from tests.cases.refusals import refuses


def permute_and_flip(scores, scale):
    """Algorithm 1 of mckenna-2020, over every permutation."""
    law = [0.0] * len(scores)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        reached = 1 / len(orders)
        for i in order:
            heads = math.exp((scores[i] - max(scores)) / scale)
            law[i] += reached * heads
            reached *= 1 - heads
    return law


@pytest.mark.parametrize("scores", [[0], [0, -3], [5, 5, 5], [-7, 0, -1, -2], [3, 1, 4, 1, 5, 9]])
@pytest.mark.parametrize("scale", [0.3, 1.0, 10.0])
def test_one_round_of_exponential_noise_is_permute_and_flip(scores, scale):
    law = NoisyTopK(scale, 1, "exponential").round_law(scores)
    assert law == pytest.approx(permute_and_flip(scores, scale), abs=1e-14)


def test_rounds_are_peeled():
    select = NoisyTopK(1.0, 2, "exponential")
    scores = [0, -1, -1]
    first, then = permute_and_flip(scores, 1.0), permute_and_flip([0, -1], 1.0)
    assert select.law(scores)[1, 0] == pytest.approx(first[1] * then[0])
    assert select.law(scores)[1, 2] == pytest.approx(first[1] * then[1])


def test_gumbel_is_the_exponential_mechanism():
    law = NoisyTopK(2.0, 2, "gumbel").law([0, -2, -4])
    q = [1, math.exp(-1), math.exp(-2)]
    assert law[1, 2] == pytest.approx(q[1] / sum(q) * q[2] / (q[0] + q[2]))
    assert math.fsum(law.values()) == pytest.approx(1)


def test_a_thousand_candidates_and_far_scores():
    scores = -np.abs(np.arange(1001) - 300) * 10**15
    for noise in ("exponential", "gumbel"):
        law = NoisyTopK(10.0, 1, noise).round_law(scores)
        assert law.sum() == pytest.approx(1)
        assert law[300] == pytest.approx(1)
        even = NoisyTopK(10.0, 1, noise).round_law(np.zeros(1001))
        assert even == pytest.approx(np.full(1001, 1 / 1001))
    large = NoisyTopK(1.0, 1, "gumbel").round_law(np.array([2**62, 2**62 - 1]))
    assert large[1] == pytest.approx(1 / (1 + math.e))
    assert NoisyTopK(1.0, 1, "gumbel").log_prob([0, -(10**6)], [1]) == -math.inf


def test_guarantees():
    exponential, gumbel = NoisyTopK(4.0, 3, "exponential"), NoisyTopK(4.0, 3, "gumbel")
    assert exponential.epsilon(2, monotone=True) == 1.5
    assert exponential.epsilon(2, monotone=False) == 3.0
    assert exponential.rho(2, monotone=True) == 0.375
    assert gumbel.epsilon(2, monotone=False) == 3.0
    assert gumbel.rho(2, monotone=True) == 0.09375
    assert gumbel.rho(2, monotone=False) == 0.375


def test_score_gap_at_its_edges():
    for noise in ("exponential", "gumbel"):
        assert NoisyTopK(4.0, 3, noise).score_gap(3, 0.95) == 0.0
        assert NoisyTopK(4.0, 1, noise).score_gap(2, 0.4) == 0.0
    # Two candidates: exponential noise errs with q/2, Gumbel noise with q/(1 + q).
    assert NoisyTopK(1.0, 1, "exponential").score_gap(2, 0.95) == pytest.approx(math.log(10))
    assert NoisyTopK(1.0, 1, "gumbel").score_gap(2, 0.95) == pytest.approx(math.log(19))
    for noise in ("exponential", "gumbel"):
        gap = NoisyTopK(1e-3, 500, noise).score_gap(100_000, 1 - 2**-53)
        assert gap == pytest.approx(1e-3 * math.log(500 * 100_000 * 2**53), rel=0.03)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((0.0, 1, "gumbel"), "not-above-0: scale"),
        ((1.0, 0, "gumbel"), "below-least: number | 1 | number=0"),
        ((1.0, 1.5, "gumbel"), "not-whole"),
        ((1.0, 1, "laplace"), "not-one-of: noise | exponential, gumbel | 'laplace'"),
    ],
)
def test_parameters_are_checked(arguments, match):
    with refuses(InvalidArgument, match):
        NoisyTopK(*arguments)


def test_too_few_candidates_are_refused():
    select = NoisyTopK(1.0, 3, "gumbel")
    for call in (
        lambda: select.law([0, 1]),
        lambda: select.log_prob([0, 1], [0, 1]),
        lambda: select.score_gap(2, 0.95),
    ):
        with refuses(InvalidArgument, "at-least-number-candidates: 3 | 2"):
            call()
    with refuses(InvalidArgument, "below-least: sensitivity | 0"):
        select.rho(-1, monotone=True)


def test_is_a_value_with_a_name():
    assert NoisyTopK(1, 2, "gumbel") == NoisyTopK(1.0, 2, "gumbel")
    assert NoisyTopK(1, 2, "gumbel").name == "noisy-top-k-gumbel"
    assert NoisyTopK(1, 2, "exponential").name == "noisy-top-k-exponential"
