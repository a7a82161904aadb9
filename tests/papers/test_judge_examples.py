"""Examples of several papers, put to the judge: composition, correlation, identifiability.

li-2013, lee-clifton-2012, tramer-2015, yang-2015.
"""

import itertools
import math
from statistics import mean, median

import numpy as np
import pytest

from deniable.judge.bounded_priors import gamma as bounded_here
from deniable.judge.differential import Ratios, add_remove, replace_one_epsilon
from deniable.judge.identifiability import identifiability
from deniable.judge.membership import (
    negative_gamma,
    positive_gamma,
    positive_gamma_here,
)
from deniable.judge.semantic import bayesian_dp
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import PureDP
from deniable.priors import GroupedPrior, TablePrior, UniformPrior
from deniable.priors.families import (
    BoundedSizeConditionedPriors,
    OneOutOfAnyPriors,
    ProductPriors,
    SinglePriors,
    SizeConditionedPriors,
    UniformPriors,
)
from deniable.priors.universe import Universe, subsets
from deniable.theorems.identifiability import replace_one_dp_to_identifiability


def released(n, value, outputs):
    """A mechanism that publishes a value of the memberships as it is."""
    known = [str(o) for o in outputs]
    rows = [[float(str(value(members)) == o) for o in known] for members in subsets(n)]
    return StochasticMatrix(Universe(tuple(f"x{i}" for i in range(1, n + 1))), known, rows)


def both(one, other):
    """Two mechanisms on the same data, with independent randomness."""
    pairs = list(itertools.product(range(len(one.outputs)), range(len(other.outputs))))
    rows = [[one.rows[r, i] * other.rows[r, j] for i, j in pairs] for r in range(len(one.rows))]
    return StochasticMatrix(one.universe, [f"{i},{j}" for i, j in pairs], rows)


def test_composition_fails_for_the_uninformed_adversary():
    """Ours: x1⊕x2⊕x3 and x2⊕x3 are (D_N, 1)-PMP each and reveal x1 together."""
    first = released(3, lambda t: int(t[0] ^ t[1] ^ t[2]), [0, 1])
    second = released(3, lambda t: int(t[1] ^ t[2]), [0, 1])
    assert positive_gamma(first, UniformPriors()) == positive_gamma(second, UniformPriors()) == 1.0
    found = positive_gamma_here(both(first, second), UniformPriors())
    assert found.bound.upper == math.inf
    assert found.witness.entity == "x1"


def test_composition_holds_for_independent_adversaries():
    rng = np.random.default_rng(7)
    for _ in range(20):
        parts = [
            StochasticMatrix(Universe(("a", "b", "c")), ("0", "1"), rng.dirichlet([1, 1], size=8))
            for _ in range(2)
        ]
        together = both(*parts)
        for family in (ProductPriors(), SizeConditionedPriors()):
            product = math.prod(positive_gamma(part, family) for part in parts)
            assert positive_gamma(together, family) <= product * (1 + 1e-12)
        epsilons = [add_remove(Ratios(part)).epsilon for part in parts]
        assert add_remove(Ratios(together)).epsilon <= sum(epsilons) * (1 + 1e-12)


def count_with_noise(k, epsilon, reach):
    """The number of members with two-sided geometric noise, cut off by post-processing."""
    steps = np.arange(-reach, k + reach + 1)
    alpha = math.exp(-epsilon)
    rows = []
    for members in subsets(k):
        law = (1 - alpha) / (1 + alpha) * alpha ** np.abs(steps - members.sum())
        law[0] += alpha ** (members.sum() + reach + 1) / (1 + alpha)
        law[-1] += alpha ** (k + reach + 1 - members.sum()) / (1 + alpha)
        rows.append(law)
    return StochasticMatrix(
        Universe(tuple(f"t{i}" for i in range(k))), [str(s) for s in steps], rows
    )


