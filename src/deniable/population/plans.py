"""The statement about the population: from the list of members, and what follows without it.

The noise of all parts is one thing here: made larger by a common factor, and the DP it then has.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.population import OPERATIONS, PLAIN, PopulationClaim, PopulationStatement
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.notions import Adjacency, ApproxDP, PopulationPrivacy
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import PACE, Effort, counted
from deniable.numerics.rounding import directed, least, lower, upper
from deniable.pipeline.noise import Mechanism, Part, PublicPart, SelectionPart, claimed_loss
from deniable.population import api
from deniable.population.members import (
    Contributions,
    contributions,
    count_members_drawn,
    number_of_entities,
)
from deniable.population.question import Selection
from deniable.publish import query as plan_query
from deniable.publish import sources
from deniable.publish.plan import PopulationDemand
from deniable.publish.query import Protection
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
            factor *= 1 + 2.0**-40  # a factor's room for rounding where it is computed backwards
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


_TOLERANCE = 1.01  # Noise at most so much above one that misses the demand: it is no user's concern
_ENCLOSED_LOOKS = 10  # Looks at enclosures at most; three or four are usual
_NEAREST = 0.02  # Share of what is left between both ends that a look cuts off at least
_CLEAR = 1.05  # How far above the hoped-for factor draws are tried first: they bound from above


ProtectedQueries = Sequence[tuple[plan_query.Query, Protection]]
"""The plan's queries, with what one entity may own of the table."""


def arrange_totals(
    members: Contributions, drawn: int, queries: ProtectedQueries, everybody: Everybody
) -> api.Together:
    """What members add to everything that gets noise, in the order of the parts, with the floor's.

    Sums and scales of their noise are in whole steps.
    """
    values, noise = members.values, iter(everybody.noise)
    assert values is not None, "the members' totals are known"
    columns: list[NDArray[np.int64]] = [np.zeros((len(values), 0), np.int64)]
    scales: list[float] = []
    selections: list[Selection] = []
    start = 0
    for query, protection in queries:
        # Positions of a query's totals among all, of shape (cells, bins, values).
        statistic = query.statistic
        bins, each = statistic.bins, statistic.VALUES
        many = query.grouping.cells * bins * each
        places = np.arange(start, start + many, dtype=np.int64).reshape(-1, bins, each)
        start += places.size
        for numbers in statistic.exact(places, protection):
            part, mechanism = next(noise)
            if isinstance(part, SelectionPart) and isinstance(mechanism, NoisyTopK):
                # Totals of a selection have the shape (types, cells, bins, 1).
                totals = values[:, places]
                types, cells = totals.shape[:2]
                sums, absolute = statistic.scores(totals.reshape(types * cells, -1, 1))
                selections.append(Selection(sums.reshape(types, cells, -1), absolute, mechanism))
                continue
            if isinstance(part, PublicPart) or mechanism is None:
                continue
            columns.append(values[:, numbers.reshape(-1)])
            scales += [float(mechanism.scale)] * numbers.size
    kind = DiscreteGaussian if everybody.gaussian else DiscreteLaplace
    data = api.IntegerVectors(np.hstack(columns), members.counts, drawn)
    return api.Together(data, np.array(scales), kind, tuple(selections))


def least_noise(
    members: Contributions,
    drawn: int,
    queries: ProtectedQueries,
    everybody: Everybody,
    demand: PopulationPrivacy,
    effort: Effort,
) -> PopulationClaim:
    """The least common factor on the floor's noise whose certified population ε meets the demand.

    Differential privacy implies population privacy at the same (ε, δ): that noise is taken where
    nothing better is certified. The time limit of `effort` is of one look, and is counted work.
    """
    plain = everybody.factor_for(demand.epsilon, demand.delta)

    def claim(factor: float, answer: api.CertifiedBound | None) -> PopulationClaim:
        if answer is None:
            most = everybody.epsilon(factor, demand.delta)
            answer = api.CertifiedBound(Bound(0.0, most, Evidence.ENCLOSURE), PLAIN)
        bound = answer.bound, answer.error, answer.method
        return PopulationClaim(members.members, drawn, factor, *bound, effort.time_limit * PACE)

    if plain == 1.0 or members.values is None:
        return claim(plain, None)
    best = _search_factor(arrange_totals(members, drawn, queries, everybody), plain, demand, effort)
    return claim(plain, None) if best is None else claim(*best)


