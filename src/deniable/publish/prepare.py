"""Everything about a release that is settled before the data's values are touched."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from deniable.certificate.model import Unit, key_cautions
from deniable.certificate.tables import CertifiedQuery
from deniable.errors import InvalidArgument, LedgerError
from deniable.errors.guests import guests
from deniable.errors.late import NotInstalled, late
from deniable.numerics.answer import BudgetAnswer, fields_of
from deniable.pipeline.noise import PublicPart
from deniable.publish.budget import with_target
from deniable.publish.plan import GivenLedger, Plan, PlanInput, PublicPlan, read_plan
from deniable.publish.prepared_query import CELL, PreparedQuery, ask_of, calibrate_queries
from deniable.publish.query import Protection, Query
from deniable.theorems.analysis import (
    USUAL_PRIORS,
    Calibration,
    PosteriorRange,
    either_end,
    posterior_ranges,
)

if TYPE_CHECKING:
    from deniable.certificate import limits as limiting
    from deniable.certificate.population import PopulationClaim, PopulationStatement
    from deniable.certificate.results import ResultRow
    from deniable.ledger import dataset as datasets
    from deniable.ledger import ledger as ledgers
    from deniable.ledger.dataset import People
    from deniable.ledger.ledger import Ledger
    from deniable.publish import advice as advising
    from deniable.publish import plan as plans
    from deniable.publish import regrouping
    from deniable.publish import solve as solving
else:  # for a list of members, a ledger, a plan with precisions, and what is asked of a plan alone
    limiting = late("deniable.certificate.limits")
    datasets = late("deniable.ledger.dataset")
    ledgers = late("deniable.ledger.ledger")
    advising = late("deniable.publish.advice")
    plans = late("deniable.publish.plan")
    regrouping = late("deniable.publish.regrouping")
    solving = late("deniable.publish.solve")

M = TypeVar("M", bound=PublicPlan)
L = TypeVar("L", bound=PublicPlan, covariant=True)
"""The plan with its source, or as its certificate holds it."""


@attrs.frozen(repr=False)
class Prepared(BudgetAnswer, Generic[L]):
    """A plan, calibrated.

    With a `population` the calibration is that of the floor, and its noise was made larger where
    the population's demand needs more.
    """

    plan: L
    calibration: Calibration
    queries: tuple[PreparedQuery, ...]
    population: PopulationStatement | None = None

    @property
    def protected_queries(self) -> list[tuple[Query, Protection]]:
        """The queries, with what one entity may own of the table."""
        return [(query.query, query.protection) for query in self.queries]

    @property
    def people(self) -> People:
        """Return the people whom the release is about, as a ledger's dataset fixes them."""
        plan = self.plan
        return datasets.People(plan.entity, plan.unit, plan.adjacency, plan.by_household)

    @property
    def posterior(self) -> tuple[PosteriorRange, ...]:
        """What an adversary may come to believe, at the usual priors and at their own."""
        own = (self.plan.adversary.low, self.plan.adversary.high)
        return posterior_ranges(self.loss, sorted({*USUAL_PRIORS, *own}))

    @property
    def cautions(self) -> list[str]:
        """What is wrong with the plan, from public numbers only."""
        cautions = [*self.calibration.cautions, *key_cautions(self.calibration.exposure)]
        return cautions + [caution for query in self.queries for caution in query.cautions]

    @property
    def beside_noise(self) -> str | None:
        """What published half-widths leave out, in a sentence; None where they leave out nothing.

        It is made of the plan alone: how much the limits remove is private.
        """
        return self.besides_noise(())

    def besides_noise(self, rows: Sequence[ResultRow]) -> str | None:
        """The same beside published rows, of which some may say how much was removed."""
        unit = Unit(self.plan.entity, self.plan.adjacency, "", self.plan.unit)
        queries = [
            CertifiedQuery(
                name=each.name,
                statistic=each.statistic.kind,
                column=each.statistic.column,
                parameters=each.statistic.parameters(),
                group_by=(),
                where=(),
                weight=each.weight,
                cells=1,
                max_contribution=each.max_contribution,
                parts=(),
            )
            for each in self.plan.queries
        ]
        return limiting.beside_noise(queries, unit, self.plan.rows_per_entity, rows)

    @property
    def advice(self) -> tuple[advising.Advice, ...]:
        """What to change before anything is spent, from the plan's own numbers only."""
        of_each = advising.advise_each(self.queries)
        if any(each.finest is not None and each.finest[1] >= CELL for each in self.queries):
            of_each += tuple(advising.advise_cells(self.plan, self.queries))
        if any(query.query.statistic.WITHOUT_DELTA for query in self.queries):
            of_each = (*of_each, *regrouping.advise_without_delta(self.plan, self.queries))
        if self.plan.population is not None or len(self.queries) < 2:
            return of_each
        of_each = (*of_each, *regrouping.advise_groups(self.plan, self.queries))
        return (*of_each, *regrouping.advise_disagreeing(self.plan, self.queries))

    @property
    def loss(self) -> float:
        """The privacy loss at which beliefs are read: ε, a little more with ε and δ given."""
        return self.calibration.loss

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable plan` prints."""
        return self.figures([each.as_json() for each in self.advice])

    def figures(self, advice: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """The same, with this advice."""
        answer = self.calibration
        result: dict[str, Any] = {
            **fields_of(answer, "epsilon", "delta", "gamma", "gamma_outside"),
            "adjacency": str(answer.adjacency),
            "adversary": {"prior": [answer.adversary.low, answer.adversary.high]},
            "target": answer.target.as_json(),
            "queries": [query.figures() for query in self.queries],
            "posterior": [attrs.asdict(each) for each in self.posterior],
            "derivation": [step.as_json() for step in answer.derivation],
            "cautions": self.cautions,
            "advice": list(advice),
        }
        if answer.delta:
            result["exceedance"] = answer.exceedance
            result["exceedance_either_end"] = either_end(self.loss, answer.exceedance)
        if answer.exposure:
            result["exposure"] = answer.exposure
        if answer.household is not None:
            result["household"] = answer.household.as_json()
        if self.population is not None:
            result["population"] = self.population.as_json()
        return result


def plan(
    plan: PlanInput,
    *,
    data: object | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    solve: bool = False,
) -> Prepared[Plan]:
    """Read a plan, calibrate its target and choose the noise of every part.

    Parameters
    ----------
    plan : path, str or mapping
        A plan's TOML file, its text, or what TOML reads from it.
    data : data frame, optional
        The table itself, as `release` takes it; only its names and types are looked at.
    ledger, dataset : Ledger or path or URL, and str, optional
        As `release` takes them. Of a ledger in a file it is looked up whether it is about these
        people; of any, the budget of which a plan asks a share.
    solve : bool
        Whether to look for the least value of the plan's target at which every query keeps its
        `precision`; the value in the plan is then not looked at. The answer's `plan.target` is it.

    Raises
    ------
    PlanError
        If the plan is wrong.
    InvalidArgument
        If a plan is to be solved in which a query has no precision, or beside a population; if its
        ledger is about other people.
    InfeasibleTarget
        If no noise meets the target, or it does not keep a precision.
    """
    if solve:
        answer = solving.solve(read_plan(plan, data, _given(ledger, dataset)), calibrate_plan)
    else:
        answer = plan_release(plan, data=data, ledger=ledger, dataset=dataset, compare=False)
    book = answer.plan.ledger
    if book is not None and os.path.isfile(book.place):  # a server may be out of reach here
        with suppress(LedgerError):  # the release refuses what is no ledger
            for each in book.datasets():
                if each.name == answer.plan.dataset:
                    datasets.check_people(each, answer.people)
    return answer


def _given(ledger: Ledger | str | os.PathLike[str] | None, dataset: str | None) -> GivenLedger:
    if ledger is None or isinstance(ledger, ledgers.Ledger):
        return GivenLedger(ledger, dataset)
    return GivenLedger(ledgers.Ledger(ledger), dataset)


def plan_release(
    plan: PlanInput,
    *,
    data: object | None,
    ledger: Ledger | str | os.PathLike[str] | None,
    dataset: str | None,
    compare: bool,
) -> Prepared[Plan]:
    """`plan`; with `compare`, the data's entities are looked up in a list of members."""
    floor = calibrate_plan(read_plan(plan, data, _given(ledger, dataset)))
    _check_noise(floor)
    demand, members = floor.plan.population, floor.plan.members
    if demand is None or members is None:
        return floor
    frame = floor.plan.source.frame
    if frame is not None and frame.is_read_once:
        raise InvalidArgument(
            "Expected data that can be read twice beside a list of members, got a stream. Hand "
            "over a table instead."
        )
    analysis = analysis_of_members()
    lists = analysis.MemberLists(floor.plan.source, members, floor.plan.entity)
    stated = analysis.choose_noise(
        demand, lists, floor.protected_queries, everybody(floor), compare=compare
    )
    return _with(floor, stated)


def _check_noise(prepared: Prepared[Plan]) -> None:
    """Refuse to go on with other noise than the release that is continued."""
    if (earlier := prepared.plan.earlier) is None:
        return
    before = [part.scale for query in earlier.certificate.queries for part in query.parts]
    now = [
        mechanism.scale * part.step
        for query in prepared.queries
        for part, mechanism in zip(query.parts, query.mechanisms, strict=True)
        if mechanism is not None and not isinstance(part, PublicPart)
    ]
    if before != now:
        raise InvalidArgument(
            f"Expected the noise of the release that is continued, {before}, got {now}. Continue "
            "it with the version of the program that made it."
        )


def everybody(floor: Prepared[L]) -> Any:
    """The differential privacy of a calibrated floor's noise, before that is made larger."""
    noise = [
        each for query in floor.queries for each in zip(query.parts, query.mechanisms, strict=True)
    ]
    return analysis_of_members().Everybody.of(noise, floor.calibration)


def analysis_of_members() -> Any:
    """Load what certifies a release against somebody who knows the list of members.

    It is a guest, registered as "members" under `deniable.adversaries`: a module with
    `Everybody`, `MemberLists`, `choose_noise`, `derive_statement` and `recompute_epsilon`.

    Raises
    ------
    NotInstalled
        If none is.
    """
    if (guest := guests("deniable.adversaries").get("members")) is not None:
        return guest.load()
    raise NotInstalled(
        "Expected an analysis of lists of members that is installed, got none. Install the package "
        "that registers it under deniable.adversaries, or leave the list out."
    )


def apply_claim(plan: M, claim: PopulationClaim | None) -> Prepared[M]:
    """A plan with what its certificate claims of the population, as far as that follows."""
    floor = calibrate_plan(plan)
    if plan.population is None:
        return floor
    if claim is None:
        raise InvalidArgument(
            "Expected a statement about the population, as in the plan, got none."
        )
    analysis = analysis_of_members()
    return _with(floor, analysis.derive_statement(plan.population, everybody(floor), claim))


def _with(floor: Prepared[M], stated: PopulationStatement) -> Prepared[M]:
    """The floor's noise made larger by what the population needs."""
    factor = stated.claim.noise_factor
    return attrs.evolve(
        floor,
        population=stated,
        queries=tuple(
            attrs.evolve(
                query,
                mechanisms=tuple(
                    None if each is None else attrs.evolve(each, scale=each.scale * factor)
                    for each in query.mechanisms
                ),
            )
            for query in floor.queries
        ),
    )


def calibrate_plan(plan: M) -> Prepared[M]:
    """A plan's calibrated target (beside a population: the floor), and queries with their noise."""
    plan = with_target(plan)
    protections = [plan.protection(query) for query in plan.queries]
    prepared = Prepared(plan, *calibrate_queries(ask_of(plan), plan.queries, protections))
    target = f"{plan.target.kind} = {plan.target.value:g}"
    for each in prepared.queries:
        if each.query.precision is not None:
            plans.check_kept(each.query, dict(each.widths), target)
    return prepared
