"""Beliefs in one entity after charges that add up to so much, and in the end."""

import math
import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from deniable.ledger import units
from deniable.ledger.budget import FULL_BUDGET_SHARE, composition
from deniable.ledger.charge import Entry, State, spent
from deniable.ledger.dataset import Dataset, Measure
from deniable.ledger.units import Spending
from deniable.notions import ApproxDP, PureDP
from deniable.theorems import analysis
from deniable.theorems.analysis import BoundedPriors, PosteriorRange
from deniable.theorems.attacks import (
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
)
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail

_UNLIKELIEST = sys.float_info.min
"""Exceedances of rungs stay at least this, 2.2e-308, where halving is exact."""


@attrs.frozen
class Beliefs:
    """What may be believed of one entity; every number is on the safe side.

    γ, for priors of the dataset's adversary and for any, and beliefs are read at the privacy loss
    `loss`; beliefs at usual priors and at both ends of the adversary's. Any limit on a rise of
    belief in this entity, at whatever moment, fails with probability `exceedance`, and so does any
    on a fall, over the noise and what the adversary does not know; 0 for ε.
    """

    loss: float
    exceedance: float
    gamma: float
    gamma_outside: float
    posterior: tuple[PosteriorRange, ...]

    def as_json(self) -> dict[str, Any]:
        """Every field under its name, and how rarely a range is left at either end."""
        return attrs.asdict(self) | {
            "exceedance_either_end": analysis.either_end(self.loss, self.exceedance),
            "posterior": [attrs.asdict(each) for each in self.posterior],
        }


@attrs.frozen
class Rung:
    """A filter that was fixed beforehand: this much in all, and how rarely its statement fails."""

    units: int
    exceedance: float


@attrs.frozen
class WholeBudget:
    """What holds of everything that a dataset's budget pays for, however it is spent.

    It rests on every void being true: that nothing of that release was published, and that
    the person who voided it had not looked at what was drawn. `attack_success` is the largest with
    prior ½, `advantage` the largest true minus false positive rate.
    """

    beliefs: Beliefs
    attack_success: float
    advantage: float


def after_everything(dataset: Dataset) -> WholeBudget:
    """What may be believed after everything that is ever published from a dataset."""
    spent, exposure = units.at_most(dataset.budget), dataset.exposure or 0
    if dataset.measure is Measure.EPSILON:
        plain = ApproxDP(spent, float(units.exposure(exposure)), dataset.adjacency)
        success, advantage = approx_dp_to_attack_success(plain), approx_dp_to_advantage(plain)
    else:
        advantage = analysis.least_advantage(composition(dataset, spent, exposure))
        success = advantage_to_attack_success(advantage)
    return WholeBudget(beliefs_in_the_end(dataset), success.probability, advantage.value)


def beliefs_in_the_end(dataset: Dataset, together: int = 1) -> Beliefs:
    """Bound beliefs in one of so many entities, all in or all out, once all is spent."""
    return beliefs_at(dataset, _whole_loss(dataset, together), dataset.exceedance)


def so_far(dataset: Dataset, entries: Iterable[Entry]) -> Beliefs:
    """What may be believed after these entries of its book, at any moment that anybody chooses.

    All charges count, whatever became of them: released, underway, given up, or voided. So the
    statement holds too where something was voided and had been released after all.
    """
    return after(dataset, charged(entries))


def after(dataset: Dataset, spent: Spending, together: int = 1) -> Beliefs:
    """What may be believed after charges that add up to as much, voided ones among them.

    Entities `together` are all in or all out, in a dataset without a budget of exposure: they have
    k times the ε, or k² times the ρ, of one of them.
    """
    if dataset.measure is Measure.EPSILON:
        return beliefs_at(dataset, *_pure_loss(dataset, spent, together))
    return beliefs_at(dataset, *_loss(dataset, spent, together))


def charged(entries: Iterable[Entry]) -> Spending:
    """What all charges of a book add up to, those that were voided among them."""
    return spent([each for each in entries if each.state is State.CHARGED])


