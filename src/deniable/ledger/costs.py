"""What a release costs a dataset, from what it guarantees; and what would have fitted.

ε adds up with ε, ρ with ρ. A pure release costs ε²/2 of a ρ. Gaussian noise is charged in ρ
whatever sharper curve its certificate used: that adding up curves, and stopping when the total is
used up, is no filter is shown in docs/explanation/errata.md.
"""

import math
import os
from fractions import Fraction
from typing import Any, NamedTuple, assert_never

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument, NotApplicable, validate
from deniable.ledger import units
from deniable.ledger.book import check_exposure
from deniable.ledger.charge import Charge
from deniable.ledger.dataset import HOUSEHOLD, Dataset, Measure, People, check_people
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import ledger_of, one_dataset
from deniable.ledger.units import Spending, at_least, at_most
from deniable.notions import ZCDP, Adjacency, ApproxDP, ApproxZCDP, GaussianDP, Notion, PureDP
from deniable.notions.notation import parse
from deniable.numerics.answer import Answer
from deniable.numerics.rounding import greatest
from deniable.theorems import analysis
from deniable.theorems.analysis import AttackSuccessTarget, BoundedPriors, EpsilonTarget, Households

_DIGITS = 3
"""Significant digits of a target that would fit."""
_TOLERANCE = 1e-4
"""Relative, of the search for it: a tenth of the last digit, and some 15 calibrations."""


def cost_in_units(dataset: Dataset, measure: Measure, amount: Fraction) -> int:
    """Units that a release costs which spends so much ε, or ρ; rounded up."""
    if measure is dataset.measure:
        return units.to_units(amount)
    if dataset.measure is Measure.EPSILON:
        raise NotApplicable(
            f"Expected a release without delta, since {dataset.name!r} has a budget in epsilon, "
            "got one that spends rho. Leave delta out, or make a dataset with --delta."
        )
    return units.to_units(amount**2 / 2)


def cost_of_guarantee(dataset: Dataset, guarantee: Notion, units_changed: int = 1) -> Spending:
    """What anything costs which satisfies a guarantee, rounded up.

    A change of one of the dataset's entities is so many changes of what the guarantee is about:
    k times its ε, k² times its ρ. It is in the worst case over all tables: what holds of one
    population, or of beliefs alone, does not add up. With a budget of exposure it may be of
    ApproxDP and ApproxZCDP, whose δ that pays for.
    """
    match guarantee:
        case PureDP(records=None) | ApproxDP(delta=0.0, records=None):
            measure, spent = Measure.EPSILON, guarantee.epsilon
        case ZCDP():
            measure, spent = Measure.RHO, guarantee.rho
        case GaussianDP(slack=0.0):
            measure, spent = Measure.RHO, guarantee.mu
        case ApproxDP(records=None) if dataset.exposure is not None:
            measure, spent = Measure.EPSILON, guarantee.epsilon
        case ApproxZCDP() if dataset.exposure is not None:
            measure, spent = Measure.RHO, guarantee.rho
        case _:
            raise NotApplicable(
                f"Expected {_ADDED[dataset.exposure is None]} that holds of every table, got "
                f"{guarantee.spec}, which does not add up with other releases. Charge the release's"
                " worst-case differential privacy."
            )
    if guarantee.adjacency is not dataset.adjacency:
        raise NotApplicable(
            f"Expected a guarantee under {dataset.adjacency}, as {dataset.name!r} has it, got "
            f"{guarantee.spec}. State it for those neighbours: deniable derive."
        )
    if not math.isfinite(spent):
        raise NotApplicable(f"Expected a finite guarantee, got {guarantee.spec}.")
    delta = Fraction(getattr(guarantee, "delta", 0.0))
    if units_changed > 1 and delta:
        raise NotApplicable(
            f"Expected pure-dp, zcdp or gaussian-dp of a person or household, got {guarantee.spec}."
        )
    exact = Fraction(spent) * (units_changed if measure is Measure.EPSILON else units_changed**2)
    if isinstance(guarantee, GaussianDP):
        exact = (Fraction(spent) * units_changed) ** 2 / 2
    return cost_of(dataset, Spent(measure, exact, delta))


ENTITY, PERSON = "entity", "person"
"""The subjects of a guarantee that is charged by hand."""


def _units_changed(dataset: Dataset, of: str) -> int:
    """How many of them a change of one of the dataset's entities is at most.

    A household of up to k people is k persons. A person is two households, one that goes and one
    that comes: others of the household stay.
    """
    whom = validate.one_of(of, (ENTITY, PERSON, HOUSEHOLD), "of")
    own = HOUSEHOLD if dataset.by_household else PERSON
    if whom in (ENTITY, own):
        return 1
    if dataset.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable(
            f"Expected a dataset under add-remove for a guarantee about a {whom}, got "
            f"{dataset.name!r} under {dataset.adjacency}. Charge it to a dataset of its own."
        )
    return 2 if dataset.households is None or not dataset.by_household else dataset.households.size