def _at(
    floor: api.Together, factor: float, demand: PopulationPrivacy, effort: Effort
) -> api.CertifiedBound | None:
    """Look by counted work, so that a checker gets the same."""
    with counted():
        return api.sums_and_selections(floor.louder(factor), demand.delta, demand.epsilon, effort)


def _search_factor(
    floor: api.Together, plain: float, demand: PopulationPrivacy, effort: Effort
) -> tuple[float, api.CertifiedBound] | None:
    """The least factor below `plain` that was seen to meet the demand, and its bound."""
    drawn = demand.delta > 0 and api.may_draw(floor)  # looks are counted
    low, high = 1.0, plain
    tried = 1.0
    if drawn:
        hoped = api.estimate_factor(floor, demand.delta, demand.epsilon)
        tried = min(hoped * (_CLEAR if hoped > 1 else 1.0), plain)
    best: tuple[float, api.CertifiedBound] | None = None
    for _ in range(api.LOOKS if drawn else _ENCLOSED_LOOKS):
        before = high / low
        answer = _at(floor, tried, demand, effort)
        if answer is not None and answer.bound.upper <= demand.epsilon:
            best, high = (tried, answer), tried
        else:
            low = tried
        if high <= low * _TOLERANCE or high == 1.0:
            break
        # Where a guess did not halve what is left, in logarithms, the next look does.
        guess = answer is not None and high / low <= math.sqrt(before)
        missed = answer.bound.upper / demand.epsilon if guess and answer is not None else None
        # ε̃ falls about like 1/factor, where it is known by how much it missed. A little above
        # that factor after a miss, and below it after a hit, so that both ends close in.
        if missed is None or not 0 < missed < math.inf:
            tried = math.sqrt(low * high)
        else:
            beyond = math.pow(_TOLERANCE, 0.3 if missed > 1 else -0.7)
            inside = _NEAREST * math.log(high / low)
            tried = min(
                max(tried * missed * beyond, low * math.exp(inside)), high * math.exp(-inside)
            )
    return best


@attrs.frozen
class MemberLists:
    """The data and the list that they were drawn from."""

    data: sources.Source
    members: sources.Source
    entity: str | None


def choose_noise(
    demand: PopulationDemand,
    lists: MemberLists,
    queries: ProtectedQueries,
    everybody: Everybody,
    *,
    compare: bool,
) -> PopulationStatement:
    """The least noise for the demand, from the list of members.

    Of the data only the number of entities is used, which is public. With `compare` each entity of
    the data is looked up in the list.
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
    # The counted effort of one look; the seed is fixed, for a checker.
    effort = Effort(time_limit=OPERATIONS / PACE)
    claim = least_noise(members, many, queries, everybody, privacy, effort)
    return derive_statement(demand, everybody, claim)


def recompute_epsilon(
    statement: PopulationStatement,
    members: sources.Source,
    entity: str | None,
    queries: ProtectedQueries,
    everybody: Everybody,
) -> float:
    """The certified population ε at the statement's noise, from the list itself."""
    contributed = contributions(members, entity, queries)
    claim = statement.claim
    if contributed.members != claim.members:
        raise InvalidArgument(
            f"Expected a list of {claim.members} members, got {contributed.members}. Give the list "
            "that the release was made with."
        )
    privacy = PopulationPrivacy(statement.epsilon, statement.delta)
    effort = Effort(time_limit=claim.operations / PACE)
    bound = None
    if contributed.values is not None:
        floor = arrange_totals(contributed, claim.drawn, queries, everybody)
        bound = _at(floor, claim.noise_factor, privacy, effort)
    known = everybody.epsilon(claim.noise_factor, statement.delta)
    return known if bound is None else min(bound.bound.upper, known)
