"""The certificate of a prepared release; made without the data."""

import datetime
import importlib.metadata
import platform

import attrs

from deniable.analysis.calibrate import Calibration
from deniable.certificate import (
    Certificate,
    CertifiedGroup,
    CertifiedPart,
    CertifiedQuery,
    Guarantee,
    Sensitivity,
    Unit,
    Versions,
)
from deniable.certificate.statements import NOT_COVERED, assumptions, unit_sentence
from deniable.mechanisms import DiscreteGaussian, Mechanism
from deniable.publish.noise import Share
from deniable.publish.plan import Plan
from deniable.publish.prepare import Prepared, PreparedQuery
from deniable.publish.statistics.protocol import Part, PublicPart, SelectionPart


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


def guarantee(calibration: Calibration) -> Guarantee:
    """What everything released together satisfies."""
    composition = calibration.composition
    return Guarantee(
        epsilon=calibration.epsilon,
        delta=calibration.delta,
        exceedance=calibration.exceedance,
        rho=None if composition is None else composition.rho,
        gamma=calibration.gamma,
        gamma_outside=calibration.gamma_outside,
        attack_success=calibration.attack_success,
        advantage=calibration.advantage,
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


def certified_part(
    part: Part, share: Share | None, mechanism: Mechanism | None, width: float | None
) -> CertifiedPart:
    """What protects a part; `width` is its 95 % half-width, where that is known before."""
    if isinstance(part, PublicPart) or share is None or mechanism is None:
        return CertifiedPart(part.label)
    return CertifiedPart(
        label=part.label,
        mechanism=mechanism.name,
        step=part.step,
        scale=mechanism.scale * part.step,
        sensitivity=_sensitivity(part, mechanism),
        epsilon=share.epsilon,
        rho=share.rho,
        half_width_95=width,
    )


def _sensitivity(part: Part, mechanism: Mechanism) -> Sensitivity:
    match part:
        case SelectionPart():
            return Sensitivity("linf-sum", part.sensitivity, part.monotone)
        case PublicPart():
            raise AssertionError("a public part has no sensitivity")
        case _ if isinstance(mechanism, DiscreteGaussian):
            return Sensitivity("l2", part.l2)
        case _:
            return Sensitivity("l1", part.l1)


def _versions() -> Versions:
    return Versions(
        deniable=importlib.metadata.version("deniable"),
        opendp=importlib.metadata.version("opendp"),
        duckdb=importlib.metadata.version("duckdb"),
        ibis=importlib.metadata.version("ibis-framework"),
        python=platform.python_version(),
    )
