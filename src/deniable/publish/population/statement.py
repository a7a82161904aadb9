"""The statement about the population: decided from the list, or taken from a certificate."""

from collections.abc import Sequence

import attrs

from deniable.bounds import Evidence
from deniable.certificate.population import PopulationClaim, PopulationStatement
from deniable.errors import InvalidArgument
from deniable.notions import PopulationPrivacy
from deniable.publish.plan.demands import PopulationDemand
from deniable.publish.population.demand import demanded, share_of
from deniable.publish.population.noise import Everybody
from deniable.publish.population.search import PLAIN, bound_at, least_noise
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import Protection
from deniable.publish.totals.members import contributions, drawn, number_of_entities
from deniable.sources.table import Source
from deniable.work.effort import Effort

EFFORT = Effort(time_limit=60.0)
"""Seconds that the search for the least noise may take; the seed is fixed, for whoever checks."""

Asked = Sequence[tuple[Query, Protection]]
"""The plan's queries, with what one entity may own of the table."""


@attrs.frozen
class Lists:
    """The data and the list that they were drawn from."""

    data: Source
    members: Source
    entity: str | None


def decided(
    demand: PopulationDemand, lists: Lists, asked: Asked, everybody: Everybody, *, compare: bool
) -> PopulationStatement:
    """The least noise for the demand, from the list of members.

    Parameters
    ----------
    demand : PopulationDemand
        What the plan asks for.
    lists : Lists
        Of the data only the number of entities is used, which is public.
    asked : sequence of (Query, Protection)
        The plan's queries.
    everybody : Everybody
        The floor's noise.
    compare : bool
        Whether each entity of the data is looked up in the list.

    Raises
    ------
    DataError
        If one is not there; for the owner only.
    InvalidArgument
        If everybody on the list was drawn, or nobody.
    InfeasibleTarget
        If no noise meets the demand.
    """
    members = contributions(lists.members, lists.entity, asked)
    if compare:
        many = drawn(lists.data, lists.members, lists.entity, asked)
    else:
        many = number_of_entities(lists.data, lists.entity, asked)
    if not 1 <= many < members.members:
        raise InvalidArgument(
            f"Expected data on some of the members and not on all, got {many} of "
            f"{members.members}. Name the list that the data were drawn from."
        )
    privacy = demanded(demand, many, members.members)
    claim = least_noise(members, many, asked, everybody, privacy, EFFORT)
    return stated(demand, everybody, claim)


def stated(
    demand: PopulationDemand, everybody: Everybody, claim: PopulationClaim
) -> PopulationStatement:
    """What follows from a claim without the list.

    Raises
    ------
    InvalidArgument
        If the claim does not meet the demand, or rests on differential privacy that the noise
        does not have.
    """
    privacy = demanded(demand, claim.drawn, claim.members)
    dp = everybody.epsilon(claim.noise_factor, privacy.delta)
    upper = claim.bound.upper
    certified = claim.bound.evidence is not Evidence.ESTIMATE
    if not certified or upper > privacy.epsilon or (claim.method == PLAIN and upper < dp):
        raise InvalidArgument(
            f"Expected a certified population epsilon of at most {privacy.epsilon}, got {upper} "
            f"by {claim.method}, where differential privacy gives {dp}."
        )
    _, share = share_of(claim.drawn, claim.members)
    return PopulationStatement(demand.target, privacy.epsilon, privacy.delta, claim, dp, share)


def recomputed(
    statement: PopulationStatement,
    members: Source,
    entity: str | None,
    asked: Asked,
    everybody: Everybody,
) -> float:
    """The certified population ε at the statement's noise, from the list itself.

    Raises
    ------
    InvalidArgument
        If the list has another number of members.
    """
    found = contributions(members, entity, asked)
    claim = statement.claim
    if found.members != claim.members:
        raise InvalidArgument(
            f"Expected a list of {claim.members} members, got {found.members}. Give the list that "
            "the release was made with."
        )
    privacy = PopulationPrivacy(statement.epsilon, statement.delta)
    bound = bound_at(found, claim.drawn, asked, everybody, claim.noise_factor, privacy, EFFORT)
    known = everybody.epsilon(claim.noise_factor, statement.delta)
    return known if bound is None else min(bound.bound.upper, known)
