import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import InvalidArgument
from deniable.population.answer.success import attack_success, bayes_success, optimal_success
from tests.oracles import population as brute

epsilons = st.floats(0, 8)
chances = st.floats(0, 1)


@given(epsilons, chances)
def test_prior_one_half_is_lemma_6(epsilon, delta):
    expected = (math.exp(epsilon) + delta) / (math.exp(epsilon) + 1)
    assert attack_success(epsilon, delta) == pytest.approx(expected, rel=1e-14)
    assert bayes_success(epsilon, delta, 0.5) == pytest.approx(max(expected, (1 + delta) / 2))


@given(epsilons, chances, chances)
def test_no_pair_of_rates_that_the_guarantee_allows_does_better(epsilon, delta, prior):
    most = math.exp(epsilon)
    fpr = np.linspace(0, 1, 20_001)
    # The largest TPR with TPR <= e^ε FPR + δ and 1 − FPR <= e^ε (1 − TPR) + δ.
    tpr = np.minimum(np.minimum(most * fpr + delta, 1.0), 1 - (1 - fpr - delta) / most)
    reached = (prior * tpr + (1 - prior) * (1 - fpr)).max()
    found = bayes_success(epsilon, delta, prior)
    assert reached <= found + 1e-12
    assert reached >= found - 1e-3  # the grid passes the corner by


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=5), chances)
def test_no_attacker_on_two_laws_does_better_than_their_epsilon_allows(weights, prior):
    p, q = (np.array(each) / sum(each) for each in zip(*weights, strict=True))
    for delta in (0.0, 0.05):
        epsilon = brute.smallest_epsilon(p, q, delta, 1.0) if delta else abs(np.log(p / q)).max()
        reached = brute.best_success(p, q, prior)
        assert reached <= bayes_success(float(epsilon) + 1e-9, delta, prior) + 1e-12


def test_three_outputs_attain_it():
    epsilon, delta, prior = 1.0, 0.1, 0.4
    share = (1 - delta) / (1 + math.exp(epsilon))
    p = [delta, (1 - delta) - share, share, 0.0]
    q = [0.0, share, (1 - delta) - share, delta]
    found = bayes_success(epsilon, delta, prior)
    assert brute.best_success(p, q, prior) == pytest.approx(found)


def test_guessing_by_the_prior_is_always_possible():
    assert bayes_success(0.0, 0.0, 0.01) == pytest.approx(0.99)
    assert bayes_success(0.0, 0.0, 0.75) == 0.75
    assert bayes_success(math.inf, 0.0, 0.3) == attack_success(math.inf, 0.0) == 1.0
    assert bayes_success(0.0, 1.0, 0.3) == 1.0


@pytest.mark.parametrize(("delta", "prior"), [(-0.1, 0.5), (1.1, 0.5), (0.1, -0.1), (0.1, 1.1)])
def test_out_of_range(delta, prior):
    with pytest.raises(InvalidArgument):
        bayes_success(1.0, delta, prior)


def test_the_best_attacker_by_all_decision_rules():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.ones(4), 3)
    best = 0.0
    for record in range(3):
        for rule in range(16):
            says_in = np.array([rule >> w & 1 for w in range(4)], dtype=bool)
            right = 0.3 * p[record, says_in].sum() + 0.7 * q[record, ~says_in].sum()
            best = max(best, right)
    assert optimal_success(np.log(p), np.log(q), 0.3, 0.0) == pytest.approx(best, rel=1e-12)
    assert optimal_success(np.log(p), np.log(q), 0.3, 0.1) == pytest.approx(best * math.exp(0.1))
    assert optimal_success(np.log(p), np.log(q), 0.3, 9.0) == 1.0
