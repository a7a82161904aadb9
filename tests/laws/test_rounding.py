"""What is returned is the nearest float on the safe side, judged in other exact arithmetic."""

import math
from fractions import Fraction

import numpy as np

from deniable.notions import (
    ZCDP,
    Advantage,
    ApproxDP,
    AttackSuccess,
    Identifiability,
    MaxPosterior,
    PositiveMembership,
    PureDP,
)
from deniable.priors import BoundedPriors
from deniable.theorems.attacks import (
    advantage_for_attack_success,
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
    pure_dp_for_advantage,
    pure_dp_for_attack_success,
)
from deniable.theorems.beliefs import (
    pure_dp_for_max_posterior,
    pure_dp_to_max_posterior,
    pure_dp_to_min_posterior,
)
from deniable.theorems.gaussian import discrete_gaussian_to_gaussian_dp
from deniable.theorems.identifiability import (
    replace_one_dp_for_identifiability,
    replace_one_dp_to_identifiability,
)
from deniable.theorems.membership import (
    pure_dp_for_positive_membership,
    pure_dp_to_positive_membership,
)
from deniable.theorems.pure_and_approximate import (
    approx_dp_to_exceedance,
    approx_dp_to_privacy_loss_tail,
    zcdp_to_privacy_loss_tail,
)
from tests.cases.effort import usual
from tests.oracles.beliefs import theorem_2_inverse
from tests.oracles.decimals import CONTEXT, applies, claims, exp, ln, number

CASES = usual(4_000, 50_000)
"""Each way; every kind of interval, of ε and of γ comes hundreds of times in the fewer."""
FEW = usual(800, 2_000)


def intervals(rng: np.random.Generator, cases: int) -> list[tuple[float, float]]:
    """Ends of priors: anywhere, tiny, next to 1, at 0, at 1, equal."""
    ends = np.stack([rng.random(cases), rng.random(cases)])
    ends = np.where(rng.random((2, cases)) < 0.15, 10.0 ** rng.uniform(-300, 0, (2, cases)), ends)
    ends = np.where(rng.random((2, cases)) < 0.15, 1 - 2.0 ** rng.uniform(-53, 0, (2, cases)), ends)
    ends[0, rng.random(cases) < 0.15] = 0.0
    ends[1, rng.random(cases) < 0.15] = 1.0
    same = rng.random(cases) < 0.15
    ends[1, same] = ends[0, same]
    ends[:, rng.random(cases) < 0.02] = 1.0
    return [(float(a), float(b)) for a, b in np.sort(ends, axis=0).T]


def epsilons(rng: np.random.Generator, cases: int) -> list[float]:
    """From 1e-20 to 700, mostly between 0.001 and 10."""
    usual = 10.0 ** rng.uniform(-3, 1, cases)
    wide = 10.0 ** rng.uniform(-20, np.log10(700), cases)
    return np.where(rng.random(cases) < 0.2, wide, usual).tolist()


def gammas(rng: np.random.Generator, priors: list[tuple[float, float]]) -> list[float]:
    """From next to 1 to 1e15; a third within a few ulps to either side of aγ = 1."""
    result = []
    for low, _ in priors:
        kind = rng.integers(6)
        if kind <= 1 and low > 1e-300:
            result.append(max((1 / low) * (1 + int(rng.integers(-4, 5)) * 2.0**-52), 1.0))
        elif kind == 2:
            result.append(1 + 10.0 ** rng.uniform(-15, -1))
        elif kind == 3:
            result.append(10.0 ** rng.uniform(0, 15))
        else:
            result.append(1 + 10 * rng.random())
    return result


def test_no_epsilon_to_apply_exceeds_the_exact_one_and_none_is_needlessly_small():
    rng = np.random.default_rng(1)
    priors = intervals(rng, CASES)
    crossed = 0
    for (low, high), gamma in zip(priors, gammas(rng, priors), strict=True):
        given = pure_dp_for_positive_membership(
            PositiveMembership(gamma, BoundedPriors(low, high))
        ).epsilon
        a, b, g = Fraction(low), Fraction(high), Fraction(gamma)
        crossed += a * g >= 1
        if high == 0.0:  # only the first term is there
            assert applies(given, ln(g)), (low, high, gamma)
            continue
        ratio = theorem_2_inverse(g, a, b)
        if ratio == 1:
            assert given == 0.0
        else:
            assert applies(given, ln(ratio)), (low, high, gamma)
    assert CASES / 10 < crossed < CASES * 9 / 10


