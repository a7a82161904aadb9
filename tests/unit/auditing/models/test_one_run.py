"""One training run: the theorem's numbers, and what it does not hold of."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from deniable.auditing.models import fixed_guesses, one_run_limit, one_run_p_value
from deniable.errors import InvalidArgument


def formula(m, r, v, epsilon, delta):
    """As it is written, one term after the other."""
    q = np.exp(epsilon) / (1 + np.exp(epsilon))
    f = [binom.sf(k - 1, r, q) for k in range(v + 1)]
    worst = max([0.0, *((f[v - i] - f[v]) / i for i in range(1, v + 1))])
    return min(f[v] + 2 * m * delta * worst, 1.0)


@pytest.mark.parametrize(
    ("m", "r", "v", "epsilon", "delta"),
    [(100, 40, 34, 1.0, 1e-4), (10, 10, 10, 0.0, 0.01), (50, 20, 0, 2.0, 0.1), (9, 3, 2, 0.3, 0.0)],
)
def test_the_p_value_is_the_formula_rounded_up(m, r, v, epsilon, delta):
    found, expected = one_run_p_value(m, r, v, epsilon, delta), formula(m, r, v, epsilon, delta)
    assert expected <= found <= expected * (1 + 1e-8)


def test_numbers_of_another_program():
    """jax-privacy 2.0.0, `_epsilon_one_run` with 1,000 canaries, 400 guesses, 390 right."""
    limits = [one_run_limit(1000, 400, 390, delta=delta) for delta in (0.0, 1e-5)]
    assert limits == pytest.approx([3.126270275, 3.122203848], abs=1e-6)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3, 0.05])
def test_every_epsilon_below_the_limit_is_refuted_and_those_just_above_are_not(delta):
    limit = one_run_limit(500, 200, 180, delta=delta)
    below = np.linspace(0, limit, 60) * (1 - 1e-9)
    assert all(one_run_p_value(500, 200, 180, e, delta) <= 0.05 for e in below) or limit == 0
    assert one_run_p_value(500, 200, 180, limit + 1e-6, delta) > 0.05


@pytest.mark.parametrize(("m", "r", "v"), [(3, 4, 2), (3, 2, 3), (0, 0, 0), (5, -1, 0)])
def test_counts_that_do_not_belong_together_are_refused(m, r, v):
    for question in (lambda: one_run_limit(m, r, v), lambda: one_run_p_value(m, r, v, 1.0)):
        with pytest.raises(InvalidArgument):
            question()


def test_the_number_of_guesses_does_not_depend_on_scores_or_ties():
    for scores in (np.zeros(9), np.arange(9.0), np.array([np.inf] * 4 + [-np.inf] * 5)):
        guesses = fixed_guesses(scores, 3)
        assert ((guesses == 1).sum(), (guesses == -1).sum()) == (3, 3)


@pytest.mark.parametrize("each", [0, 5])
def test_more_guesses_than_records_are_refused(each):
    with pytest.raises(InvalidArgument):
        fixed_guesses(np.zeros(9), each)


def test_randomised_response_raises_no_more_false_alarms_than_it_may():
    """All rights of 12 bits, exactly: the chance that the limit passes the true ε, which is 1."""
    q, delta = np.exp(1) / (1 + np.exp(1)), 0.1
    for share in (0.0, delta):
        right = share + (1 - share) * q  # a bit is revealed with probability δ
        wrong = sum(
            binom.pmf(v, 12, right)
            for v in range(13)
            if one_run_limit(12, 12, v, delta=share) > 1.0
        )
        assert wrong <= 0.05


def test_population_privacy_is_accused_in_as_many_runs_as_its_epsilon_says():
    """Publish the members of a sample of half of the people with probability ρ, others else.

    Given the output everybody is a member with probability (1 ± ρ)/2, so ε̃ = ln((1+ρ)/(1−ρ)),
    by enumeration; but with probability ρ all guesses are right together.
    """
    rho, people = 0.74, 40
    truth = np.log((1 + rho) / (1 - rho))
    samples = [s for s in product([0, 1], repeat=6) if sum(s) == 3]
    law = {(s, o): rho * (s == o) + (1 - rho) / 20 for s in samples for o in samples}
    for output in samples:
        likelihood = [np.mean([law[s, output] for s in samples if s[0] == bit]) for bit in (0, 1)]
        assert abs(np.log(likelihood[1] / likelihood[0])) <= truth + 1e-12
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(400):
        sample, other = (rng.permutation(people) < people // 2 for _ in range(2))
        output = sample if rng.random() < rho else other
        alarms += one_run_limit(people, people, int((output == sample).sum())) > truth
    assert 0.65 < alarms / 400 < 0.83  # binomial, 400 draws of 0.74: 4 standard deviations
