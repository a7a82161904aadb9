"""Song, Wang, Chaudhuri, *Pufferfish privacy mechanisms for correlated data*, SIGMOD 2017.

Section 3: the Wasserstein mechanism and the flu clique. Section 4: Markov chains, for which the
sum is judged exactly.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.judge.correlation.sums import JointSum, MarkovSum
from deniable.judge.correlation.wasserstein import wasserstein_infinity, wasserstein_mechanism

SICK = [Fraction(share) for share in ("0.1", "0.15", "0.5", "0.15", "0.1")]
PEOPLE = 4


def given(flu):
    """The law of the number of sick people in the clique, given one person's flu."""
    chances = [share * Fraction(n if flu else PEOPLE - n, PEOPLE) for n, share in enumerate(SICK)]
    return {n: chance / sum(chances) for n, chance in enumerate(chances)}


def clique():
    """The joint law of everybody's flu; a number of sick people is spread evenly."""
    table = np.empty((2,) * PEOPLE)
    for states in itertools.product((0, 1), repeat=PEOPLE):
        n = sum(states)
        table[states] = float(SICK[n] / math.comb(PEOPLE, n))
    return table


def test_flu_clique_conditional_laws():
    assert [float(p) for p in given(False).values()] == [0.2, 0.225, 0.5, 0.075, 0.0]
    assert [float(p) for p in given(True).values()] == [0.0, 0.075, 0.5, 0.225, 0.2]


def test_flu_clique_wasserstein_distance_is_2():
    assert wasserstein_infinity(given(False), given(True)) == 2
    floats = [{n: float(p) for n, p in given(flu).items()} for flu in (False, True)]
    assert wasserstein_infinity(*floats) == 2


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_theorem_3_2_the_wasserstein_mechanism_keeps_to_epsilon(epsilon):
    noise = wasserstein_mechanism([(given(False), given(True))], epsilon)
    assert noise.scale == pytest.approx(2 / epsilon)
    for person in range(PEOPLE):
        leakage = JointSum(clique(), [[0, 1]] * PEOPLE, noise.scale).leakage(person).upper
        assert leakage <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_flu_clique_dp_is_too_weak_and_group_dp_too_strong(epsilon):
    def leakage(scale):
        return JointSum(clique(), [[0, 1]] * PEOPLE, scale).leakage(0).upper

    assert leakage(1 / epsilon) > epsilon
    assert leakage(PEOPLE / epsilon) < leakage(2 / epsilon) < epsilon
    # Even W/ε is more than these laws need: far out, two mixtures of exponentials are left.
    ends = [
        sum(float(p) * math.exp(n * epsilon / 2) for n, p in given(flu).items())
        for flu in (True, False)
    ]
    assert leakage(2 / epsilon) == pytest.approx(math.log(ends[0] / ends[1]), rel=1e-9)


def test_theorem_3_2_is_attained_by_certainty():
    """Two laws W apart all over: the whole ε is used."""
    noise = wasserstein_mechanism([({0: 1.0}, {2: 1.0})], 0.7)
    twins = JointSum([[0.5, 0.0], [0.0, 0.5]], [[0, 1], [0, 1]], noise.scale)
    assert twins.leakage(0).upper == pytest.approx(0.7)


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("stay", [0.5, 0.7, 0.95])
def test_markov_chains_the_wasserstein_mechanism_against_the_exact_leakage(n, stay):
    """Nothing is known but the chain: W∞ of the sum given X_i = 0 and 1, and its leakage."""
    step = [[stay, 1 - stay], [1 - stay, stay]]
    for record in range(n):
        laws = [{}, {}]
        for states in itertools.product((0, 1), repeat=n):
            chance = Fraction(1, 2)
            for here, there in itertools.pairwise(states):
                chance *= Fraction(str(stay)) if here == there else 1 - Fraction(str(stay))
            law = laws[states[record]]
            law[sum(states)] = law.get(sum(states), 0) + 2 * chance
        noise = wasserstein_mechanism([(laws[0], laws[1])], 1.0)
        chain = MarkovSum.homogeneous([0.5, 0.5], step, [0, 1], noise.scale, n)
        assert chain.leakage(record).upper <= 1 + 1e-9
        if stay == 0.5:
            assert noise.scale == 1.0
