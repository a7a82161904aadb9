"""A plan's noise against those who know the list of members, and what follows without that list.

The noise of all parts is one thing here: made larger by a common factor, and the DP it then has.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

import attrs

from deniable.certificate.population import PLAIN, PopulationClaim, PopulationStatement
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.notions import Adjacency, ApproxDP, PopulationPrivacy
from deniable.numerics.bound import Evidence
from deniable.numerics.rounding import directed, least, lower, upper
from deniable.pipeline.noise import Mechanism, Part, PublicPart, claimed_loss
from deniable.publish.plan import PopulationDemand
from deniable.theorems import analysis
from deniable.theorems.analysis import (
    AttackSuccessTarget,
    BoundedPriors,
    Calibration,
    Composition,
    Route,
    is_satisfied,
    largest_rho,
)

PlannedNoise: TypeAlias = Sequence[tuple[Part, Mechanism | None]]
"""All parts of a plan in order; None beside what is public."""

_LARGEST_EPSILON = 5000.0
"""ε up to which the curve of Gaussian noise is searched; e^5000 is no odds that anybody states."""
_OUTWARDS = 1 + 2.0**-40  # a factor's room for rounding where it is computed backwards


M = TypeVar("M", bound=Mechanism)


def larger(mechanism: M, factor: float) -> M:
    """The mechanism with its scale times the factor; never less noise."""
    return attrs.evolve(mechanism, scale=mechanism.scale * factor)


@attrs.frozen
class Everybody:
    """The differential privacy of all parts together, whatever anybody knows.

    `noise` is as the floor needs it, and so is `slack`, of the lattice in the floor's composition;
    None with selections. With `gaussian` parts add up in ρ, and not in ε.
    """

    noise: PlannedNoise
    slack: float | None
    gaussian: bool

    @classmethod
    def of(cls, noise: PlannedNoise, calibration: Calibration) -> "Everybody":
        """Return the noise of a calibrated floor."""
        composition = calibration.composition
        slack = None if composition is None else composition.slack
        return cls(noise, slack, composition is not None)

    def spent(self, factor: float) -> float:
        """ε or ρ of all parts with their noise times the factor, rounded up."""
        total = Fraction(0)
        for part, mechanism in self.noise:
            if mechanism is not None and not isinstance(part, PublicPart):
                total += Fraction(claimed_loss(larger(mechanism, factor), part))
        with directed() as r:
            return upper(r(total))

    def epsilon(self, factor: float, delta: float) -> float:
        """The least ε at this δ, rounded up; infinite for Gaussian noise at δ = 0."""
        spent = self.spent(factor)
        if not self.gaussian:
            return spent
        if not delta:
            return float("inf")

        names = [Route.CONCENTRATED] if self.slack is None else list(Route)
        routes = [Composition(spent, name, self.slack, Adjacency.REPLACE_ONE) for name in names]

        def holds(epsilon: float) -> bool:
            wanted = ApproxDP(epsilon, delta, Adjacency.REPLACE_ONE)
            return any(is_satisfied(each, wanted) for each in routes)

        return least(holds, 0.0, _LARGEST_EPSILON)

    def factor_for(self, epsilon: float, delta: float) -> float:
        """The least factor at which (ε, δ)-DP holds, and at least 1; a little above it."""
        if not self.gaussian:
            most = epsilon
            factor = max(self.spent(1.0) / most, 1.0)
        else:
            most = largest_rho(
                ApproxDP(epsilon, delta, Adjacency.REPLACE_ONE), self.slack
            ).rho  # fmt: skip
            if most <= 0:
                raise InfeasibleTarget(
                    f"Expected a population target that some noise meets, got epsilon={epsilon} "
                    f"at delta={delta}. Choose a larger target, or a larger delta."
                )
            factor = max((self.spent(1.0) / most) ** 0.5, 1.0)
        while self.spent(factor) > most:
            factor *= _OUTWARDS
        return factor


def share_of(drawn: int, members: int) -> tuple[float, float]:
    """n/N, rounded down and up: what is believed of each member before.

    >>> share_of(1, 4)
    (0.25, 0.25)
    """
    exact = Fraction(drawn, members)
    with directed() as r:
        return lower(r(exact)), upper(r(exact))


def demanded_privacy(demand: PopulationDemand, drawn: int, members: int) -> PopulationPrivacy:
    r"""The largest (ε, δ) at which population privacy meets the demand.

    Population privacy bounds the likelihoods of what is published, given that a member was drawn
    and given that not, by each other; so each target follows as it does from differential
    privacy, for the belief n/N. A guess at even odds is right with probability
    (e^ε + δ)/(e^ε + 1) at most ([lowy-2024], Lemma 6, for δ = 0). Where beliefs are limited and
    δ > 0, the plan's delta X is how often they may pass the limit: they pass ℓ = ε − ln(1 − δ/X)
    with a probability below X, and δ = X/100 is taken.

    >>> from deniable.theorems.analysis.target import AttackSuccessTarget
    >>> round(demanded_privacy(PopulationDemand(AttackSuccessTarget(0.75), None), 5, 10).epsilon, 6)
    1.098612
    """
    target, delta = demand.target, demand.delta or 0.0
    match target:
        case analysis.EpsilonTarget():
            return PopulationPrivacy(target.value, delta)
        case AttackSuccessTarget() | analysis.AdvantageTarget():
            # The success is (e^ε + δ)/(e^ε + 1) at most, the advantage (e^ε − 1 + 2δ)/(e^ε + 1).
            with directed() as r:
                value, slack = r(target.value), r(delta)
                odds = (1 + value - 2 * slack) / (1 - value)
                if isinstance(target, AttackSuccessTarget):
                    odds = (value - slack) / (1 - value)
                if lower(odds) <= 1:
                    raise analysis.infeasible(target)
                return PopulationPrivacy(lower(r.log(odds)), delta)
    adversary = BoundedPriors(*share_of(drawn, members))
    claim = analysis.claimed(target, adversary, Adjacency.REPLACE_ONE)
    near = analysis.pure_budget(target, claim, Adjacency.REPLACE_ONE).epsilon
    if near <= 0:
        raise analysis.infeasible(target)
    if not delta:
        return PopulationPrivacy(near, 0.0)
    with directed() as r:
        epsilon = lower(r(near) + r.log(1 - 1 / r(analysis.DEFAULT_EXCEEDANCE)))
        small = lower(r(delta) / r(analysis.DEFAULT_EXCEEDANCE))
    if epsilon <= 0:
        raise analysis.infeasible(target)
    return PopulationPrivacy(epsilon, small)


def derive_statement(
    demand: PopulationDemand, everybody: Everybody, claim: PopulationClaim
) -> PopulationStatement:
    """What follows from a claim without the list."""
    privacy = demanded_privacy(demand, claim.drawn, claim.members)
    dp = everybody.epsilon(claim.noise_factor, privacy.delta)
    upper = claim.bound.upper
    missed = 0.0
    if claim.bound.evidence is Evidence.CONFIDENCE:
        missed = 1 - (claim.bound.confidence or 0.0)
    # The chance that draws mislead is in δ, and no smaller than what they leave.
    counts_its_error = 0 <= claim.error <= privacy.delta and missed <= claim.error
    certified = claim.bound.evidence is not Evidence.ESTIMATE and counts_its_error
    if not certified or upper > privacy.epsilon or (claim.method == PLAIN and upper < dp):
        raise InvalidArgument(
            f"Expected a certified population epsilon of at most {privacy.epsilon}, got {upper} "
            f"by {claim.method}, where differential privacy gives {dp}."
        )
    _, share = share_of(claim.drawn, claim.members)
    return PopulationStatement(demand.target, privacy.epsilon, privacy.delta, claim, dp, share)
