"""What may be believed after everything a budget allows, and after what was charged so far.

A budget is a *filter*: it is fixed before the first release. What was charged so far is not, since
it depends on outputs. For ε the sum holds all the same at every moment. For ρ a ladder of filters
is fixed beforehand, each with its share of the exceedance X, and the smallest that was not passed
is told (docs/explanation/what-adds-up-over-several-releases.md has the proofs):

    rung       B      B/2    B/4    …        2B     4B     8B     …
    fails by   X/2    X/4    X/8    …, X     X/2    X/4    X/8    …, X once more

Rungs above B are needed only where charges were voided: a void gives back what may be spent, and
lowers no statement, because nobody can see here that nothing had been released.
"""

import math
import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from deniable.ledger import units
from deniable.ledger.budget import FULL_BUDGET_SHARE, composition
from deniable.ledger.charge import Entry, State
from deniable.ledger.dataset import Dataset, Measure
from deniable.notions import ApproxDP, PureDP
from deniable.numerics.rounding import directed, upper
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.belief import USUAL_PRIORS, PosteriorRange, posterior_ranges
from deniable.theorems.analysis.privacy_loss import LARGEST_RHO, least_advantage, least_loss
from deniable.theorems.attacks import (
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
)
from deniable.theorems.membership import pure_dp_to_positive_membership

_UNLIKELIEST = sys.float_info.min
"""Exceedances of rungs stay at least this, 2.2e-308, where halving is exact."""


@attrs.frozen
class Beliefs:
    """What may be believed of one entity; every number is on the safe side.

    Parameters
    ----------
    loss : float
        The privacy loss at which γ and beliefs are read.
    exceedance : float
        Probability that any limit on a rise of belief in this entity fails, at whatever moment;
        and again that any limit on a fall does. Over the noise and what the adversary does not
        know. 0 for ε.
    gamma, gamma_outside : float
        γ for priors of the dataset's adversary, and for any prior.
    posterior : tuple of PosteriorRange
        Where beliefs may lie, at usual priors and at both ends of the adversary's.
    """

    loss: float
    exceedance: float
    gamma: float
    gamma_outside: float
    posterior: tuple[PosteriorRange, ...]

    def as_json(self) -> dict[str, Any]:
        """Every field under its name."""
        return attrs.asdict(self) | {"posterior": [attrs.asdict(each) for each in self.posterior]}


@attrs.frozen
class Rung:
    """A filter that was fixed beforehand: this much in all, and how rarely its statement fails."""

    units: int
    exceedance: float


@attrs.frozen
class WholeBudget:
    """What holds of everything that a dataset's budget pays for, however it is spent.

    It rests on every void being true: that nothing of that release was published, and that
    whoever voided it had not looked at what was drawn.

    Parameters
    ----------
    beliefs : Beliefs
        At the whole budget.
    attack_success, advantage : float
        Largest success of an attack with prior ½; largest true minus false positive rate.
    """

    beliefs: Beliefs
    attack_success: float
    advantage: float


def after_everything(dataset: Dataset) -> WholeBudget:
    """What may be believed after everything that is ever published from a dataset.

    Examples
    --------
    >>> from deniable.theorems.analysis.target import MaxPosteriorTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", MaxPosteriorTarget(0.5), adversary=BoundedPriors(0.01, 0.1))
    >>> [round(each.upper, 3) for each in after_everything(visits).beliefs.posterior]
    [0.083, 0.321, 0.5, 0.9]
    """
    spent = _amount(dataset.budget)
    if dataset.measure is Measure.EPSILON:
        plain = ApproxDP(spent, 0.0, dataset.adjacency)
        success, advantage = approx_dp_to_attack_success(plain), approx_dp_to_advantage(plain)
    else:
        advantage = least_advantage(composition(dataset, spent))
        success = advantage_to_attack_success(advantage)
    beliefs = _beliefs(
        dataset, dataset.budget, Rung(dataset.budget, dataset.exceedance * FULL_BUDGET_SHARE)
    )
    return WholeBudget(beliefs, success.probability, advantage.value)


def so_far(dataset: Dataset, entries: Iterable[Entry]) -> Beliefs:
    """What may be believed after what was charged, at any moment that anybody chooses.

    All charges count, whatever became of them: released, underway, given up, or voided. So the
    statement holds too where something was voided and had been released after all.

    Parameters
    ----------
    dataset : Dataset
        Whose book it is.
    entries : iterable of Charge or Amount
        Its book, or as much of it as there was at that moment.

    Examples
    --------
    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors())
    >>> so_far(visits, []).posterior[-1]
    PosteriorRange(prior=1.0, lower=1.0, upper=1.0)
    """
    return after(dataset, charged(entries))


def after(dataset: Dataset, spent: int) -> Beliefs:
    """What may be believed after charges that add up to so many units, voided ones among them."""
    rung = None if dataset.measure is Measure.EPSILON else rung_above(dataset, spent)
    return _beliefs(dataset, spent, rung)


def charged(entries: Iterable[Entry]) -> int:
    """Units of all charges of a book, those that were voided among them."""
    return sum(each.units for each in entries if each.state is State.CHARGED)


def rung_above(dataset: Dataset, spent: int) -> Rung:
    """The smallest rung of the ladder that so many units do not pass.

    Examples
    --------
    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=2.0**-20)
    >>> rung_above(visits, visits.budget // 3).units == visits.budget // 2
    True
    """
    rung = Rung(dataset.budget, dataset.exceedance * FULL_BUDGET_SHARE)
    if spent > rung.units:
        rung = Rung(2 * rung.units, rung.exceedance)  # of a second ladder, with an X of its own
        while spent > rung.units and rung.exceedance / 2 >= _UNLIKELIEST:
            rung = Rung(2 * rung.units, rung.exceedance / 2)
        return rung
    while spent <= rung.units // 2 and rung.exceedance / 2 >= _UNLIKELIEST:
        rung = Rung(rung.units // 2, rung.exceedance / 2)
    return rung


def _beliefs(dataset: Dataset, spent: int, rung: Rung | None) -> Beliefs:
    """Read at the sum for ε, at the rung for ρ."""
    if rung is None or dataset.measure is Measure.EPSILON:
        loss, exceedance = _amount(spent), 0.0
    else:
        loss = _loss(dataset, spent, rung)
        exceedance = dataset.exceedance * (1 if rung.units <= dataset.budget else 2)
    at_loss = PureDP(loss, dataset.adjacency)
    prior_bounds = (dataset.adversary.low, dataset.adversary.high)
    return Beliefs(
        loss=loss,
        exceedance=min(exceedance, 1.0),
        gamma=pure_dp_to_positive_membership(at_loss, dataset.adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=posterior_ranges(loss, sorted({*USUAL_PRIORS, *prior_bounds})),
    )


def _loss(dataset: Dataset, spent: int, rung: Rung) -> float:
    rho = _amount(rung.units)
    if not spent:
        return 0.0
    if spent > rung.units or rho > LARGEST_RHO:
        return math.inf  # beyond every rung, or what is searched, and beyond any protection
    return least_loss(composition(dataset, rho), rung.exceedance).epsilon


def _amount(spent: int) -> float:
    """So many units as a float, rounded up."""
    with directed() as r:
        return upper(r(Fraction(units.amount(spent))))
