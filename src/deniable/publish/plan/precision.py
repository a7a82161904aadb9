"""`precision` of a query: the half-width that is wanted, and the budget that it costs."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import attrs

from deniable.errors import InfeasibleTarget, validate
from deniable.numerics.rounding import greatest
from deniable.pipeline.noise import (
    LEAST_SCALE,
    DiscreteGaussian,
    DiscreteLaplace,
    VectorPart,
    ZeroSumNoise,
    claimed_loss,
)
from deniable.publish.plan.spelling import quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.query import STATISTICS, Protection, Query, Statistic

VectorNoise: TypeAlias = DiscreteGaussian | DiscreteLaplace | ZeroSumNoise

_TOLERANCE = 1e-9  # share of a scale up to which the largest one is sought


def with_precision(
    table: PlanTable, query: Query, protection: Protection, *, gaussian: bool
) -> Query:
    """The query with the budget that its precision costs as its weight."""
    if "weight" in table:
        raise table.error("weight", "precision or weight", "both", "Remove one.")
    statistic, cells = query.statistic, query.grouping.cells
    if not statistic.PRECISE:
        known = ", ".join(word for word, each in STATISTICS.items() if each.PRECISE)
        remedy, got = f"Its error depends on the data. Say precision of {known}.", statistic.kind
        raise table.error("precision", "a statistic with a known error", quote_text(got), remedy)
    with table.locate_errors("precision"):
        wanted = validate.positive(table.number("precision"), "precision")
        # ρ, or ε without δ, of the largest noise that keeps the half-width; rounded up.
        noise = largest_noise(statistic, protection, cells, wanted, gaussian=gaussian)
        return attrs.evolve(query, weight=claimed_loss(*noise), precision=wanted)


def largest_noise(
    statistic: Statistic, protection: Protection, cells: int, wanted: float, *, gaussian: bool
) -> tuple[VectorNoise, VectorPart]:
    """The largest noise that keeps a half-width of a statistic with one vector, and the vector."""
    parts = statistic.parts(protection, cells)
    (part,) = (each for each in parts if isinstance(each, VectorPart))
    kind = DiscreteGaussian if gaussian else DiscreteLaplace
    if (scale := statistic.largest_scale(wanted, kind)) is not None:
        return kind(scale), part
    made: Callable[[float], VectorNoise] = kind
    if part.partition and not gaussian:
        made = partial(ZeroSumNoise, part.partition)

    def keeps(scale: float) -> bool:
        mechanisms = [made(scale) if each is part else None for each in parts]
        return bool(max(statistic.half_widths(mechanisms, cells).values()) <= wanted)

    most = max(wanted / part.step, 1.0)
    while keeps(most):
        most *= 2
    return made(greatest(keeps, LEAST_SCALE, most, tolerance=_TOLERANCE)), part


def check_kept(query: Query, half_widths: dict[str, float], target: str) -> None:
    """Refuse noise with which a wanted half-width is not kept."""
    if query.precision is None or max(half_widths.values()) <= query.precision:
        return
    got = max(half_widths.values())
    raise InfeasibleTarget(
        f"Expected a target that allows ± {query.precision:g} for {quote_text(query.name)}, got "
        f"± {got:.6g} with {target}. `deniable plan --solve` says which target does; or ask for "
        "less precision."
    )
