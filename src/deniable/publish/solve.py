"""The least target, or belief, that allows wanted half-widths: by public numbers."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument, NotApplicable, validate
from deniable.notions import Adjacency, ApproxDP, Notion, PureDP
from deniable.numerics.answer import Answer, fields_of
from deniable.numerics.rounding import directed, least, lower
from deniable.pipeline.noise import VectorPart, claimed_loss
from deniable.publish.plan import PublicPlan
from deniable.publish.plan.precision import VectorNoise, largest_noise
from deniable.publish.query import Protection
from deniable.publish.statistics import Count, Mean, Sum
from deniable.theorems import analysis
from deniable.theorems.analysis import BoundedPriors
from deniable.theorems.attacks import advantage_to_attack_success, approx_dp_to_advantage
from deniable.theorems.gaussian import discrete_gaussian_to_gaussian_dp_by_rounding
from deniable.theorems.membership import pure_dp_to_positive_membership

_TOLERANCE = 1e-4  # share of the target up to which the least one is sought; it is then rounded up
_DIGITS = 5  # significant digits of the answer
_LARGEST_LOSS = 200.0  # privacy loss beyond which nothing is protected: no target is sought there


M = TypeVar("M", bound=PublicPlan)
P = TypeVar("P")
"""A plan, calibrated."""


def solve(plan: M, calibrate: Callable[[M], P]) -> P:
    """The plan with the least target of its kind at which every precision is kept.

    Of its target only the kind is looked at; the answer's has five significant digits, rounded up,
    and was tried.
    """
    if plan.population is not None:
        raise InvalidArgument(
            "Expected a target against everybody, got one beside a population. Solve it without "
            "the list, as the floor."
        )
    if getattr(plan, "spends", None) is not None:
        raise InvalidArgument(
            "Expected a plan with a target, got one that spends a share of a budget. Remove share "
            "and add [target]."
        )
    missing = [query.name for query in plan.queries if query.precision is None]
    if missing:
        raise InvalidArgument(
            f"Expected precision in every query, got none in {missing[0]!r}. Add precision = …."
        )
    low, high = _range(plan)

    def at(value: float) -> P | None:
        target = attrs.evolve(plan.target, value=value)
        try:
            return calibrate(attrs.evolve(plan, target=target))
        except InfeasibleTarget:
            return None

    def keeps(value: float) -> bool:
        return at(value) is not None

    if not keeps(high):
        raise InfeasibleTarget(
            f"Expected half-widths that some {plan.target.kind} allows, got smaller ones: "
            f"{plan.target.kind} = {high:g} does not. Ask for less precision, or for epsilon."
        )
    value = least(keeps, low, high, tolerance=_TOLERANCE)
    for digits in (_DIGITS, _DIGITS + 2, _DIGITS + 5):
        unit = Fraction(10) ** (math.floor(math.log10(value)) - digits + 1)
        rounded = float(math.ceil(Fraction(value) / unit) * unit)
        answer = at(rounded) if low < rounded < high else None
        if answer is not None:
            return answer
    raise AssertionError("a target that keeps the half-widths, rounded up, does not")


def _range(plan: PublicPlan) -> tuple[float, float]:
    """Return the ends of the search: what allows nothing, and what allows about any noise."""
    target: analysis.Target = plan.target
    match target:
        case analysis.EpsilonTarget():
            return 2.0**-40, _LARGEST_LOSS
        case analysis.GammaTarget():
            return 1.0, math.exp(_LARGEST_LOSS)
        case analysis.MaxPosteriorTarget():
            return plan.adversary.high, 1 - 1e-9
        case analysis.AttackSuccessTarget():
            return 0.5, 1 - 1e-9
        case analysis.AdvantageTarget():
            return 0.0, 1 - 1e-9
        case analysis.IdentifiabilityTarget():
            return 1 / target.worlds, 1 - 1e-9
    raise AssertionError(f"unknown target {target}")


_COLUMN = "value"  # what the column of a sum or a mean is called here; nobody sees it
_SCALE_DIGITS = 6
"""Significant digits of a scale, rounded down, so that what is shown is what all else is of."""


@attrs.frozen(repr=False)
class AccuracyExplanation(Answer):
    """What the accuracy of one statistic lets an adversary believe, at least.

    The noise is the largest that keeps the half-width; no plan with this one query, of any target,
    promises less of it. With `delta`, beliefs are read at the privacy loss `loss`, which is
    passed with a probability of at most `delta` for each entity.

    Parameters
    ----------
    statistic : str
        "count", "sum" or "mean".
    precision, half_width_95 : float
        What was asked for, and what the noise has; in the unit of what is published.
    mechanism : str
        The noise.
    scale : float
        Its scale in the unit of what is published, six digits, rounded down.
    sensitivity : float
        In the same unit: L1 of discrete Laplace noise, L2 of discrete Gaussian noise.
    epsilon, delta : float
        (ε, δ)-DP, or ε-DP.
    rho, mu : float or None
        Of Gaussian noise: zero-concentrated and Gaussian DP.
    loss : float
        At which beliefs are read.
    risks : tuple of RiskAtBaseline
        Success of singling out, or of guessing a secret, at some baselines.
    """

    statistic: str
    precision: float
    half_width_95: float
    mechanism: str
    scale: float
    sensitivity: float
    adjacency: Adjacency
    adversary: BoundedPriors
    epsilon: float
    delta: float
    rho: float | None
    mu: float | None
    loss: float
    gamma: float
    gamma_outside: float
    posterior: tuple[analysis.PosteriorRange, ...]
    attack_success: float
    advantage: float
    risks: tuple[analysis.RiskAtBaseline, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        names = ("statistic", "precision", "half_width_95", "mechanism", "scale", "sensitivity")
        result = fields_of(self, *names, "adjacency")
        result["prior"] = [self.adversary.low, self.adversary.high]
        result |= fields_of(self, "epsilon", "delta")
        if self.delta:
            result |= {"rho": self.rho, "mu": self.mu, "loss": self.loss, "exceedance": self.delta}
            result["exceedance_either_end"] = analysis.either_end(self.loss, self.delta)
        beliefs = ("gamma", "gamma_outside", "posterior", "attack_success", "advantage")
        return result | fields_of(self, *beliefs, "risks", "cautions")

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is wrong with so much accuracy, in sentences."""
        return analysis.belief_cautions(self.loss, self.attack_success, self.delta)


