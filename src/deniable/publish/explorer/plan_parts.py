"""Of a prepared plan what its page needs: sensitivities, grids, cells and shares, all public."""

from fractions import Fraction
from typing import Any

from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.rounding import directed, lower
from deniable.pipeline.noise.parts import Part, PublicPart, SelectionPart, VectorPart
from deniable.publish.budget import slack_of, weight_fractions
from deniable.publish.explorer.certified import certified_curves
from deniable.publish.plan.plan import Plan, PublicPlan
from deniable.publish.plan.published_plan import HEADING, as_toml
from deniable.publish.prepare import Prepared
from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.statistics.grid import Grid
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.quantile import Quantile
from deniable.report.html import legible

CONFIDENCE = 0.95
"""Coverage of the half-widths of the page, that of every report."""
_REPLACED = frozenset({"adversary", "target", "floor"})
"""Tables of a plan that the page writes itself; of one with a floor it shows what holds against
everybody."""


def plan_parts(prepared: Prepared[Plan], delta: float) -> dict[str, Any]:
    """Everything of a plan that its page holds.

    Parameters
    ----------
    prepared : Prepared
        The plan; its data are not touched.
    delta : float
        δ for which noise of the other kind is shown beside the plan's own.
    """
    plan = prepared.plan
    rows = [query.parts for query in prepared.queries]
    fractions = weight_fractions([query.query.weight for query in prepared.queries], rows)
    shares = zip(prepared.queries, fractions, strict=True)
    return {
        "who": legible(plan.unit or plan.entity or "row"),
        "adjacency": str(plan.adjacency),
        "prior": [plan.adversary.low, plan.adversary.high],
        "target": plan.target.as_json(),
        "delta": plan.delta,
        "ledger": plan.dataset is not None,
        "queries": [_query(query, fraction) for query, fraction in shares],
        "curves": certified_curves(delta, slack_of(fractions, rows), plan.adjacency),
        "toml": rest_of_plan(plan),
    }


def rest_of_plan(plan: PublicPlan) -> str:
    """The plan without its place, its adversary and its target."""
    content = plan.published or {}
    kept = {name: table for name, table in content.items() if name not in _REPLACED}
    return as_toml(kept).removeprefix(HEADING).lstrip("\n")


def _query(prepared: PreparedQuery, fractions: tuple[Fraction, ...]) -> dict[str, Any]:
    query = prepared.query
    return {
        "name": legible(query.name),
        "cells": prepared.published_cells,
        "parts": [_part(*each) for each in zip(prepared.parts, fractions, strict=True)],
        "errors": _errors(prepared),
    }


def _part(part: Part, fraction: Fraction) -> dict[str, Any] | None:
    """The share, and what scale 1 costs in ε and in ρ; of a selection also its gap at scale 1."""
    with directed() as r:
        share = lower(r(fraction))
    match part:
        case VectorPart():
            return {"share": share, "l1": part.l1, "l2": part.l2}
        case SelectionPart():
            return {"share": share, **_selection(part)}
        case PublicPart():
            return None


def _selection(part: SelectionPart) -> dict[str, Any]:
    pure, gumbel = (NoisyTopK(1.0, part.number, noise) for noise in SelectionNoise)
    return {
        "epsilon": pure.epsilon(part.sensitivity, part.monotone),
        "rho": gumbel.rho(part.sensitivity, part.monotone),
        "gap": [each.score_gap(part.candidates, CONFIDENCE) for each in (pure, gumbel)],
    }


def _errors(prepared: PreparedQuery) -> list[dict[str, Any]]:
    """Each kind of published number: which part's noise it has, in which step and unit."""
    statistic, parts = prepared.query.statistic, prepared.parts
    column = legible(statistic.column or "rows")
    if isinstance(statistic, Mean):
        low, high = statistic.bounds
        counted = not isinstance(parts[1], PublicPart)
        mean = {
            "of": "mean",
            "unit": column,
            "step": Grid.of(low, high).step,
            "farthest": statistic.farthest,
            "most": high - low,
            "counted": counted,
        }
        return [mean, {"of": "count", "unit": "rows", "part": 1, "step": 1.0}][: 1 + counted]
    (part,) = parts
    if isinstance(part, PublicPart):
        return []
    error = {"of": part.label, "part": 0, "step": part.step}
    if isinstance(statistic, Quantile):
        return [error | {"unit": "rows", "quantile": statistic.quantile}]
    units = {"sum": column, "entities": "entities"}
    return [error | {"unit": units.get(part.label, "rows")}]
