"""What a book adds up to: what was spent, what is left, and what may be believed."""

import math
import os
import sys
from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.ledger import units
from deniable.ledger.budget import FULL_BUDGET_SHARE, composition
from deniable.ledger.charge import Amount, Charge, Entry, State, spent
from deniable.ledger.dataset import Dataset, Measure
from deniable.ledger.ledger import Ledger
from deniable.ledger.tables import Overview
from deniable.ledger.units import Spending
from deniable.notions import ApproxDP, PureDP
from deniable.numerics.answer import Answer, display
from deniable.numerics.rounding import directed, lower, upper
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import (
    LARGEST_RHO,
    USUAL_PRIORS,
    PosteriorRange,
    either_end,
    least_advantage,
    least_loss,
    posterior_ranges,
)
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
        """Every field under its name, and how rarely a range is left at either end."""
        return attrs.asdict(self) | {
            "exceedance_either_end": either_end(self.loss, self.exceedance),
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
    the person who voided it had not looked at what was drawn.

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

    >>> from deniable.theorems.analysis.target import MaxPosteriorTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", MaxPosteriorTarget(0.5), adversary=BoundedPriors(0.01, 0.1))
    >>> [round(each.upper, 3) for each in after_everything(visits).beliefs.posterior]
    [0.083, 0.321, 0.5, 0.9]
    """
    spent, exposure = _amount(dataset.budget), dataset.exposure or 0
    if dataset.measure is Measure.EPSILON:
        plain = ApproxDP(spent, float(units.exposure(exposure)), dataset.adjacency)
        success, advantage = approx_dp_to_attack_success(plain), approx_dp_to_advantage(plain)
    else:
        advantage = least_advantage(composition(dataset, spent, exposure))
        success = advantage_to_attack_success(advantage)
    beliefs = _beliefs(dataset, _whole_loss(dataset), dataset.exceedance)
    return WholeBudget(beliefs, success.probability, advantage.value)


def so_far(dataset: Dataset, entries: Iterable[Entry]) -> Beliefs:
    """What may be believed after what was charged, at any moment that anybody chooses.

    All charges count, whatever became of them: released, underway, given up, or voided. So the
    statement holds too where something was voided and had been released after all.

    `entries` are its book, or as much of it as there was at that moment.

    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors())
    >>> so_far(visits, []).posterior[-1]
    PosteriorRange(prior=1.0, lower=1.0, upper=1.0)
    """
    return after(dataset, charged(entries))


def after(dataset: Dataset, spent: Spending) -> Beliefs:
    """What may be believed after charges that add up to as much, voided ones among them."""
    if dataset.measure is Measure.EPSILON:
        return _beliefs(dataset, *_pure_loss(dataset, spent))
    return _beliefs(dataset, *_loss(dataset, spent))


def charged(entries: Iterable[Entry]) -> Spending:
    """What all charges of a book add up to, those that were voided among them."""
    return spent([each for each in entries if each.state is State.CHARGED])


def rung_above(dataset: Dataset, spent: int) -> Rung:
    """The smallest rung of the ladder that so many units do not pass.

    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=2.0**-20)
    >>> rung_above(visits, visits.budget // 3).units == visits.budget // 2
    True
    """
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


def _beliefs(dataset: Dataset, loss: float, exceedance: float) -> Beliefs:
    """What may be believed at a privacy loss."""
    at_loss = PureDP(loss, dataset.adjacency)
    prior_bounds = (dataset.adversary.low, dataset.adversary.high)
    return Beliefs(
        loss=loss,
        exceedance=min(exceedance, 1.0),
        gamma=pure_dp_to_positive_membership(at_loss, dataset.adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=posterior_ranges(loss, sorted({*USUAL_PRIORS, *prior_bounds})),
    )


def _whole_loss(dataset: Dataset) -> float:
    """The loss of everything that the budgets pay for."""
    rho, exposure = _amount(dataset.budget), dataset.exposure or 0
    if dataset.measure is Measure.EPSILON:
        return rho if not exposure else _excused(dataset, rho, exposure, dataset.exceedance)
    if rho > LARGEST_RHO:
        return math.inf  # beyond what is searched, and beyond any protection
    rarely = dataset.exceedance * FULL_BUDGET_SHARE
    if units.exposure(exposure) >= Fraction(rarely):
        return math.inf
    return least_loss(composition(dataset, rho, exposure), rarely).epsilon


def _pure_loss(dataset: Dataset, spent: Spending) -> tuple[float, float]:
    """The loss after pure releases, and how rarely what is said of it fails."""
    loss, rarely = _amount(spent.units), dataset.exceedance
    if not spent.exposure:  # no key of one entity can have appeared yet
        return loss, rarely
    keys = Rung(dataset.exposure or 0, rarely)
    if spent.exposure > keys.units:
        keys = _doubled(Rung(2 * keys.units, rarely / 2), spent.exposure)
        rarely *= 2
    if spent.exposure > keys.units:
        return math.inf, rarely
    return _excused(dataset, loss, keys.units, keys.exceedance), rarely


def _loss(dataset: Dataset, spent: Spending) -> tuple[float, float]:
    """The loss after releases in ρ, and how rarely what is said of it fails."""
    rarely, exposure = dataset.exceedance, dataset.exposure or 0
    if not spent.units:
        return 0.0, rarely
    is_within = spent.fits(dataset.spending)
    rung = rung_above(dataset, spent.units if is_within else max(spent.units, dataset.budget + 1))
    if not is_within:
        rarely *= 2
    if rung.units == dataset.budget:
        return _whole_loss(dataset), rarely
    if spent.units > rung.units or _amount(rung.units) > LARGEST_RHO:
        return math.inf, rarely  # beyond every rung, or what is searched, and any protection
    share = rung.exceedance if not exposure else rung.exceedance / 2
    if share < _UNLIKELIEST:
        return math.inf, rarely
    loss = least_loss(composition(dataset, _amount(rung.units)), share).epsilon
    if spent.exposure:
        keys = _doubled(Rung(exposure, dataset.exceedance / 4), spent.exposure)
        if spent.exposure > keys.units:
            return math.inf, rarely
        loss = _excused(dataset, loss, keys.units, keys.exceedance)
    return min(loss, _whole_loss(dataset)) if is_within else loss, rarely


def _excused(dataset: Dataset, loss: float, exposure: int, rarely: float) -> float:
    """A loss but for keys of one entity, which excuse an output so rarely: loss − ln(1 − ξ/X)."""
    exact = units.exposure(exposure)
    if exact >= Fraction(rarely) or math.isinf(loss):
        return math.inf
    keys = ApproxDP(loss, float(exact), dataset.adjacency)
    return approx_dp_to_privacy_loss_tail(keys, rarely).epsilon


def _amount(spent: int) -> float:
    """Return so many units as a float, rounded up."""
    with directed() as r:
        return upper(r(Fraction(units.amount(spent))))


_MOMENTS = 60
"""Points of the picture of beliefs: a chart of a page shows no more, and each takes 1 ms."""
_NEWEST = 200
"""Charges whose texts are read: as many as a page shows; the export has all."""
_EVEN = 0.5
"""Belief beforehand that sentences speak of, where the adversary's range holds it."""


@attrs.frozen
class Moment:
    """What might be believed once so many charges had been entered, voided ones among them.

    `belief` is the largest of somebody who began with the summary's prior.
    """

    charges: int
    belief: float


@attrs.frozen(repr=False)
class Summary(Answer):
    """One dataset's book; for those who keep it.

    Parameters
    ----------
    place : str
        The file, or the server's host and database.
    dataset : Dataset
        What was fixed when it was made.
    amounts : tuple of Amount
        The book without its texts: each entry's charge, state and units, first to last.
    newest : tuple of Charge
        All entries of the newest charges, first to last.
    head : str
        Digest of the newest entry: two copies that went different ways differ in it.
    everything : WholeBudget
        What holds after everything that is ever published.
    so_far : Beliefs
        What holds after what was charged until now.
    """

    OWNER_ONLY = True

    place: str
    dataset: Dataset
    amounts: tuple[Amount, ...]
    newest: tuple[Charge, ...]
    head: str
    everything: WholeBudget
    so_far: Beliefs

    @property
    def spending(self) -> Spending:
        """What all charges took that are not void."""
        return spent(self.amounts)

    @property
    def spent(self) -> int:
        """Units of all charges that are not void."""
        return self.spending.units

    @property
    def left(self) -> int:
        """Units that may still be charged."""
        return self.dataset.budget - self.spent

    @property
    def exposure_left(self) -> int:
        """Units of exposure that may still be charged; 0 without a budget of it."""
        return (self.dataset.exposure or 0) - self.spending.exposure

    @property
    def prior(self) -> float:
        """The belief beforehand that sentences and pictures speak of."""
        return told_prior(self.dataset)

    @property
    def like_the_last(self) -> int | None:
        """How many more of the size of the last charge are left; None before the first."""
        void = {each.id for each in self.amounts if each.state is State.VOID}
        for each in reversed(self.amounts):
            if each.state is State.CHARGED and each.id not in void:
                more = self.left // each.units
                if each.exposure:
                    more = min(more, self.exposure_left // each.exposure)
                return more
        return None

    @property
    def open_charges(self) -> tuple[Amount, ...]:
        """Charges that are neither released nor void: underway, or given up."""
        ended = {each.id for each in self.amounts if each.state is not State.CHARGED}
        return tuple(each for each in self.amounts if each.id not in ended)

    @property
    def charges(self) -> int:
        """How many there were, voided ones among them."""
        return sum(each.state is State.CHARGED for each in self.amounts)

    @property
    def path(self) -> tuple[Moment, ...]:
        """Beliefs as charges accumulated, first to last; worked out when it is asked for."""
        # Beliefs before the first charge, after the last, and after evenly many in between.
        dataset = self.dataset
        charges = (spent([each]) for each in self.amounts if each.state is State.CHARGED)
        totals = list(accumulate(charges, initial=Spending(0)))
        last = len(totals) - 1
        numbers = sorted({round(last * step / _MOMENTS) for step in range(_MOMENTS + 1)})
        if last <= _MOMENTS:
            numbers = list(range(last + 1))
        prior = told_prior(dataset)
        known: dict[Spending, float] = {}
        moments = []
        for number in numbers:
            total = totals[number]
            key = _seen(dataset, total)
            if key not in known:
                beliefs = after(dataset, total)
                known[key] = next(each.upper for each in beliefs.posterior if each.prior == prior)
            moments.append(Moment(number, known[key]))
        return tuple(moments)

    def belief(self, beliefs: Beliefs) -> float:
        """The largest belief of somebody who began with `prior`."""
        return next(each.upper for each in beliefs.posterior if each.prior == self.prior)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; amounts are rounded to the safe side."""
        dataset = self.dataset
        exposure = {} if dataset.exposure is None else {"exposure": self._exposure_as_json()}
        return exposure | {
            "place": self.place,
            "dataset": dataset.name,
            "entity": dataset.entity,
            "unit": dataset.unit,
            "adjacency": str(dataset.adjacency),
            "adversary": {"prior": [dataset.adversary.low, dataset.adversary.high]},
            "target": dataset.target.as_json(),
            "measure": str(dataset.measure),
            "budget": at_least(dataset.budget),
            "spent": at_most(self.spent),
            "left": at_least(self.left),
            "units": {"budget": dataset.budget, "spent": self.spent, "left": self.left},
            "like_the_last": self.like_the_last,
            **{
                name: value
                for name, value in self.everything.beliefs.as_json().items()
                if name in ("posterior", "exceedance", "exceedance_either_end")
            },
            "so_far": self.so_far.as_json(),
            "open": [each.id for each in self.open_charges],
            "entries": len(self.amounts),
            "head": self.head,
        }

    def _exposure_as_json(self) -> dict[str, Any]:
        """The budget of exposure, in probabilities rounded to the safe side, and in 2⁻⁵⁰."""
        amounts = {
            "budget": self.dataset.exposure or 0,
            "spent": self.spending.exposure,
            "left": self.exposure_left,
        }
        exact = {name: float(units.exposure(each)) for name, each in amounts.items()}
        return exact | {"units": amounts}

    def plot(self) -> Any:
        """What may be believed as charges accumulate; for those who keep the ledger.

        Returns
        -------
        altair.Chart
            Needs the extra publish.
        """
        return display(self, "plot")


def show(ledger: Ledger | str | os.PathLike[str], dataset: str | None = None) -> Summary:
    """What was spent on the people of a dataset, and what may be believed after all of it.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    dataset : str, optional
        Whose book; may be left out where there is one.

    Returns
    -------
    Summary
        For those who keep the ledger: how many charges there were is not public.

    Raises
    ------
    InvalidArgument
        If there is no such dataset, or none is named and there are several.
    LedgerError
        If the ledger cannot be read, or is none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new, show
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", epsilon=1.0)
    ...     answer = show(file)
    >>> answer.spent, round(answer.belief(answer.everything.beliefs), 3)
    (0, 0.731)
    """
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    return summary(there, selected, there.overview(selected.name, _NEWEST))


def summary(ledger: Ledger, dataset: Dataset, book: Overview) -> Summary:
    """What a book that was read adds up to."""
    return Summary(
        place=ledger.shown,
        dataset=dataset,
        amounts=book.amounts,
        newest=book.newest,
        head=book.head,
        everything=after_everything(dataset),
        so_far=so_far(dataset, book.amounts),
    )


def ledger_of(ledger: Ledger | str | os.PathLike[str]) -> Ledger:
    """A ledger as a value, however it was named."""
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)


def one_dataset(ledger: Ledger, name: str | None) -> Dataset:
    """The dataset of that name, or the only one."""
    if name is not None:
        return ledger.dataset(name)
    datasets = ledger.datasets()
    if len(datasets) != 1:
        names = ", ".join(repr(each.name) for each in datasets)
        raise InvalidArgument(
            f"Expected `dataset`, since {ledger.shown} has {len(datasets)}, got none. Name one of "
            f"{names}."
        )
    return datasets[0]


def told_prior(dataset: Dataset) -> float:
    """50 % where the adversary may believe that, otherwise the most that they may."""
    adversary = dataset.adversary
    return _EVEN if adversary.low <= _EVEN <= adversary.high else adversary.high


def at_most(amount: int) -> float:
    """Return so many units as a float, rounded up."""
    with directed() as r:
        return upper(r(Fraction(units.amount(amount))))


def at_least(amount: int) -> float:
    """Return so many units as a float, rounded down."""
    with directed() as r:
        return lower(r(Fraction(units.amount(amount))))


def _seen(dataset: Dataset, spent: Spending) -> Spending:
    """Return what beliefs depend on: in ρ the rung, and of exposure its own."""
    if dataset.measure is Measure.EPSILON or not spent.fits(dataset.spending):
        return spent
    rung = rung_above(dataset, spent.units).units if spent.units else 0
    return Spending(rung, min(spent.exposure, 1))
