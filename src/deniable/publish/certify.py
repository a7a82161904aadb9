"""The certificate of a prepared release; made without the data."""

import datetime
import importlib.metadata
import platform
from collections.abc import Sequence

import attrs

from deniable.analysis.calibrate import Calibration
from deniable.certificate import (
    Certificate,
    CertifiedGroup,
    CertifiedQuery,
    Unit,
    Versions,
)
from deniable.certificate.statements import NOT_COVERED, assumptions, unit_sentence
from deniable.pipeline.certified_parts import certified_part, guarantee
from deniable.publish.plan.plan import PublicPlan
from deniable.publish.prepare import Prepared, PreparedQuery


@attrs.frozen
class Origin:
    """What nobody can recompute: day, programs, and the digest of the plan's own text."""

    created: str
    plan_sha256: str
    versions: Versions


def certified(prepared: Prepared, today: datetime.date) -> Certificate:
    """What the release guarantees, why, and against whom."""
    plan = prepared.plan
    origin = Origin(today.isoformat(), plan.digest, _versions())
    certificate = stated(plan, prepared.calibration, prepared.queries, origin)
    return attrs.evolve(certificate, plan=plan.published)


def stated(
    plan: PublicPlan, calibration: Calibration, queries: Sequence[PreparedQuery], origin: Origin
) -> Certificate:
    """The certificate of a calibrated plan, without the plan and without digests of files."""
    sentence = unit_sentence(plan.entity, plan.adjacency, plan.unit)
    return Certificate(
        created=origin.created,
        plan_sha256=origin.plan_sha256,
        unit=Unit(plan.entity, plan.adjacency, sentence, plan.unit),
        adversary=plan.adversary,
        target=plan.target,
        guarantee=guarantee(calibration),
        derivation=calibration.derivation,
        rows_per_entity=plan.rows_per_entity,
        queries=tuple(certified_query(query) for query in queries),
        assumptions=assumptions(plan.entity, plan.rows_per_entity),
        not_covered=NOT_COVERED,
        versions=origin.versions,
    )


def certified_query(prepared: PreparedQuery) -> CertifiedQuery:
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
        parts=tuple(certified_part(*each, widths.get(each[0].label)) for each in parts),
    )


def _versions() -> Versions:
    return Versions(
        deniable=importlib.metadata.version("deniable"),
        opendp=importlib.metadata.version("opendp"),
        duckdb=importlib.metadata.version("duckdb"),
        ibis=importlib.metadata.version("ibis-framework"),
        python=platform.python_version(),
    )
