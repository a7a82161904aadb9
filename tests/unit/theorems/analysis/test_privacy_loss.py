import math
from fractions import Fraction

import attrs
import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, Advantage, ApproxDP, GaussianDP, PrivacyLossTail
from deniable.theorems.analysis import (
    Composition,
    Route,
    is_satisfied,
    largest_rho,
    lattice_slack,
    least_advantage,
    least_loss,
    noise_multiplier,
)
from deniable.theorems.gaussian import discrete_gaussian_to_gaussian_dp
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses
from tests.oracles import privacy_curves as curves

REQUIREMENTS = [
    PrivacyLossTail(math.log(2), 1e-6),
    PrivacyLossTail(math.log(2), 0.3),
    PrivacyLossTail(2.0, 1e-12),
    ApproxDP(1.0, 1e-6),
    ApproxDP(0.1, 1e-9),
    ApproxDP(5.0, 1e-3),
    Advantage(0.1),
    Advantage(0.9),
]


def holds(requirement, route, rho, slack):
    """The requirement by the named route, judged in floating point."""
    mu = math.sqrt(2 * rho)
    tau = mu * slack if slack else 0.0
    match requirement, route is Route.GAUSSIAN:
        case PrivacyLossTail(epsilon=e, exceedance=x), True:
            return curves.gaussian_tail(mu, e, tau) <= x
        case PrivacyLossTail(epsilon=e, exceedance=x), False:
            return curves.zcdp_tail(rho, e) <= x
        case ApproxDP(epsilon=e, delta=d), True:
            return curves.gaussian_delta(mu, e, tau) <= d
        case ApproxDP(epsilon=e, delta=d), False:
            return curves.zcdp_delta(rho, e) <= d
        case Advantage(value=a), True:
            return curves.gaussian_advantage(mu, tau) <= a
        case Advantage(value=a), False:
            return curves.zcdp_advantage(rho) <= a
    raise AssertionError(requirement)


@pytest.mark.parametrize(
    ("requirement", "slack"), some_pairs([*REQUIREMENTS], [0.0, 0.02, 1.0, None]), ids=str
)
def test_the_largest_rho_meets_the_requirement_and_a_thousandth_more_does_not(requirement, slack):
    found = largest_rho(requirement, slack, Adjacency.ADD_REMOVE)
    assert found.adjacency is Adjacency.ADD_REMOVE
    assert found.slack == slack
    assert is_satisfied(found, requirement)
    assert not is_satisfied(attrs.evolve(found, rho=found.rho * 1.001), requirement)
    assert holds(requirement, found.route, found.rho * (1 - 1e-9), slack)
    assert not holds(requirement, found.route, found.rho * 1.001, slack)


def test_without_gaussian_noise_throughout_only_zcdp_is_open():
    for requirement in REQUIREMENTS:
        assert largest_rho(requirement, None).route is Route.CONCENTRATED


def test_the_route_that_allows_more_is_taken():
    for requirement in REQUIREMENTS:
        both = largest_rho(requirement, 0.0)
        assert both.rho >= largest_rho(requirement, None).rho
    assert largest_rho(REQUIREMENTS[0], 0.0).route is Route.GAUSSIAN
    assert largest_rho(REQUIREMENTS[0], 1.0).route is Route.CONCENTRATED


def test_nothing_may_be_spent_on_nothing():
    assert largest_rho(Advantage(0.0), 0.0).rho == 0.0


@pytest.mark.parametrize("slack", [0.0, 0.1, None])
@pytest.mark.parametrize("rho", [1e-4, 0.05, 3.0])
def test_the_least_loss_holds_and_a_thousandth_less_does_not(rho, slack):
    composition = Composition(rho, Route.CONCENTRATED, slack, Adjacency.REPLACE_ONE)
    found = least_loss(composition, 1e-5)
    tails = [curves.zcdp_tail]
    if slack is not None:
        mu = math.sqrt(2 * rho)
        tails.append(lambda _, e: curves.gaussian_tail(mu, e, mu * slack))
    assert min(tail(rho, found.epsilon * (1 + 1e-9)) for tail in tails) <= 1e-5
    assert min(tail(rho, found.epsilon * 0.999) for tail in tails) > 1e-5
    assert found.exceedance == 1e-5


def test_losses_and_largest_rho_agree():
    requirement = PrivacyLossTail(0.7, 1e-6)
    found = least_loss(largest_rho(requirement, 0.0), 1e-6).epsilon
    assert found <= 0.7
    assert found == pytest.approx(0.7, rel=1e-9)


@pytest.mark.parametrize("rho", [1e-6, 0.01, 1.0, 10.0])
def test_the_least_advantage_is_the_better_of_both(rho):
    without = least_advantage(
        Composition(rho, Route.CONCENTRATED, None, Adjacency.REPLACE_ONE)
    ).value
    assert without == pytest.approx(curves.zcdp_advantage(rho))
    with_curve = least_advantage(
        Composition(rho, Route.CONCENTRATED, 0.0, Adjacency.REPLACE_ONE)
    ).value
    assert with_curve == pytest.approx(curves.gaussian_advantage(math.sqrt(2 * rho)), abs=1e-15)


def test_a_selection_has_no_gaussian_guarantee():
    with refuses(NotApplicable, "gaussian-noise-in-every-part"):
        _ = Composition(0.1, Route.CONCENTRATED, None, Adjacency.REPLACE_ONE).gaussian


@pytest.mark.parametrize("rho", [1e-9, 0.013, 2.0])
def test_the_composed_gaussian_covers_what_its_parts_do(rho):
    """Parts that spend their shares of ρ exactly: (share, L2 sensitivity, coordinates moved)."""
    parts = [
        (Fraction(1, 2), 2.0**20, 1),
        (Fraction(1, 3), math.sqrt(2), 2),
        (Fraction(1, 6), 9, 4),
    ]
    composition = Composition(rho, Route.CONCENTRATED, lattice_slack(parts), Adjacency.REPLACE_ONE)
    noise = [(l2 / math.sqrt(2 * rho * share), l2, moved) for share, l2, moved in parts]
    exact = discrete_gaussian_to_gaussian_dp(noise)
    assert composition.gaussian.mu == pytest.approx(exact.mu, rel=1e-12)
    assert composition.gaussian.slack == pytest.approx(exact.slack, rel=1e-12)
    assert composition.gaussian.mu**2 / 2 >= rho * (1 - 1e-15)


def test_lattice_slack_is_root_kappa():
    assert lattice_slack([(1.0, 4.0, 1)]) == 0.25
    assert lattice_slack([(Fraction(1, 2), 1.0, 1), (Fraction(1, 2), 2.0, 2)]) == pytest.approx(
        math.sqrt(0.75)
    )


def test_noise_multiplier_is_one_over_mu():
    assert noise_multiplier(GaussianDP(0.25)) == 4.0
    assert noise_multiplier(GaussianDP(0.0)) == math.inf
    assert Fraction(noise_multiplier(GaussianDP(0.3))) * Fraction(0.3) >= 1
