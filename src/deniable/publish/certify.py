"""The certificate of a prepared release; made without the data."""

import attrs

from deniable.certificate import CertifiedGroup, CertifiedQuery, TableCertificate, Unit
from deniable.certificate.statements import NOT_COVERED, assumptions, unit_sentence
from deniable.pipeline.certified_parts import certify_part, guarantee
from deniable.pipeline.kind import Origin
from deniable.publish.plan.plan import PublicPlan
from deniable.publish.prepare import Prepared
from deniable.publish.prepared_query import PreparedQuery


def certify_release(prepared: Prepared[PublicPlan], origin: Origin) -> TableCertificate:
    """What the release guarantees, why, and against whom; without digests of files."""
    plan, calibration = prepared.plan, prepared.calibration
    sentence = unit_sentence(plan.entity, plan.adjacency, plan.unit)
    return TableCertificate(
        created=origin.created,
        plan_sha256=plan.digest,
        unit=Unit(plan.entity, plan.adjacency, sentence, plan.unit),
        adversary=plan.adversary,
        target=plan.target,
        guarantee=guarantee(calibration),
        derivation=calibration.derivation,
        rows_per_entity=plan.rows_per_entity,
        queries=tuple(certify_query(query) for query in prepared.queries),
        assumptions=assumptions(plan.entity, plan.rows_per_entity),
        not_covered=NOT_COVERED,
        versions=origin.versions,
        plan=plan.published,
        population=prepared.population,
    )


def certify_query(prepared: PreparedQuery) -> CertifiedQuery:
    """A query's public parameters and what protects it."""
    query = prepared.query
    given = [field.name for field in attrs.fields(type(query.statistic)) if field.init]
    widths = query.statistic.half_widths(prepared.mechanisms, query.grouping.cells)
    parts = zip(prepared.parts, prepared.shares, prepared.mechanisms, strict=True)
    return CertifiedQuery(
        name=query.name,
        statistic=query.statistic.kind,
        column=query.statistic.column,
        parameters={n: getattr(query.statistic, n) for n in given if n != "column"},
        group_by=tuple(
            CertifiedGroup(column, keys)
            for column, keys in zip(query.grouping.columns, query.grouping.keys, strict=True)
        ),
        where=tuple((each.column, each.operator, each.value) for each in query.where),
        weight=query.weight,
        cells=prepared.published_cells,
        max_contribution=query.max_contribution,
        parts=tuple(certify_part(*each, widths.get(each[0].label)) for each in parts),
    )
