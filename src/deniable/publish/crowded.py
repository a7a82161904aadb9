"""Tables of counts whose noise hides small cells, and what has less of it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat

import attrs

from deniable.errors import DeniableError
from deniable.pipeline.noise import VectorPart
from deniable.publish.advice import Advice
from deniable.publish.plan import PublicPlan
from deniable.publish.prepared_query import CELL, PreparedQuery, ask_of, calibrate_queries


def advise_cells(plan: PublicPlan, queries: Sequence[PreparedQuery]) -> Iterator[Advice]:
    """Say in which tables of counts the noise hides small cells, and what has less noise.

    One sentence for all of them, with the numbers of the query with most noise.
    """
    crowded = [(each.finest, each) for each in queries if each.finest and each.finest[1] >= CELL]
    (cells, width, unit), worst = max(crowded, key=lambda each: each[0][1])
    after = _with_delta(plan, queries).get(worst.query.name)
    ways, doable = [], dict[str, float | str]()
    if after is not None and after.finest is not None and after.finest[1] <= _WORTH * width:
        ways.append(f"write delta = {_DELTA} in [target], for ± {after.finest[1]:,.4g}")
        doable["delta"] = float(_DELTA)
    ways.append("group by fewer, coarser keys")
    if worst.query.statistic.kind == "count" and len(worst.query.grouping.columns) > 1:
        ways.append('write statistic = "crosstab", whose totals stand out of the noise')
        doable["crosstab"] = worst.query.name
    remedy = ", or ".join([", ".join(ways[:-1]), ways[-1]] if len(ways) > 1 else ways)
    more = f" and {len(crowded) - 1} more" if len(crowded) > 1 else ""
    yield Advice(
        "noise",
        tuple(each.query.name for _, each in crowded),
        f"“{worst.query.name}”{more}: the noise of ± {width:,.4g} hides a cell of fewer than "
        f"{math.ceil(width):,} {unit}. It hides the average cell too if all {cells:,} cells hold "
        f"fewer than {math.ceil(width * cells):,} {unit}. {remedy[:1].upper()}{remedy[1:]}.",
        ways=doable,
    )


def _with_delta(plan: PublicPlan, queries: Sequence[PreparedQuery]) -> Mapping[str, PreparedQuery]:
    """The queries, by name, with the noise that they would have with δ; empty where none helps."""
    if plan.delta is not None or plan.population is not None or plan.dataset is not None:
        return {}
    if plan.target.kind not in _OF_ATTACKS and not any(map(_may_gain, queries, repeat(queries))):
        return {}
    ask = attrs.evolve(ask_of(plan), delta=float(_DELTA))
    try:
        _, after = calibrate_queries(
            ask, [each.query for each in queries], [each.protection for each in queries]
        )
    except DeniableError:  # no noise meets the target with an exception
        return {}
    return {each.query.name: each for each in after}


def _may_gain(query: PreparedQuery, queries: Sequence[PreparedQuery]) -> bool:
    """Whether Gaussian noise may be the smaller: to compute it takes longer than all of a plan."""
    # Of a share w of a budget ε, Laplace noise has the half-width ln 20 · l1/(w ε). If a loss of ε
    # is passed with probability δ, ρ is about ε²/(4 ln 1/δ): Gaussian noise has 1.96 l2/√(2 w ρ).
    total = sum(share.epsilon or 0.0 for each in queries for share in each.shares if share)
    ratio = 1.96 * math.sqrt(2 * math.log(1 / float(_DELTA))) / math.log(20)
    return any(
        isinstance(part, VectorPart)
        and share is not None
        and share.epsilon is not None
        and ratio * part.l2 * math.sqrt(share.epsilon / total) < part.l1
        for part, share in zip(query.parts, query.shares, strict=True)
    )


_OF_ATTACKS = ("attack_success", "advantage")
"""Targets with which δ is no exception: Gaussian noise alone meets them."""
_DELTA = "1e-6"
"""δ that is proposed: the usual one, as a plan writes it."""
_WORTH = 0.9
"""Share of the half-width at or below which δ is worth to be named."""