def test_no_gamma_claimed_falls_below_the_exact_one_and_none_is_needlessly_large():
    rng = np.random.default_rng(2)
    priors = intervals(rng, CASES)
    for (low, high), epsilon in zip(priors, epsilons(rng, CASES), strict=True):
        given = pure_dp_to_positive_membership(PureDP(epsilon), BoundedPriors(low, high)).gamma
        ratio = exp(epsilon)
        rise = CONTEXT.subtract(ratio, 1)
        first = CONTEXT.fma(rise, number(high), 1)
        second = CONTEXT.divide(ratio, CONTEXT.fma(rise, number(low), 1))
        assert claims(given, max(first, second)), (low, high, epsilon)


def test_there_and_back_keeps_the_promise():
    rng = np.random.default_rng(3)
    priors = intervals(rng, FEW)
    for (low, high), gamma in zip(priors, gammas(rng, priors), strict=True):
        adversary = BoundedPriors(low, high)
        budget = pure_dp_for_positive_membership(PositiveMembership(gamma, adversary))
        kept = pure_dp_to_positive_membership(budget, adversary).gamma
        assert kept <= gamma
        assert kept >= 1 + (gamma - 1) * (1 - 1e-12) - 2.0**-51 or budget.epsilon == 0.0


def test_beliefs():
    rng = np.random.default_rng(4)
    for (p, q), epsilon in zip(intervals(rng, FEW), epsilons(rng, FEW), strict=True):
        ratio, prior = exp(epsilon), number(p)
        if 0 < p < 1:
            odds = CONTEXT.divide(prior, CONTEXT.subtract(1, prior))
            up, down = CONTEXT.multiply(ratio, odds), CONTEXT.divide(odds, ratio)
            budget = PureDP(epsilon)
            above = CONTEXT.divide(up, CONTEXT.add(1, up))
            below = CONTEXT.divide(down, CONTEXT.add(1, down))
            assert claims(pure_dp_to_max_posterior(budget, p).posterior, above), (p, epsilon)
            assert applies(pure_dp_to_min_posterior(budget, p), below), (p, epsilon)
        if 0 < p < q < 1:
            a, b = Fraction(p), Fraction(q)
            given = pure_dp_for_max_posterior(MaxPosterior(q, p)).epsilon
            assert applies(given, ln(b * (1 - a) / (a * (1 - b)))), (p, q)


def test_attacks():
    rng = np.random.default_rng(5)
    for epsilon in epsilons(rng, FEW):
        ratio, delta = exp(epsilon), 10.0 ** float(rng.uniform(-20, -0.5))
        dp, plus = ApproxDP(epsilon, delta), CONTEXT.add(ratio, 1)
        rise = CONTEXT.add(CONTEXT.subtract(ratio, 1), 2 * number(delta))
        assert claims(approx_dp_to_advantage(dp).value, CONTEXT.divide(rise, plus))
        success = CONTEXT.divide(CONTEXT.add(ratio, number(delta)), plus)
        assert claims(approx_dp_to_attack_success(dp).probability, success)


