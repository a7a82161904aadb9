"""`precision` of a query: the half-width that is wanted, and the budget that it costs."""

from collections.abc import Sequence

import attrs

from deniable.errors import InfeasibleTarget, validate
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from deniable.numerics.rounding import greatest
from deniable.pipeline.noise import LEAST_SCALE, VectorPart, claimed_loss
from deniable.publish.margins import largest_scale, largest_scale_of, tree_error_terms
from deniable.publish.plan.spelling import quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.statistics import Crosstab, Protection, Query, Statistic, Tree

STATISTICS = ("count", "entities", "sum", "histogram", "crosstab", "tree")
"""Their half-widths are known before the data is touched, in the unit of what is published."""

_TOLERANCE = 1e-9
"""Share of a scale up to which the largest one is sought."""


def check_precisions(tables: Sequence[PlanTable]) -> None:
    """Refuse queries of which some have a precision and others a share of what is left.

    Raises
    ------
    PlanError
        At the first query without.
    """
    for table in tables:
        if "precision" not in table:
            remedy = "Give every query a precision, or each a weight: nothing is left to share."
            raise table.error("precision", "precision in every query, or in none", "some", remedy)


def with_precision(
    table: PlanTable, query: Query, protection: Protection, *, gaussian: bool
) -> Query:
    """The query with the budget that its precision costs as its weight.

    Raises
    ------
    PlanError
        If the precision is none, or of a statistic whose error depends on the data.
    """
    if "weight" in table:
        raise table.error("weight", "precision or weight", "both", "Remove one.")
    kind = query.statistic.kind
    if kind not in STATISTICS:
        remedy = f"Its error depends on the data. Say precision of {', '.join(STATISTICS)}."
        raise table.error("precision", "a statistic with a known error", quote_text(kind), remedy)
    with table.locate_errors("precision"):
        wanted = validate.positive(table.number("precision"), "precision")
        cost = _cost(query, protection, wanted, gaussian=gaussian)
    return attrs.evolve(query, weight=cost, precision=wanted)


def _cost(query: Query, protection: Protection, wanted: float, *, gaussian: bool) -> float:
    """ρ, or ε without δ, of the largest noise that keeps the half-width; rounded up."""
    statistic, cells = query.statistic, query.grouping.cells
    if gaussian and isinstance(statistic, Crosstab):
        (part,) = (x for x in statistic.parts(protection, cells) if isinstance(x, VectorPart))
        design = statistic.design
        margins = [margin for margin, _ in design.measured()]
        noise: Mechanism = DiscreteGaussian(largest_scale(design, dict.fromkeys(margins, wanted)))
        return claimed_loss(noise, part)
    return claimed_loss(*largest_noise(statistic, protection, cells, wanted, gaussian=gaussian))


def largest_noise(
    statistic: Statistic, protection: Protection, cells: int, wanted: float, *, gaussian: bool
) -> tuple[DiscreteGaussian | DiscreteLaplace, VectorPart]:
    """The largest noise that keeps a half-width of a statistic with one vector, and the vector."""
    parts = statistic.parts(protection, cells)
    (part,) = (each for each in parts if isinstance(each, VectorPart))
    made = DiscreteGaussian if gaussian else DiscreteLaplace
    if isinstance(statistic, Tree):
        levels = tree_error_terms(statistic.design)
        laws = {tuple(sorted(terms.items())): terms for level in levels for terms in level}
        return made(largest_scale_of([(wanted, terms) for terms in laws.values()], made)), part

    def keeps(scale: float) -> bool:
        mechanisms = [made(scale) if each is part else None for each in parts]
        return bool(max(statistic.half_widths(mechanisms, cells).values()) <= wanted)

    most = max(wanted / part.step, 1.0)
    while keeps(most):
        most *= 2
    return made(greatest(keeps, LEAST_SCALE, most, tolerance=_TOLERANCE)), part


def check_kept(query: Query, half_widths: dict[str, float], target: str) -> None:
    """Refuse noise with which a wanted half-width is not kept.

    Raises
    ------
    InfeasibleTarget
        With what would have to change.
    """
    if query.precision is None or max(half_widths.values()) <= query.precision:
        return
    got = max(half_widths.values())
    raise InfeasibleTarget(
        f"Expected a target that allows ± {query.precision:g} for {quote_text(query.name)}, got "
        f"± {got:.6g} with {target}. `deniable plan --solve` says which target does; or ask for "
        "less precision."
    )