_ADDED = {
    True: "pure-dp, zcdp or gaussian-dp",
    False: "pure-dp, zcdp, gaussian-dp, approx-dp or approx-zcdp",
}
"""What adds up without a budget of exposure, and with one."""


class Spent(NamedTuple):
    """What noise costs: an ε, or a ρ; and how probably keys of one entity alone appear besides."""

    measure: Measure
    amount: Fraction
    exposure: Fraction = Fraction(0)


def cost_of(dataset: Dataset, spent: Spent) -> Spending:
    """What a release costs a dataset, both amounts rounded up."""
    cost = Spending(
        cost_in_units(dataset, spent.measure, spent.amount), units.to_exposure(spent.exposure)
    )
    check_exposure(dataset, cost)
    return cost


def what_fits(
    dataset: Dataset,
    left: int,
    target: analysis.Target,
    adversary: BoundedPriors,
    delta: float | None,
    *,
    unknown_keys: bool = False,
    pure_noise: bool = False,
    households: Households | None = None,
) -> analysis.Target | None:
    """The largest target of the same kind whose release would fit into so many units.

    Rounded down to three digits; None where nothing fits that noise can meet. Of the measure only:
    the exposure is a part of delta (`delta_that_fits`).
    """
    if left <= 0:
        return None

    def needed(value: float) -> int:
        try:
            calibration = analysis.calibrated(
                _with(target, value),
                adversary,
                dataset.adjacency,
                delta,
                unknown_keys=unknown_keys,
                pure_noise=pure_noise,
                households=households,
            )
            return cost_of(dataset, spent_by(calibration)).units
        except (InvalidArgument, InfeasibleTarget):  # below what can be asked for, or met
            return 0

    def holds(value: float) -> bool:
        return needed(value) <= left

    least = _nothing(target, adversary)
    value = greatest(holds, least, target.value, tolerance=_TOLERANCE)
    nearest = _rounded_down(value * (1 + 2 * _TOLERANCE))  # the search may end just below it
    value = nearest if holds(nearest) else _rounded_down(value)
    return _with(target, value) if holds(value) and needed(value) else None


def delta_that_fits(
    dataset: Dataset,
    left: int,
    target: analysis.Target,
    adversary: BoundedPriors,
    delta: float,
    *,
    pure_noise: bool,
) -> float | None:
    """A delta whose release by unknown keys would fit into so many units of exposure.

    Rounded down to three digits; None where nothing fits that noise can meet.
    """

    def needed(value: float) -> int:
        calibration = analysis.calibrated(
            target, adversary, dataset.adjacency, value, unknown_keys=True, pure_noise=pure_noise
        )
        return units.to_exposure(calibration.exposure)

    try:
        value = _rounded_down(float(Fraction(delta) * max(left, 0) / needed(delta)))
        return value if value and needed(value) <= left else None
    except (InvalidArgument, InfeasibleTarget):
        return None


def spent_by(calibration: analysis.Calibration) -> Spent:
    """What a release spends that spends all that was calibrated."""
    composition, noise = calibration.composition, calibration.noise_epsilon
    exposure = Fraction(calibration.exposure)
    if composition is not None:
        return Spent(Measure.RHO, Fraction(composition.rho), exposure)
    epsilon = calibration.epsilon if noise is None else noise
    return Spent(Measure.EPSILON, Fraction(epsilon), exposure)


def _with(target: analysis.Target, value: float) -> analysis.Target:
    worlds = target.worlds if isinstance(target, analysis.IdentifiabilityTarget) else None
    return analysis.target_of(target.kind, value, worlds)


def _nothing(target: analysis.Target, adversary: BoundedPriors) -> float:
    """A value at which nothing is learned."""
    match target:
        case analysis.GammaTarget():
            return 1.0
        case AttackSuccessTarget():
            return 0.5
        case analysis.MaxPosteriorTarget():
            return min(adversary.high, target.value)
        case analysis.IdentifiabilityTarget():
            return min(1 / target.worlds, target.value)
        case analysis.AdvantageTarget() | EpsilonTarget():
            return 0.0
        case analysis.FalseNegativesTarget():
            raise AssertionError("error rates are asked of a training's curve only")
    assert_never(target)


def _rounded_down(value: float) -> float:
    if not value:
        return 0.0
    places = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    scale = Fraction(10) ** places
    return float(math.floor(Fraction(value) * scale) / scale)