@pytest.mark.parametrize("k", [2, 3, 5])
def test_entities_that_are_all_in_or_all_out(k):
    """ε-DP, and yet γ → e^kε as p → 0: Pr[t|S]/p = 1/(p + (1−p) e^−kε) at the top output."""
    epsilon = 0.4
    mechanism = count_with_noise(k, epsilon, 6)
    assert add_remove(Ratios(mechanism)).epsilon == pytest.approx(epsilon, rel=1e-9)
    assert positive_gamma(mechanism, ProductPriors()) == pytest.approx(math.exp(epsilon), rel=1e-9)
    for p in (0.5, 0.1, 1e-6):
        prior = GroupedPrior((tuple(range(k)),), (p,))
        found = positive_gamma_here(mechanism, SinglePriors(prior)).bound.upper
        rise = 1 / (p + (1 - p) * math.exp(-k * epsilon))
        other = 1 - p + p * math.exp(k * epsilon)
        assert found == pytest.approx(max(rise, other), rel=1e-9)
        assert bayesian_dp(mechanism, prior) == pytest.approx(k * epsilon, rel=1e-9)
    assert found == pytest.approx(math.exp(k * epsilon), rel=1e-4)
    alone = bayesian_dp(mechanism, UniformPrior(k))
    assert alone == pytest.approx(epsilon, rel=1e-9)


def laplace(distance, scale):
    return np.exp(-np.abs(distance) / scale) / (2 * scale)


def noisy_statistic(universe, size, statistic, scale, output, step=1e-6):
    """Laplace noise seen through a narrow window around one output, and the rest of the line."""
    rows = np.full((2 ** len(universe), 2), np.nan)
    for row, members in enumerate(subsets(len(universe))):
        if members.sum() == size:
            values = [value for value, inside in zip(universe, members, strict=True) if inside]
            window = laplace(output - statistic(values), scale) * step
            rows[row] = window, 1 - window
    return StochasticMatrix(Universe(tuple(map(str, universe))), ("here", "elsewhere"), rows), step


def test_lee_clifton_first_example():
    """T' = {1, 2, 3} in U = {1, 2, 3, 4, 5, 10}, mean, S = 9/4, ε = 2, R = 5.041."""
    universe = (1, 2, 3, 4, 5, 10)
    mechanism, step = noisy_statistic(universe, 4, mean, (9 / 4) / 2, 5.041)
    densities = [mechanism.law(["1", "2", "3", str(i)])[0] / step for i in (4, 5, 10)]
    assert densities == pytest.approx([0.0464, 0.0580, 0.1762], abs=5e-5)
    known = mechanism.universe.row(["1", "2", "3"])
    seen = mechanism.rows[[known | 1 << i for i in range(6) if not known >> i & 1], 0]
    assert len(seen) == 3
    confidence = seen.max() / seen.sum()
    assert confidence == pytest.approx(0.6278, abs=5e-5)
    assert identifiability(mechanism)[3] >= confidence


@pytest.mark.parametrize(
    ("statistic", "sensitivity", "scale", "risk"),
    [(mean, 8 / 3, 2.128628, 0.229438), (median, 1, 1 / math.log(3.5), 1 / 3)],
)
def test_lee_clifton_second_example(statistic, sensitivity, scale, risk):
    """U = {1 … 10}, D = {1, 2, 3}, T' = {1, 3}, m = 8, ρ = 1/3; the risk at R = 2."""
    universe = tuple(range(1, 11))
    found = sensitivity / math.log(7 * (1 / 3) / (2 / 3))
    assert found == pytest.approx(scale, abs=5e-7)
    mechanism, _ = noisy_statistic(universe, 3, statistic, found, 2.0)
    known = mechanism.universe.row(["1", "3"])
    seen = mechanism.rows[[known | 1 << i for i in range(10) if not known >> i & 1], 0]
    assert seen[0] / seen.sum() == pytest.approx(risk, abs=5e-7)
    assert identifiability(mechanism)[8] >= risk - 5e-7


