"""What follows from a claim about the population without the list of members."""

from deniable.certificate.population import PLAIN, PopulationClaim, PopulationStatement
from deniable.errors import InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.publish.plan.targets import PopulationDemand
from deniable.publish.population.demand import demanded_privacy, share_of
from deniable.publish.population.noise import Everybody


def derive_statement(
    demand: PopulationDemand, everybody: Everybody, claim: PopulationClaim
) -> PopulationStatement:
    """What follows from a claim without the list.

    Raises
    ------
    InvalidArgument
        If the claim does not meet the demand, rests on differential privacy that the noise does
        not have, or counts less than the chance that its draws mislead.
    """
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
