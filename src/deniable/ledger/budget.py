"""The budget that all releases share, from an adversary and one target.

Beliefs do not add up and privacy loss does, so a target is calibrated once, when a dataset is made.
"""

from fractions import Fraction

from deniable.errors import InvalidArgument, validate
from deniable.ledger import units
from deniable.ledger.dataset import Dataset, Measure
from deniable.notions import Adjacency, PrivacyLossTail
from deniable.numerics.rounding import directed, lower
from deniable.theorems import analysis
from deniable.theorems.analysis import BoundedPriors, Households, MaxPosteriorTarget
from deniable.theorems.analysis.explain import DEFAULT_EXCEEDANCE
from deniable.theorems.analysis.privacy_loss import largest_rho
from deniable.theorems.households import person_epsilon

FULL_BUDGET_SHARE = 0.5
"""Share of a dataset's exceedance that its whole budget takes; the rest is for parts of it."""


def budgeted(
    name: str,
    target: analysis.Target,
    *,
    adversary: BoundedPriors,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    delta: float | None = None,
    exposure: float | None = None,
    entity: str | None = None,
    unit: str | None = None,
    households: Households | None = None,
    by_household: bool = False,
) -> Dataset:
    r"""A dataset whose budget is the largest that keeps to a target, rounded down.

    Without δ the budget is an ε. With it the budget is a ρ, and all that the ledger ever says of
    the dataset about rises of belief holds at once except with probability δ, and all about falls
    likewise; half of that is for the whole budget:

    .. math:: e^{-(\epsilon - \rho)^2 / 4\rho} \le \delta / 2

    With an exposure besides, all of it is counted as spent on keys that one entity alone has:
    everything is ξ-approximate ρ-zCDP, or (ε, ξ)-DP with noise of pure ε.

    `target` is what may be believed at most after everything that is ever published, `adversary`
    what may be believed before the first release. `delta`, of each entity by itself, admits
    Gaussian noise. `exposure`, for each entity by itself, is the probability that keys appear which
    it alone has, and admits keys that nobody knows. It is below half of `delta`; without, what is
    said of beliefs fails with a probability of 100 times as much.

    With `households` the target is about one person of such a household, and the budget the ε or ρ
    of each person with which all releases together keep to it; an ε as the target stays a person's.
    What households reveal never adds up, so it is read off that sum. Where the entity is the
    household, `by_household`, target and budget are the household's.

    That ε, and ρ, add up to what may be spent in all, also where every release is chosen in the
    light of all earlier ones: rogers-2016 and feldman-zrnic-2021.
    """
    where = Adjacency(adjacency)
    total = None if delta is None else validate.open_probability(delta, "delta")
    exceedance = None if total is None else validate.normal(total * FULL_BUDGET_SHARE, "delta / 2")
    keys = None if exposure is None else units.exposure_budget(exposure)
    if keys is None:
        # Parts of any kind must fit, so the way of Gaussian noise alone is not taken.
        calibration = analysis.calibrated(target, adversary, where, exceedance, slack=None)
    else:
        rarely = float(units.exposure(keys))
        if total is None:
            total = min(DEFAULT_EXCEEDANCE * rarely, (1 + rarely) / 2)
        if exceedance is not None and not rarely < exceedance:
            raise InvalidArgument(
                f"Expected an exposure below half of delta, got exposure={rarely}, delta={total}. "
                f"A thousandth of delta, {total / 1000:.3g}, leaves nearly all of the budget."
            )
        calibration = analysis.calibrated(
            target, adversary, where, total if exceedance is None else exceedance, slack=None,
            unknown_keys=True, pure_noise=exceedance is None, exposure=rarely,
        )  # fmt: skip
    composition = calibration.composition
    spent: float | Fraction = calibration.noise_epsilon or calibration.epsilon
    if composition is not None:
        spent = composition.rho
    if households is not None and not (by_household or isinstance(target, analysis.EpsilonTarget)):
        spent = _of_person(calibration, households, exceedance)
    return Dataset(
        name=name,
        entity=entity,
        unit=unit,
        adjacency=where,
        adversary=adversary,
        target=target,
        exceedance=0.0 if total is None else total,
        measure=Measure.EPSILON if composition is None else Measure.RHO,
        budget=units.budget(spent),
        exposure=keys,
        households=households,
        by_household=by_household,
    )


def _of_person(
    calibration: analysis.Calibration, households: Households, exceedance: float | None
) -> float | Fraction:
    """The ε or ρ of each person that keeps a household to what was calibrated, rounded down."""
    target, composition = calibration.target, calibration.composition
    if isinstance(target, analysis.IdentifiabilityTarget):
        raise InvalidArgument(
            "Expected a limit on beliefs in one person with households, got identifiability. Ask "
            "for max_posterior."
        )
    if composition is None or exceedance is None:
        return person_epsilon(calibration.epsilon, households)
    tied = Fraction(composition.rho) / households.size**2
    match households.model:
        case None:
            return tied
        case ["odds_ratio", psi] if isinstance(target, MaxPosteriorTarget | analysis.GammaTarget):
            with directed() as r:  # what the tie of memberships adds to the loss, `loss_of`
                most = lower(r(calibration.loss) - r.log(r(psi)) * (households.size - 1))
            if most <= 0:
                return tied
            near = PrivacyLossTail(most, exceedance, calibration.adjacency)
            return max(tied, Fraction(largest_rho(near, None, calibration.adjacency).rho))
        case [name, _]:
            raise InvalidArgument(
                f"Expected a budget without delta for {target.kind} with {name}, got delta. Leave "
                "delta out, or give households without a model."
            )
    raise AssertionError("a model has a name and a number")


def composition(dataset: Dataset, rho: float, exposure: int = 0) -> analysis.Composition:
    """What a dataset's releases of this total ρ satisfy together, whatever they are.

    `exposure` is in units.
    """
    route = analysis.Route.APPROXIMATE if exposure else analysis.Route.CONCENTRATED
    rarely = float(units.exposure(exposure))
    return analysis.Composition(rho, route, None, dataset.adjacency, rarely)
