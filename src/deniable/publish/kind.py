"""Releases of plans on tables: the kind of release that most certificates are of."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.certificate import CertifiedGroup, Unit
from deniable.certificate.files import PLAN
from deniable.certificate.results import ResultRow, table
from deniable.certificate.tables import (
    BELIEFS,
    FORMAT,
    FORMAT_1,
    NOT_COVERED,
    CertifiedQuery,
    CertifiedThreshold,
    TableCertificate,
    assumptions,
    unit_sentence,
)
from deniable.errors import InvalidArgument
from deniable.errors.late import NotInstalled, late, pa
from deniable.pipeline.kind import (
    Noise,
    Origin,
    PublishedRows,
    ReleaseKind,
    certify_part,
    guarantee,
)
from deniable.pipeline.noise import PublicPart
from deniable.publish import page
from deniable.publish.plan import CONTINUE, MOST_QUERIES, PublicPlan, as_toml, public_plan
from deniable.publish.prepare import Prepared, apply_claim
from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.query import GUESTS, STATISTICS, Condition, Grouping, Query, Statistic

if TYPE_CHECKING:
    from deniable.certificate import households
    from deniable.ledger import units
    from deniable.ledger.costs import Spent
    from deniable.pipeline import noise as mechanisms
    from deniable.publish import rebuilt
else:
    households = late("deniable.certificate.households")
    mechanisms = late("deniable.pipeline.noise")
    units = late("deniable.ledger.units")
    rebuilt = late("deniable.publish.rebuilt")


def certify_query(prepared: PreparedQuery) -> CertifiedQuery:
    """A query's public parameters and what protects it."""
    query, grouping, widths = prepared.query, prepared.query.grouping, prepared.widths
    parts = zip(prepared.parts, prepared.shares, prepared.mechanisms, strict=True)
    groups = zip(grouping.columns, grouping.keys, strict=True)
    zero_sum = (  # number of cells whose noise adds up to zero
        mechanism.cells
        for part, mechanism in zip(prepared.parts, prepared.mechanisms, strict=True)
        if getattr(part, "partition", 0) and isinstance(mechanism, mechanisms.ZeroSumNoise)
    )
    threshold = None
    if (known := prepared.threshold) is not None:
        columns = tuple(grouping.columns[each] for each in grouping.unknown)
        threshold = CertifiedThreshold(known.value, known.keys, known.exposure, columns)
    return CertifiedQuery(
        name=query.name,
        statistic=query.statistic.kind,
        column=query.statistic.column,
        parameters=query.statistic.parameters(),
        group_by=tuple(CertifiedGroup(*each) for each in groups),
        where=tuple((each.column, each.operator, each.value) for each in query.where),
        weight=query.weight,
        cells=prepared.published_cells,
        max_contribution=query.max_contribution,
        parts=tuple(certify_part(*each, widths.get(each[0].label)) for each in parts),
        margins=query.statistic.margins(prepared.mechanisms),
        threshold=threshold,
        partition=next(zero_sum, None),
    )


PreparedPlan: TypeAlias = Prepared[PublicPlan]


def _plan(certificate: TableCertificate) -> PublicPlan:
    for each in certificate.queries:
        if each.statistic not in STATISTICS:
            raise NotInstalled(
                f"Expected a statistic that is installed, got {each.statistic!r}. Install the "
                f"package that registers it under {GUESTS}."
            )
    if certificate.plan is not None:
        return public_plan(certificate.plan)
    if (number := len(certificate.queries)) > MOST_QUERIES:
        raise InvalidArgument(f"Expected at most {MOST_QUERIES} queries, got {number}.")
    return PublicPlan(
        entity=certificate.unit.entity,
        unit=certificate.unit.word,
        adjacency=certificate.unit.adjacency,
        adversary=certificate.adversary,
        target=certificate.target,
        delta=certificate.guarantee.delta or None,
        rows_per_entity=certificate.rows_per_entity,
        queries=tuple(
            Query(
                name=each.name,
                statistic=_statistic(each),
                grouping=Grouping(
                    tuple(group.column for group in each.group_by),
                    tuple(group.keys for group in each.group_by),
                ),
                where=tuple(Condition(*condition) for condition in each.where),
                max_contribution=each.max_contribution,
                weight=each.weight,
            )
            for each in certificate.queries
        ),
    )


def _statistic(claimed: CertifiedQuery) -> Statistic:
    parameters = dict(claimed.parameters)
    if claimed.column is not None:
        parameters["column"] = claimed.column
    try:
        return STATISTICS[claimed.statistic](**parameters)
    except TypeError:
        raise InvalidArgument(
            f"Expected the parameters of {claimed.statistic}, got "
            f"{', '.join(parameters) or 'none'} [at query {claimed.name!r}]."
        ) from None