def explain_accuracy(
    half_width: float,
    statistic: str = "count",
    *,
    bounds: tuple[float, float] | None = None,
    records: int | None = None,
    cells: int = 1,
    rows: int = 1,
    delta: float | None = None,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    prior: tuple[float, float] = (0.0, 1.0),
) -> AccuracyExplanation:
    """Return what an adversary can at least conclude from a statistic with this 95 % half-width.

    Parameters
    ----------
    half_width : float
        What is wanted, > 0, in the unit of what is published: rows, the column's, the mean's.
    statistic : str
        "count", "sum" or "mean"; a histogram is a count in several `cells`.
    bounds : (float, float), optional
        Of a sum's or a mean's values, in the column's unit.
    records : int, optional
        Of a mean: over how many records, which is public.
    cells : int
        How many numbers are published, of which a row counts in one: groups, or bins.
    rows : int
        Most rows of one entity.
    delta : float, optional
        In (0, 1): admits Gaussian noise, and is how probable a larger loss may be.
    adjacency : Adjacency or str
        "replace-one" or "add-remove".
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before.

    Returns
    -------
    AccuracyExplanation
        The scale rounded down, all else rounded up.

    Raises
    ------
    InvalidArgument
        If a number is out of its range, or is missing or of no use for this statistic.
    InfeasibleTarget
        If noise that keeps it protects nobody.

    Examples
    --------
    >>> answer = explain_accuracy(10, cells=2, delta=1e-6, prior=(0.5, 0.5))
    >>> answer.scale, round(answer.posterior[0].upper, 4)
    (5.36501, 0.8054)
    """
    wanted = validate.positive(half_width, "half_width")
    where = Adjacency(adjacency)
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    if delta is not None:
        validate.open_probability(delta, "delta")
    made = _statistic(statistic, bounds, records, where)
    numbers = validate.integer(cells, "cells", least=1)
    if statistic == "mean" and numbers > 1:
        raise InvalidArgument("Expected one mean, got several cells. Ask for each, or make a plan.")
    width = wanted
    if records is not None:  # a mean is the sum over a public number
        with directed() as r:
            width = lower(r(wanted) * records)
    protection = Protection(
        where,
        rows=validate.integer(rows, "rows", least=1),
        public_total=where is Adjacency.REPLACE_ONE and delta is None,
    )
    if not width / made.step <= _WIDEST:
        raise InvalidArgument(
            f"Expected a half-width of at most 2^62 steps of {made.step:g}, got {wanted:g}."
        )
    largest, part = largest_noise(made, protection, numbers, width, gaussian=delta is not None)
    noise = attrs.evolve(largest, scale=_rounded_down(largest.scale * part.step, part.step))
    reached = max(made.half_widths([noise], numbers).values()) / (records or 1)
    return AccuracyExplanation(
        statistic=statistic,
        precision=wanted,
        half_width_95=min(reached, wanted),
        **_read(noise, part, where, adversary, delta),
    )


