"""What follows from a claim about the population without the list of members."""

from fractions import Fraction
from importlib.metadata import entry_points
from typing import Any

from deniable.certificate.population import PLAIN, PopulationClaim, PopulationStatement
from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, PopulationPrivacy
from deniable.numerics.bound import Evidence
from deniable.numerics.rounding import directed, lower, upper
from deniable.priors import BoundedPriors
from deniable.publish.plan import PopulationDemand
from deniable.publish.population.noise import Everybody
from deniable.theorems import analysis
from deniable.theorems.analysis import AttackSuccessTarget


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
            return PopulationPrivacy(_of_guesses(target, delta), delta)
    near = _of_beliefs(target, drawn, members)
    if not delta:
        return PopulationPrivacy(near, 0.0)
    with directed() as r:
        epsilon = lower(r(near) + r.log(1 - 1 / r(analysis.DEFAULT_EXCEEDANCE)))
        small = lower(r(delta) / r(analysis.DEFAULT_EXCEEDANCE))
    if epsilon <= 0:
        raise analysis.infeasible(target)
    return PopulationPrivacy(epsilon, small)


def _of_guesses(target: AttackSuccessTarget | analysis.AdvantageTarget, delta: float) -> float:
    """ε with (e^ε + δ)/(e^ε + 1) at most the success, or (e^ε − 1 + 2δ)/(e^ε + 1) the advantage."""
    with directed() as r:
        value, slack = r(target.value), r(delta)
        if isinstance(target, AttackSuccessTarget):
            odds = (value - slack) / (1 - value)
        else:
            odds = (1 + value - 2 * slack) / (1 - value)
        if lower(odds) <= 1:
            raise analysis.infeasible(target)
        return lower(r.log(odds))


def _of_beliefs(target: analysis.Target, drawn: int, members: int) -> float:
    adversary = BoundedPriors(*share_of(drawn, members))
    claim = analysis.claimed(target, adversary, Adjacency.REPLACE_ONE)
    epsilon = analysis.pure_budget(target, claim, Adjacency.REPLACE_ONE).epsilon
    if epsilon <= 0:
        raise analysis.infeasible(target)
    return epsilon


def derive_statement(
    demand: PopulationDemand, everybody: Everybody, claim: PopulationClaim
) -> PopulationStatement:
    """What follows from a claim without the list."""
    privacy = demanded_privacy(demand, claim.drawn, claim.members)
    dp = everybody.epsilon(claim.noise_factor, privacy.delta)
    upper = claim.bound.upper
    certified = claim.bound.evidence is not Evidence.ESTIMATE and _counts_its_error(
        claim, privacy.delta
    )
    if not certified or upper > privacy.epsilon or (claim.method == PLAIN and upper < dp):
        raise InvalidArgument(
            f"Expected a certified population epsilon of at most {privacy.epsilon}, got {upper} "
            f"by {claim.method}, where differential privacy gives {dp}."
        )
    _, share = share_of(claim.drawn, claim.members)
    return PopulationStatement(demand.target, privacy.epsilon, privacy.delta, claim, dp, share)


def _counts_its_error(claim: PopulationClaim, delta: float) -> bool:
    """Whether the chance that draws mislead is in δ, and no smaller than what they leave."""
    missed = 0.0
    if claim.bound.evidence is Evidence.CONFIDENCE:
        missed = 1 - (claim.bound.confidence or 0.0)
    return 0 <= claim.error <= delta and missed <= claim.error


def analysis_of_members() -> Any:
    """Load what certifies a release against somebody who knows the list of members.

    It is a guest, registered as "members" under `deniable.adversaries`: a module with
    `MemberLists`, `choose_noise` and `recompute_epsilon`.

    Raises
    ------
    InvalidArgument
        If none is installed.
    """
    for each in entry_points(group="deniable.adversaries", name="members"):
        return each.load()
    raise InvalidArgument(
        "Expected an analysis of lists of members that is installed, got none. Install the package "
        "that registers it under deniable.adversaries, or leave the list out."
    )
