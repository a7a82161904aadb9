import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.judge.identifiability import (
    extreme_posteriors,
    gamma,
    identifiability,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Identifiability
from deniable.priors.universe import Universe
from deniable.theorems.derive import derive
from tests.oracles import judge as brute


def test_three_worlds_and_two_of_them(pick):
    """Likelihoods 1, 1, 0: with all three ½; who has ruled one out is certain in the end."""
    assert dict(identifiability(pick)) == {2: 1.0, 3: 0.5}
    found = gamma(pick, rise=True)
    assert found.bound.upper == math.inf
    assert sorted(found.witness.prior.values()) == [0.5, 0.5]
    assert gamma(pick, rise=False).bound.upper == math.inf


def test_rivals_may_be_ruled_out():
    """A coin but for single members, who are asked whether they are a."""
    rows = np.full((16, 2), 0.5)
    rows[[1, 2, 4, 8]] = [[1, 0], [0, 1], [0, 1], [0, 1]]
    matrix = StochasticMatrix(Universe(tuple("abcd")), ("x", "y"), rows)
    assert dict(identifiability(matrix)) == {2: 1.0, 3: 1.0, 4: 1.0}


def test_a_judge_s_rho_gives_a_gamma_that_is_true():
    """Over every prior of 1-out-of-m, and attained: judge and catalogue mean one family."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        rows = rng.dirichlet([1, 1], size=16)
        matrix = StochasticMatrix(Universe(tuple("abcd")), ("x", "y"), rows)
        for worlds, rho in identifiability(matrix).items():
            wanted = f"positive-membership@one-of-{worlds}"
            claim = derive(Identifiability(rho, worlds), wanted).target.gamma
            priors = [p for p in brute.world_sets(4, range(5)) if np.count_nonzero(p) == worlds]
            exact = max(brute.gamma(rows, prior, positive=True) for prior in priors)
            assert claim == pytest.approx(exact, rel=1e-9)


def test_posteriors_are_rounded_up():
    rows = [[0.5, 0.5], [0.5, 0.5], [0.25, 0.75], [0.5, 0.5]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    found = identifiability(matrix)[2]
    assert Fraction(found) >= Fraction(2, 3) > Fraction(math.nextafter(found, 0))
    assert extreme_posteriors(matrix, largest=False)[2].value == Fraction(1, 3)


def test_a_known_rest_is_never_found_by_subtraction():
    rows = np.full((8, 2), np.nan)
    rows[[1, 2, 4]] = [[0.5, 0.5], [1e-20, 1 - 1e-20], [1e-20, 1 - 1e-20]]
    matrix = StochasticMatrix(Universe(("a", "b", "c")), ("x", "y"), rows)
    assert gamma(matrix, rise=True).bound.upper == pytest.approx(0.25 / 1e-20)
    surest = extreme_posteriors(matrix, largest=True)[3].value
    assert 1 - surest == Fraction(2e-20) / (Fraction(0.5) + Fraction(2e-20))


def test_a_useless_mechanism(constant):
    assert dict(identifiability(constant)) == {2: 0.5}
    assert gamma(constant, rise=True).bound.upper == gamma(constant, rise=False).bound.upper == 1.0


def test_nobody_to_choose_between(flip):
    assert dict(identifiability(flip)) == {}
    assert gamma(flip, rise=True) is None
    assert gamma(flip, rise=False) is None


def test_full_certainty():
    rows = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y", "z"), rows)
    assert dict(identifiability(matrix)) == {2: 1.0}
    assert gamma(matrix, rise=True).bound.upper == math.inf