def charge_guarantee(
    ledger: Ledger | str | os.PathLike[str],
    guarantee: str | Notion,
    *,
    what: str,
    dataset: str | None = None,
    of: str = ENTITY,
) -> Charge:
    """Charge any release with a known worst-case differential privacy, before it begins.

    Deniable's own releases charge themselves. This is for what it does not draw: of a model that
    will be trained, charge the ρ of all its steps. What nobody enters is not counted.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    guarantee : str or notion
        pure-dp, zcdp or gaussian-dp, as `derive` writes them, under the dataset's neighbours.
        A pure one costs ε²/2 of a budget in ρ. A budget of exposure pays for the δ of approx-dp
        and approx-zcdp.
    what : str
        A label for people.
    dataset : str, optional
        Whose budget; may be left out where there is one.
    of : {"entity", "person", "household"}
        Whom the guarantee is about, under add-remove. A person's ε costs a dataset of households
        of up to k people kε, and ρ k²ρ. A household's ε costs a dataset of persons 2ε, and ρ 4ρ,
        if each person is in one household of what is released.

    Returns
    -------
    Charge
        The entry; its `id` goes to `Ledger.released` when a statement of it is released.

    Raises
    ------
    NotApplicable
        If the guarantee does not add up with others, as those of one population or of beliefs, is
        of other neighbours, or is Gaussian and the budget an ε.
    BudgetExceeded
        If less is left; nothing is written then.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new, units
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", entity="patient", epsilon=1.0)
    ...     entry = charge_guarantee(file, "pure-dp:0.25", what="a table by hand")
    >>> units.amount(entry.units)
    Fraction(1, 4)
    """
    there = ledger_of(ledger)
    people = one_dataset(there, dataset)
    stated = parse(guarantee) if isinstance(guarantee, str) else guarantee
    cost = cost_of_guarantee(people, stated, _units_changed(people, of))
    return there.charge(people, cost.units, what=what, exposure=cost.exposure)


@attrs.frozen(repr=False)
class Cost(Answer):
    """What a release would take, and what would be left.

    It would be charged `units`, and `left` may still be charged; `exposure` and `exposure_left` are
    the same in units of 2⁻⁵⁰, 0 without a budget of it. Where either does not fit, `would_fit` is
    the largest target of the same kind that would, and `delta_would_fit` a delta, if there is one.
    """

    OWNER_ONLY = True

    place: str
    dataset: Dataset
    units: int
    left: int
    would_fit: analysis.Target | None
    exposure: int = 0
    exposure_left: int = 0
    delta_would_fit: float | None = None

    @property
    def fits(self) -> bool:
        """Whether it could be charged now."""
        return self.units <= self.left and self.exposure <= self.exposure_left

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; amounts are rounded to the safe side."""
        exposure = {} if self.dataset.exposure is None else {"exposure": self._exposure_as_json()}
        return exposure | {
            "place": self.place,
            "dataset": self.dataset.name,
            "measure": str(self.dataset.measure),
            "cost": at_most(self.units),
            "left": at_least(self.left),
            "left_after": at_least(self.left - self.units) if self.fits else None,
            "fits": self.fits,
            "would_fit": None if self.would_fit is None else self.would_fit.as_json(),
            "units": {"cost": self.units, "left": self.left},
        }

    def _exposure_as_json(self) -> dict[str, Any]:
        after = self.exposure_left - self.exposure
        return {
            "cost": float(units.exposure(self.exposure)),
            "left": float(units.exposure(self.exposure_left)),
            "left_after": float(units.exposure(after)) if self.fits else None,
            "delta_would_fit": self.delta_would_fit,
            "units": {"cost": self.exposure, "left": self.exposure_left},
        }


def cost_of_calibration(
    ledger: Ledger | str | os.PathLike[str],
    calibration: analysis.Calibration,
    dataset: str | None = None,
    *,
    people: People | None = None,
    is_paid: bool = False,
) -> Cost:
    """What a calibrated budget would take from a dataset, as `deniable.ledger.cost` has it.

    One unit, for an entry, where it `is_paid` already: by the release that is continued.
    """
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    if people is not None:
        check_people(selected, people)
    if calibration.adjacency is not selected.adjacency:
        raise NotApplicable(
            f"Expected a release under {selected.adjacency}, as {selected.name!r} has it, got one "
            f"under {calibration.adjacency}. Ask for that adjacency."
        )
    spent = spent_by(calibration)
    in_whole_units = spent._replace(amount=units.amount(units.budget(spent.amount)))
    wanted = Spending(1) if is_paid else cost_of(selected, in_whole_units)
    left = selected.spending - there.spending(selected.name)
    target, delta = calibration.target, calibration.delta or None
    fitting = delta_would_fit = None
    if wanted.units > left.units:
        fitting = what_fits(
            selected,
            left.units,
            target,
            calibration.adversary,
            delta,
            unknown_keys=bool(calibration.exposure),
            pure_noise=calibration.noise_epsilon is not None,
        )
    if wanted.exposure > left.exposure and delta is not None:
        delta_would_fit = delta_that_fits(
            selected,
            left.exposure,
            target,
            calibration.adversary,
            delta,
            pure_noise=calibration.noise_epsilon is not None,
        )
    return Cost(
        there.shown,
        selected,
        wanted.units,
        left.units,
        fitting,
        wanted.exposure,
        left.exposure,
        delta_would_fit,
    )
