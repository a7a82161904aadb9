"""What adds up where releases are chosen by earlier outputs, and what does not.

rogers-2016, feldman-zrnic-2021 and whitehouse-2023 prove filters for ε and ρ. A curve that was
composed as if its parts were fixed is none.
"""

from fractions import Fraction

import pytest

from deniable.ledger import units
from deniable.ledger.beliefs import so_far
from deniable.ledger.budget import budgeted, composition
from deniable.notions import ZCDP, ApproxDP, PrivacyLossTail
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.explain import posterior_upper
from deniable.theorems.analysis.privacy_loss import largest_rho
from deniable.theorems.analysis.target import EpsilonTarget
from deniable.theorems.pure_and_approximate import zcdp_to_privacy_loss_tail
from tests.cases.books import book, dataset
from tests.oracles.adaptive import after, composed, hockey_stick, leak, randomised_response


def test_curves_that_each_path_keeps_to_are_not_kept_to_by_an_adaptive_choice():
    """At e^ε = 3: either pair of fixed releases has δ = 1/9, choosing the second has 4/27."""
    first, second, other = randomised_response(Fraction(2)), randomised_response(Fraction(2)), leak(
        Fraction(1, 9)
    )  # fmt: skip
    fixed = [hockey_stick(composed(first, each), Fraction(3)) for each in (second, other)]
    assert fixed == [Fraction(1, 9), Fraction(1, 9)]

    true, false = after((Fraction(1), Fraction(1)), first)
    chosen = [*after(true, second), *after(false, other)]
    assert hockey_stick(chosen, Fraction(3)) == Fraction(4, 27)

    # The whole curve, and so the trade-off curve, is no larger for one pair than what both allow.
    for factor in (Fraction(k, 4) for k in range(4, 20)):
        either = max(hockey_stick(composed(first, each), factor) for each in (second, other))
        if hockey_stick(chosen, factor) > either:
            break
    else:
        pytest.fail("no point of the curve was passed")


def test_stopping_when_an_odometer_of_fixed_parts_is_used_up_fails_for_pure_releases_too():
    """Six responses of odds 2, of which the last is made only where the belief stands low.

    A quantile of the loss of as many fixed responses as a path holds is no statement about paths
    that stopped where it suited the adversary.
    """
    response, rarely = randomised_response(Fraction(2)), Fraction(1, 10)

    def quantile(number):
        """The least exponent of 2 that the odds of `number` fixed responses pass that rarely."""
        pairs = composed(*[response] * number)
        for power in range(number + 1):
            passed = sum(p for p, q in pairs if p > q * 2**power)
            if passed <= rarely:
                return power
        raise AssertionError("the largest odds are never passed")

    limits = [quantile(number) for number in range(13)]

    def passes(pair, number):
        inside, outside = pair
        if inside > outside * 2 ** limits[number]:
            return inside
        if number == 12:
            return Fraction(0)
        return sum((passes(more, number + 1) for more in after(pair, response)), Fraction(0))

    assert passes((Fraction(1), Fraction(1)), 0) > rarely


@pytest.mark.parametrize(("number", "total", "belief"), [(20, 0.963, 0.724), (100, 2.20, 0.900)])
def test_many_small_gaussian_releases_cost_less_than_their_sum(number, total, belief):
    """Of loss .2 each at X = 1e-6; their sums are 4.0 (a belief of .982) and 20."""
    one = largest_rho(PrivacyLossTail(0.2, 1e-6), 0.0).rho
    people = dataset(number * units.to_units(one), 1e-6)
    rho = float(units.amount(people.budget))
    loss = next(
        epsilon / 1000
        for epsilon in range(10_000)
        if zcdp_to_privacy_loss_tail(ZCDP(rho), epsilon / 1000).exceedance <= 1e-6
    )
    assert loss == pytest.approx(total, abs=0.004)
    assert posterior_upper(loss, 0.5) == pytest.approx(belief, abs=0.001)
    assert posterior_upper(0.2 * number, 0.5) > 0.98
    assert composition(people, rho).zcdp.rho == rho

    # With half of X for the whole budget, as a ledger has it, hardly more.
    said = so_far(people, book(people, [units.to_units(one)] * number))
    assert loss < said.loss < 1.04 * loss


def test_what_the_halved_exceedance_takes_of_a_budget():
    """A dataset's budget against that of one release with all of the exceedance: some 5 %."""
    people = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=1e-6)
    alone = largest_rho(PrivacyLossTail(1.0, 1e-6), None).rho
    halved = largest_rho(PrivacyLossTail(1.0, 5e-7), None).rho
    assert 0.94 < halved / alone < 0.96
    assert people.budget == units.budget(largest_rho(ApproxDP(1.0, 5e-7), None).rho)