def test_identifiability_under_dp_is_bounded_and_attained():
    """lee-clifton-2012, Theorem 1, on random mechanisms, and one that attains it."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        rows = rng.dirichlet([2, 2, 2], size=16)
        mechanism = StochasticMatrix(Universe(tuple("abcd")), ("0", "1", "2"), rows)
        epsilon = replace_one_epsilon(Ratios(mechanism))
        for m, rho in identifiability(mechanism).items():
            assert rho <= replace_one_dp_to_identifiability(PureDP(epsilon), m).rho + 1e-12
    rows = np.full((16, 2), np.nan)
    rows[[1, 2, 4, 8]] = [[0.6, 0.4], [0.2, 0.8], [0.2, 0.8], [0.2, 0.8]]
    mechanism = StochasticMatrix(Universe(tuple("abcd")), ("0", "1"), rows)
    bound = replace_one_dp_to_identifiability(PureDP(math.log(3)), 4).rho
    assert identifiability(mechanism)[4] == pytest.approx(bound)


def test_identifiability_is_positive_membership_among_m_worlds():
    """(m, ρ) → γ = max(mρ, (m − 1)/(m(1 − ρ))): (2, .9) → 5, (8, .3) → 2.4, (8, .9) → 8.75."""
    for m, rho, gamma in ((2, 0.9, 5.0), (8, 0.3, 2.4), (8, 0.9, 8.75)):
        rows = np.full((2**m, 2), np.nan)
        top, rest = 0.5 * rho, 0.5 * (1 - rho) / (m - 1)
        for i in range(m):
            x = top if i == 0 else rest
            rows[1 << i] = x, 1 - x
        names = tuple(f"w{i}" for i in range(m))
        mechanism = StochasticMatrix(Universe(names), ("x", "y"), rows)
        assert identifiability(mechanism)[m] == pytest.approx(rho)
        at = [1 << i for i in range(m)]
        law = TablePrior(mechanism.universe.subsets()[at], [1 / m] * m)
        assert positive_gamma(mechanism, SinglePriors(law)) == pytest.approx(gamma)
        assert positive_gamma(mechanism, OneOutOfAnyPriors()) >= gamma * (1 - 1e-12)


def thirds():
    """Output i has likelihoods 1, 1, 0 (halved) when a, b, c is in, turned round by i."""
    rows = np.full((8, 3), np.nan)
    rows[[1, 2, 4]] = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
    return StochasticMatrix(Universe(("a", "b", "c")), ("0", "1", "2"), rows)


def test_theorem_2_of_tramer_has_no_converse():
    """PMP at γ = 1.5 for a = b = 1/3 and replace-one ε infinite."""
    found = bounded_here(thirds(), 1 / 3, 1 / 3, rise=True)
    assert found.bound.upper == pytest.approx(1.5, rel=1e-12)
    assert replace_one_epsilon(Ratios(thirds())) == math.inf
    assert positive_gamma(thirds(), BoundedSizeConditionedPriors(1 / 3, 1 / 3)) == pytest.approx(
        math.inf
    )


def test_theorem_2_is_tight_where_pairs_fit():
    """Every ε-DP mechanism with a + b = 1 reaches the γ of Theorem 2 on its own universe."""
    rng = np.random.default_rng(13)
    for _ in range(20):
        rows = rng.dirichlet([2, 2], size=8)
        mechanism = StochasticMatrix(Universe(("a", "b", "c")), ("0", "1"), rows)
        e = math.exp(replace_one_epsilon(Ratios(mechanism)))
        for low in (0.1, 0.3, 0.5):
            gamma = max((e - 1) * (1 - low) + 1, e / ((e - 1) * low + 1))
            assert bounded_here(mechanism, low, 1 - low, rise=True).bound.lower == pytest.approx(
                gamma
            )


def test_k_max_has_no_negative_membership_privacy():
    """li-2013, Proposition 5.3, k = 2 on five entities, with the bottom mended; see theory §2.

    γ = (2^k − 1)/(2^k − 2) exactly, and an output at the top rules members out.
    """
    n, k = 5, 2
    rows = []
    for members in subsets(n):
        present = np.flatnonzero(members)
        top = min(int(present.max()), n - k) if len(present) else 0
        rows.append([1 / k if top <= i < top + k else 0.0 for i in range(n)])
    mended = StochasticMatrix(Universe(tuple("abcde")), tuple("12345"), rows)
    assert positive_gamma(mended, UniformPriors()) == pytest.approx((2**k - 1) / (2**k - 2))
    assert negative_gamma(mended, UniformPriors()) == math.inf
