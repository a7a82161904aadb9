"""The certificate of a prepared release; made without the data."""

import datetime
import importlib.metadata
import platform

import attrs

from deniable.certificate import (
    Certificate,
    CertifiedGroup,
    CertifiedQuery,
    Unit,
    Versions,
)
from deniable.certificate.statements import NOT_COVERED, assumptions, unit_sentence
from deniable.publish.certified_parts import certified_part, guarantee
from deniable.publish.plan import Plan
from deniable.publish.prepare import Prepared, PreparedQuery


def certified(prepared: Prepared, today: datetime.date) -> Certificate:
    """What the release guarantees, why, and against whom."""
    plan = prepared.plan
    return Certificate(
        created=today.isoformat(),
        plan_sha256=plan.digest,
        unit=_unit(plan),
        adversary=plan.adversary,
        target=plan.target,
        guarantee=guarantee(prepared.calibration),
        derivation=prepared.calibration.derivation,
        rows_per_entity=plan.rows_per_entity,
        queries=tuple(certified_query(query) for query in prepared.queries),
        assumptions=assumptions(plan.entity, plan.rows_per_entity),
        not_covered=NOT_COVERED,
        versions=_versions(),
    )


def _unit(plan: Plan) -> Unit:
    sentence = unit_sentence(plan.entity, plan.adjacency, plan.unit)
    return Unit(plan.entity, plan.adjacency, sentence, plan.unit)


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