def rung_above(dataset: Dataset, spent: int) -> Rung:
    """The smallest rung of the ladder that so many units do not pass."""
    rung = Rung(dataset.budget, dataset.exceedance * FULL_BUDGET_SHARE)
    if spent > rung.units:
        return _doubled(Rung(2 * rung.units, rung.exceedance), spent)  # a second ladder's, own X
    while spent <= rung.units // 2 and rung.exceedance / 2 >= _UNLIKELIEST:
        rung = Rung(rung.units // 2, rung.exceedance / 2)
    return rung


def _doubled(rung: Rung, spent: int) -> Rung:
    """The first of a rung, twice as much, and so on, that so many units do not pass."""
    while spent > rung.units and rung.exceedance / 2 >= _UNLIKELIEST:
        rung = Rung(2 * rung.units, rung.exceedance / 2)
    return rung


def beliefs_at(dataset: Dataset, loss: float, exceedance: float) -> Beliefs:
    """What may be believed at a privacy loss."""
    at_loss = PureDP(loss, dataset.adjacency)
    prior_bounds = (dataset.adversary.low, dataset.adversary.high)
    return Beliefs(
        loss=loss,
        exceedance=min(exceedance, 1.0),
        gamma=pure_dp_to_positive_membership(at_loss, dataset.adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=analysis.posterior_ranges(loss, sorted({*analysis.USUAL_PRIORS, *prior_bounds})),
    )


def _whole_loss(dataset: Dataset, together: int = 1) -> float:
    """The loss of everything that the budgets pay for."""
    exposure = dataset.exposure or 0
    if dataset.measure is Measure.EPSILON:
        loss = units.at_most(dataset.budget * together)
        return loss if not exposure else _excused(dataset, loss, exposure, dataset.exceedance)
    rho = units.at_most(dataset.budget * together**2)
    if rho > analysis.LARGEST_RHO:
        return math.inf  # beyond what is searched, and beyond any protection
    rarely = dataset.exceedance * FULL_BUDGET_SHARE
    if units.exposure(exposure) >= Fraction(rarely):
        return math.inf
    return analysis.least_loss(composition(dataset, rho, exposure), rarely).epsilon


def _pure_loss(dataset: Dataset, spent: Spending, together: int) -> tuple[float, float]:
    """The loss after pure releases, and how rarely what is said of it fails."""
    loss, rarely = units.at_most(spent.units * together), dataset.exceedance
    if not spent.exposure:  # no key of one entity can have appeared yet
        return loss, rarely
    keys = Rung(dataset.exposure or 0, rarely)
    if spent.exposure > keys.units:
        keys = _doubled(Rung(2 * keys.units, rarely / 2), spent.exposure)
        rarely *= 2
    if spent.exposure > keys.units:
        return math.inf, rarely
    return _excused(dataset, loss, keys.units, keys.exceedance), rarely


def _loss(dataset: Dataset, spent: Spending, together: int) -> tuple[float, float]:
    """The loss after releases in ρ, and how rarely what is said of it fails."""
    rarely, exposure = dataset.exceedance, dataset.exposure or 0
    if not spent.units:
        return 0.0, rarely
    is_within = spent.fits(dataset.spending)
    rung = rung_above(dataset, spent.units if is_within else max(spent.units, dataset.budget + 1))
    if not is_within:
        rarely *= 2
    if rung.units == dataset.budget:
        return _whole_loss(dataset, together), rarely
    rho = units.at_most(rung.units * together**2)
    if spent.units > rung.units or rho > analysis.LARGEST_RHO:
        return math.inf, rarely  # beyond every rung, or what is searched, and any protection
    share = rung.exceedance if not exposure else rung.exceedance / 2
    if share < _UNLIKELIEST:
        return math.inf, rarely
    loss = analysis.least_loss(composition(dataset, rho), share).epsilon
    if spent.exposure:
        keys = _doubled(Rung(exposure, dataset.exceedance / 4), spent.exposure)
        if spent.exposure > keys.units:
            return math.inf, rarely
        loss = _excused(dataset, loss, keys.units, keys.exceedance)
    return min(loss, _whole_loss(dataset, together)) if is_within else loss, rarely


def _excused(dataset: Dataset, loss: float, exposure: int, rarely: float) -> float:
    """A loss but for keys of one entity, which excuse an output so rarely: loss − ln(1 − ξ/X)."""
    exact = units.exposure(exposure)
    if exact >= Fraction(rarely) or math.isinf(loss):
        return math.inf
    keys = ApproxDP(loss, float(exact), dataset.adjacency)
    return approx_dp_to_privacy_loss_tail(keys, rarely).epsilon
