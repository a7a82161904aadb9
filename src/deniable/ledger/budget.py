"""From an adversary and one target to the budget that all releases share.

Beliefs do not add up and privacy loss does, so a target is calibrated once, when a dataset is made.
"""

from deniable.errors import validate
from deniable.ledger import units
from deniable.ledger.dataset import Dataset, Measure
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import Composition, Route, Target, calibrated

FULL_BUDGET_SHARE = 0.5
"""Share of a dataset's exceedance that its whole budget takes; the rest is for parts of it."""


def budgeted(
    name: str,
    target: Target,
    *,
    adversary: BoundedPriors,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    delta: float | None = None,
    entity: str | None = None,
    unit: str | None = None,
) -> Dataset:
    r"""A dataset whose budget is the largest that keeps to a target, rounded down.

    Without δ the budget is an ε. With it the budget is a ρ, and all that the ledger ever says of
    the dataset about rises of belief holds at once except with probability δ, and all about falls
    likewise; half of that is for the whole budget:

    .. math:: e^{-(\epsilon - \rho)^2 / 4\rho} \le \delta / 2

    Parameters
    ----------
    name : str
        How plans and certificates call the dataset.
    target : Target
        What may be believed at most after everything that is ever published.
    adversary : BoundedPriors
        What may be believed before the first release.
    adjacency : Adjacency or str
        Which tables are neighbours.
    delta : float, optional
        In (0, 1): admits Gaussian noise. Probability of outputs, of all releases together, that
        may move a belief further; of each entity by itself.
    entity, unit : str, optional
        The column that names a person, and a word for one of them.

    Returns
    -------
    Dataset
        With its measure and its budget in units.

    Raises
    ------
    InvalidArgument
        If an argument is out of range.
    InfeasibleTarget
        If no noise meets the target.

    References
    ----------
    rogers-2016 and feldman-zrnic-2021 (that ε, and ρ, add up to what may be spent in all, also
    where every release is chosen in the light of all earlier ones).

    Examples
    --------
    >>> from deniable.theorems.analysis.target import MaxPosteriorTarget
    >>> visits = budgeted("visits", MaxPosteriorTarget(0.5), adversary=BoundedPriors(0.01, 0.1))
    >>> str(visits.measure), round(float(units.amount(visits.budget)), 6)
    ('epsilon', 2.197225)
    """
    where = Adjacency(validate.one_of(adjacency, Adjacency, "adjacency"))
    total = None if delta is None else validate.open_probability(delta, "delta")
    exceedance = None if total is None else validate.normal(total * FULL_BUDGET_SHARE, "delta / 2")
    # Parts of any kind must fit, so the way of Gaussian noise alone is not taken.
    calibration = calibrated(target, adversary, where, exceedance, slack=None)
    composition = calibration.composition
    spent = calibration.epsilon if composition is None else composition.rho
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
    )


def composition(dataset: Dataset, rho: float) -> Composition:
    """What a dataset's releases of this total ρ satisfy together, whatever they are."""
    return Composition(rho, Route.CONCENTRATED, None, dataset.adjacency)