_WIDEST = 2.0**62  # half-widths in steps beyond which totals are cut anyway


def _statistic(
    kind: str, bounds: tuple[float, float] | None, records: int | None, adjacency: Adjacency
) -> Count | Sum | Mean:
    validate.one_of(kind, ("count", "sum", "mean"), "statistic")
    if (bounds is None, records is None) != (kind == "count", kind != "mean"):
        also = {
            "count": "neither",
            "sum": "bounds=[0, 100]",
            "mean": "bounds=[0, 100] records=1000",
        }
        raise InvalidArgument(
            "Expected `bounds` with a sum or a mean, and `records`, which are public, with a mean, "
            f"got others with a {kind}. Give {also[kind]}, or numbers of your own."
        )
    if bounds is None:
        return Count()
    low, high = validate.pair(bounds, "bounds")
    if records is None:
        return Sum(_COLUMN, (low, high))
    validate.integer(records, "records", least=1)
    if adjacency is Adjacency.ADD_REMOVE:
        raise InvalidArgument(
            "Expected replace-one for a mean of a public number of records, got add-remove, which "
            "keeps it secret. Ask for a sum and a count."
        )
    return Mean(_COLUMN, (low, high), nulls=low, size_is_public=True)


def _rounded_down(published: float, step: float) -> float:
    """A scale in steps, of which the published one has few digits; steps are powers of two."""
    unit = Fraction(10) ** (math.floor(math.log10(published)) - _SCALE_DIGITS + 1)
    with directed() as r:
        return lower(r(math.floor(Fraction(published) / unit) * unit / Fraction(step)))


def _read(
    noise: VectorNoise,
    part: VectorPart,
    adjacency: Adjacency,
    adversary: BoundedPriors,
    delta: float | None,
) -> dict[str, Any]:
    """Everything that follows from a noise."""
    lost = claimed_loss(noise, part)
    if lost > _LARGEST_LOSS:
        raise InfeasibleTarget(
            f"Expected a half-width with which anything is protected, got one whose noise of scale "
            f"{noise.scale * part.step:g} loses {lost:g}. Ask for less precision."
        )
    rho = mu = None
    given: list[Notion]
    if delta is None:
        approx = ApproxDP(lost, 0.0, adjacency)
        loss, advantage, given = lost, approx_dp_to_advantage(approx), [approx]
    else:
        slack = analysis.lattice_slack([(1, part.l2, part.moved)])
        spent = analysis.Composition(lost, analysis.Route.CONCENTRATED, slack, adjacency)
        approx, advantage = analysis.least_approx_dp(spent, delta), analysis.least_advantage(spent)
        loss, rho = analysis.least_loss(spent, delta).epsilon, lost
        given = [approx, spent.zcdp]
        try:
            own = discrete_gaussian_to_gaussian_dp_by_rounding([(noise.scale, part.l2)], adjacency)
            mu, given = own.mu, [approx, own]
        except NotApplicable:
            pass
    at_loss = PureDP(loss, adjacency)
    return {
        "mechanism": noise.name,
        "scale": noise.scale * part.step,
        "sensitivity": (part.l1 if delta is None else part.l2) * part.step,
        "adjacency": adjacency,
        "adversary": adversary,
        "epsilon": approx.epsilon,
        "delta": approx.delta,
        "rho": rho,
        "mu": mu,
        "loss": loss,
        "gamma": pure_dp_to_positive_membership(at_loss, adversary).gamma,
        "gamma_outside": pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        "posterior": analysis.posterior_ranges(loss, [adversary.low, adversary.high]),
        "attack_success": advantage_to_attack_success(advantage).probability,
        "advantage": advantage.value,
        "risks": analysis.risks_of(given).risks,
    }