class TableKind(ReleaseKind[TableCertificate, PreparedPlan, ResultRow]):
    """Releases of plans on tables."""

    certificate = TableCertificate
    names = MappingProxyType({"not_covered": "sentences", "assumptions": "sentences"})
    first = ("derivation", "guarantee")
    each = MappingProxyType({"queries": "query"})

    def again(self, certificate: TableCertificate) -> PreparedPlan:
        """The plan that it holds, or (format 1) that its claims speak of, calibrated."""
        independent = {each.name for each in certificate.queries if each.partition is None}
        plan, population = _plan(certificate), certificate.population
        digest, own = certificate.plan_sha256, frozenset(independent)
        plan = attrs.evolve(plan, digest=digest, independent=own)
        return apply_claim(plan, None if population is None else population.claim)

    def certified(self, prepared: PreparedPlan, origin: Origin) -> TableCertificate:
        """What the release guarantees, why, and against whom; made without the data."""
        plan, calibration = prepared.plan, prepared.calibration
        tied = plan.by_household or plan.households is not None
        sentence = unit_sentence(plan.entity, plan.adjacency, plan.unit, members=plan.by_household)
        states = guarantee(calibration)
        groupings = [query.grouping for query in plan.queries]
        unknown = (grouping.columns[each] for grouping in groupings for each in grouping.unknown)
        return TableCertificate(
            created=origin.created,
            plan_sha256=plan.digest,
            unit=Unit(plan.entity, plan.adjacency, sentence, plan.unit, plan.by_household),
            adversary=plan.adversary,
            target=plan.target,
            guarantee=states,
            derivation=calibration.derivation,
            rows_per_entity=plan.rows_per_entity,
            queries=tuple(certify_query(query) for query in prepared.queries),
            assumptions=assumptions(
                plan.entity,
                plan.rows_per_entity,
                None if plan.sample is None else (plan.sample.size, plan.sample.population),
                endless=any(query.statistic.CONTINUES for query in plan.queries),
                unknown=list(dict.fromkeys(unknown)),
                beliefs=households.beliefs(states.household) if tied else BELIEFS,
            ),
            not_covered=(*NOT_COVERED, *(households.not_covered(states) if tied else ())),
            versions=origin.versions,
            plan=plan.published,
            population=prepared.population,
            format=FORMAT_1 if plan.published is None else FORMAT,
        )

    def noise(self, prepared: PreparedPlan) -> Noise:
        """Return the noise of every part of every query that is not public."""
        for query in prepared.queries:
            for part, mechanism in zip(query.parts, query.mechanisms, strict=True):
                if not isinstance(part, PublicPart) and mechanism is not None:
                    yield mechanism, part

    def number(self, prepared: PreparedPlan) -> int:
        """Return the number of all queries, with keys that are public."""
        return sum(
            query.query.statistic.published(query.query.grouping.cells, query.parts)
            for query in prepared.queries
        )

    def more(self, prepared: PreparedPlan) -> bool:
        """Whether nobody knew some keys beforehand."""
        return any(query.threshold is not None for query in prepared.queries)

    def rebuilt(
        self, certificate: TableCertificate, prepared: PreparedPlan, published: PublishedRows
    ) -> Sequence[ResultRow]:
        """Everything but what got noise computed again."""
        return rebuilt.rebuild_rows(
            prepared.queries, certificate.rows_per_entity, published, prepared.plan.sample
        )

    def results(self, rows: Sequence[ResultRow]) -> "pa.Table":
        """The rows as they are published."""
        return table(rows)

    def report(
        self, certificate: TableCertificate, prepared: PreparedPlan, rows: Sequence[ResultRow]
    ) -> str:
        """The report of a plan."""
        shared = _shared(prepared, rows)
        return page.document(certificate, rows, None if shared is None else shared[1])

    def texts(self, certificate: TableCertificate) -> dict[str, str]:
        """The plan, where the certificate holds it."""
        return {} if certificate.plan is None else {PLAN: as_toml(certificate.plan)}

    def tables(self, prepared: PreparedPlan, rows: Sequence[ResultRow]) -> Mapping[str, bytes]:
        """The rows that a query shares."""
        if (shared := _shared(prepared, rows)) is None:
            return {}
        query, synthetic = shared
        return query.statistic.shared_files(query.grouping, synthetic)

    def dataset(self, prepared: PreparedPlan) -> str | None:
        """What the plan says."""
        return prepared.plan.dataset

    def listed(self, prepared: PreparedPlan, members: Path) -> float | None:
        """Compare with the list that the plan's release was made with."""
        if prepared.population is None:
            return None
        return rebuilt.certify_population(prepared, members)

    def spent(self, certificate: TableCertificate) -> "Spent":
        """One unit where it goes on with a release that was charged for all time.

        It costs nothing; but a book has no entry of nothing, and by its entry it knows each
        continuation.
        """
        spent = super().spent(certificate)
        if CONTINUE in (certificate.plan or {}):  # running counts alone, whose keys are listed
            return spent._replace(amount=Fraction(1, units.UNITS))
        return spent


def _shared(prepared: PreparedPlan, rows: Sequence[ResultRow]) -> tuple[Query, Any] | None:
    """The query whose rows are shared, and these, from its published rows."""
    for query in prepared.queries:
        statistic = query.query.statistic
        if statistic.rows_to_share is not None:
            own = [row for row in rows if row.query == query.query.name]
            return query.query, statistic.synthetic(own, query.mechanisms)
    return None


KIND = TableKind()