def test_budgets_for_attacks():
    rng = np.random.default_rng(6)
    tiny = 10.0 ** rng.uniform(-300, 0, FEW // 2)
    for value in [*tiny.tolist(), *rng.random(FEW // 2).tolist()]:
        a = Fraction(value)
        # ln((1 + a)/(1 − a)) = 2 (a + a³/3 + …), where a tiny a would vanish beside 1.
        truth = 2 * a + 2 * a**3 / 3 if value < 1e-30 else ln((1 + a) / (1 - a))
        assert applies(pure_dp_for_advantage(Advantage(value)).epsilon, truth), value
        success = 0.5 + value / 2
        if 0.5 < success < 1:
            q = Fraction(success)
            given = pure_dp_for_attack_success(AttackSuccess(success)).epsilon
            assert applies(given, ln(q / (1 - q))), success
        half = advantage_for_attack_success(AttackSuccess(success)).value
        assert Fraction(half) == 2 * Fraction(success) - 1  # exact
        back = advantage_to_attack_success(Advantage(value)).probability
        assert claims(back, (1 + a) / 2), value


def test_identifiability():
    rng = np.random.default_rng(7)
    for epsilon in epsilons(rng, FEW):
        worlds = int(10 ** rng.uniform(0.302, 9))
        others = CONTEXT.divide(worlds - 1, exp(epsilon))
        given = replace_one_dp_to_identifiability(PureDP(epsilon), worlds).rho
        assert claims(given, CONTEXT.divide(1, CONTEXT.add(1, others))), (epsilon, worlds)
        rho = float(1 / worlds + (1 - 1 / worlds) * rng.random())
        if Fraction(rho) * worlds > 1 and rho < 1:
            r = Fraction(rho)
            budget = replace_one_dp_for_identifiability(Identifiability(rho, worlds)).epsilon
            assert applies(budget, ln((worlds - 1) * r / (1 - r))), (rho, worlds)


def test_losses_and_how_often_they_are_passed():
    rng = np.random.default_rng(8)
    for epsilon in epsilons(rng, FEW):
        delta = 10.0 ** float(rng.uniform(-20, -0.5))
        exceedance = delta * (1 + 10.0 ** float(rng.uniform(-10, 3)))
        if delta < exceedance < 1:
            share = 1 - Fraction(delta) / Fraction(exceedance)
            given = approx_dp_to_privacy_loss_tail(ApproxDP(epsilon, delta), exceedance).epsilon
            assert claims(given, CONTEXT.subtract(number(epsilon), ln(share)))
        loss = min(epsilon * (1 + 10.0 ** float(rng.uniform(-3, 1))), epsilon + 60)
        gap = CONTEXT.subtract(1, exp(CONTEXT.subtract(number(epsilon), number(loss))))
        truth = CONTEXT.divide(number(delta), gap)
        assert claims(approx_dp_to_exceedance(ApproxDP(epsilon, delta), loss), min(truth, 1))


def test_gaussian_noise():
    rng = np.random.default_rng(9)
    for _ in range(FEW):
        rho = 10.0 ** float(rng.uniform(-6, 1))
        epsilon = rho * (1 + 10.0 ** float(rng.uniform(-2, 3)))
        e, r = number(epsilon), number(rho)
        away = CONTEXT.subtract(e, r)
        exponent = CONTEXT.divide(CONTEXT.multiply(away, away), 4 * r)
        tail = exp(-exponent)
        if tail > number(5e-324):
            assert claims(zcdp_to_privacy_loss_tail(ZCDP(rho), epsilon).exceedance, tail)
        parts = [(10.0 ** float(rng.uniform(-1, 6)), float(rng.integers(1, 1000)), 3)] * 2
        given = discrete_gaussian_to_gaussian_dp(parts)
        squares = [(Fraction(l2) / Fraction(scale)) ** 2 for scale, l2, _ in parts]
        slacks = [Fraction(moved) / Fraction(scale) ** 2 for scale, _, moved in parts]
        assert claims(given.mu, CONTEXT.sqrt(number(sum(squares, Fraction(0)))))
        assert claims(given.slack, CONTEXT.sqrt(number(sum(slacks, Fraction(0)))))


def test_a_single_nextafter_after_a_float_formula_is_not_enough():
    """Why the house rounds in balls: the obvious mending fails the very test above."""
    rng = np.random.default_rng(10)
    wrong = 0
    for (low, high), epsilon in zip(intervals(rng, CASES), epsilons(rng, CASES), strict=True):
        e = math.exp(epsilon)
        naive = math.nextafter(max((e - 1) * high + 1, e / ((e - 1) * low + 1)), math.inf)
        wrong += (
            naive < pure_dp_to_positive_membership(PureDP(epsilon), BoundedPriors(low, high)).gamma
        )
    assert wrong > 0
