"""The statement about the population, from the list of members.

From what somebody may come to believe who knows the list to population privacy.

What follows from a claim about the population without the list of members.

The least noise that meets what is asked of somebody who knows the list, above the floor's.
"""

from collections.abc import Sequence

import attrs

from deniable.certificate.population import (
    OPERATIONS,
    PopulationStatement,
)
from deniable.errors import InvalidArgument
from deniable.notions import PopulationPrivacy
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import PACE
from deniable.publish.plan.targets import PopulationDemand
from deniable.publish.population.demand import demanded_privacy
from deniable.publish.population.noise import Everybody
from deniable.publish.population.search import bound_at, least_noise
from deniable.publish.population.stated import derive_statement
from deniable.publish.sources.table import Source
from deniable.publish.statistics.protocol import Protection, Query
from deniable.publish.totals.members import (
    contributions,
    count_members_drawn,
    number_of_entities,
)


def _effort(operations: float) -> Effort:
    """Of one look, counted; the seed is fixed, for whoever checks."""
    return Effort(time_limit=operations / PACE)


ProtectedQueries = Sequence[tuple[Query, Protection]]
"""The plan's queries, with what one entity may own of the table."""


@attrs.frozen
class Lists:
    """The data and the list that they were drawn from."""

    data: Source
    members: Source
    entity: str | None


def choose_noise(
    demand: PopulationDemand,
    lists: Lists,
    queries: ProtectedQueries,
    everybody: Everybody,
    *,
    compare: bool,
) -> PopulationStatement:
    """The least noise for the demand, from the list of members.

    Parameters
    ----------
    demand : PopulationDemand
        What the plan asks for.
    lists : Lists
        Of the data only the number of entities is used, which is public.
    queries : sequence of (Query, Protection)
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
    members = contributions(lists.members, lists.entity, queries)
    if compare:
        many = count_members_drawn(lists.data, lists.members, lists.entity, queries)
    else:
        many = number_of_entities(lists.data, lists.entity, queries)
    if not 1 <= many < members.members:
        raise InvalidArgument(
            f"Expected data on some of the members and not on all, got {many} of "
            f"{members.members}. Name the list that the data were drawn from."
        )
    privacy = demanded_privacy(demand, many, members.members)
    claim = least_noise(members, many, queries, everybody, privacy, _effort(OPERATIONS))
    return derive_statement(demand, everybody, claim)


def recompute_epsilon(
    statement: PopulationStatement,
    members: Source,
    entity: str | None,
    queries: ProtectedQueries,
    everybody: Everybody,
) -> float:
    """The certified population ε at the statement's noise, from the list itself.

    Raises
    ------
    InvalidArgument
        If the list has another number of members.
    """
    contributed = contributions(members, entity, queries)
    claim = statement.claim
    if contributed.members != claim.members:
        raise InvalidArgument(
            f"Expected a list of {claim.members} members, got {contributed.members}. Give the list "
            "that the release was made with."
        )
    privacy = PopulationPrivacy(statement.epsilon, statement.delta)
    effort = _effort(claim.operations)
    bound = bound_at(
        contributed, claim.drawn, queries, everybody, claim.noise_factor, privacy, effort
    )
    known = everybody.epsilon(claim.noise_factor, statement.delta)
    return known if bound is None else min(bound.bound.upper, known)
