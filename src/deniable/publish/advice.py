"""What a user of a plan would change before anything is spent; from the plan's own numbers only."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import attrs

from deniable.errors import DeniableError
from deniable.errors.validate import in_full
from deniable.pipeline.noise import VectorPart
from deniable.publish.plan import PublicPlan
from deniable.publish.prepared_query import CELL, PreparedQuery, ask_of, calibrate_queries
from deniable.publish.query import Span

_ROWS = 100
"""Rows of a group that people publish means of: with more needed, a mean's noise is named."""
_FINE = 2**12
"""Steps between bounds below which rounding to the grid shows: beside it half a step is 0.01 %."""
_MOST = 10**9  # rows of any group


@attrs.frozen
class Advice:
    """One sentence before anything is spent, and where a plan can be written otherwise, how.

    Parameters
    ----------
    kind : "group", "agree", "noise" or "grid"
        Queries that are one grouped query; whose totals will not agree; noise that hides what is
        published; or bounds so far from 0 that few numbers between them are told apart.
        Else the word of the statistic that says it of itself.
    queries : tuple of str
        Their names.
    text : str
        What to know, in sentences.
    widths : mapping
        Of "group" and "agree": by part or margin, the largest 95 % half-width of a number now and
        as one query.
    plan : str or None
        Of these two: the whole plan with one query in their place, in TOML.
    ways : mapping
        What of the advice a program can do by itself: "delta" is the δ to write, "crosstab" the
        name of the query whose statistic to change.
    """

    kind: str
    queries: tuple[str, ...]
    text: str
    widths: Mapping[str, tuple[float, float]] = attrs.field(factory=dict)
    plan: str | None = None
    ways: Mapping[str, Any] = attrs.field(factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Every field under its name, but for ways, which the text names."""
        return {
            "kind": self.kind,
            "queries": list(self.queries),
            "text": self.text,
            "half_widths_95": {
                part: {"now": now, "grouped": grouped}
                for part, (now, grouped) in self.widths.items()
            },
            "plan": self.plan,
        }


def advise_each(queries: Sequence[PreparedQuery]) -> tuple[Advice, ...]:
    """Return what can be said of each query of a plan before its data is looked at."""
    noise = (each for query in queries for each in _noise(query))
    coarse = (each for query in queries for each in _coarse(query))
    own = (
        Advice(each.query.statistic.kind, (each.query.name,), text)
        for each in queries
        for text in each.query.statistic.advise(each.query.name, each.mechanisms)
    )
    return (*noise, *coarse, *own)


def _noise(prepared: PreparedQuery) -> Iterator[Advice]:
    """A mean whose 95 % interval is as wide as its bounds, in all but large groups."""
    bounds, name = prepared.query.statistic.bounds, prepared.query.name
    if bounds is None or prepared.is_as_wide(1) is None:
        return
    rows = bisect_left(range(_MOST), True, key=lambda n: not prepared.is_as_wide(n))
    if rows <= _ROWS:
        return
    least = f"fewer than {rows:,}" if rows < _MOST else f"{_MOST:,}"
    low, high = bounds
    yield Advice(
        "noise",
        (name,),
        f"“{name}”: of {least} rows the 95 % interval of a mean is as wide as the bounds, "
        f"{in_full(low)} to {in_full(high)}, and says nothing. Make larger groups, choose "
        "narrower bounds, publish less, or give the query more weight.",
    )


def _coarse(prepared: PreparedQuery) -> Iterator[Advice]:
    """Columns whose bounds are so close, for their size, that few numbers lie between them."""
    name = prepared.query.name
    for column, each in prepared.query.statistic.bounded.items():
        if (span := Span.of(each)).width >= _FINE:
            continue
        nearest = in_full(min(each, key=abs))
        yield Advice(
            "grid",
            (name,),
            f"“{name}”: values of {column} are rounded to multiples of {span.grid.step:g}, the "
            f"finest for numbers of that size, and {span.width:,} of these are between the bounds. "
            f'Derive a column, [columns] near = {{ difference = ["{column}", {nearest}] }}, and '
            "use it with bounds less that number.",
        )


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
    query = worst.query
    # A crosstab takes no max_contribution, keeps no precision that suits a count, and is not
    # certified against an attacker who knows the list.
    is_plain = query.max_contribution is query.precision is None and plan.population is None
    if query.statistic.kind == "count" and len(query.grouping.columns) > 1 and is_plain:
        ways.append(
            'write statistic = "crosstab" and columns for group_by: its cells have more noise, and '
            "its totals less"
        )
        doable["crosstab"] = query.name
    remedy = ", or ".join([", ".join(ways[:-1]), ways[-1]] if len(ways) > 1 else ways)
    more = f" and {len(crowded) - 1} more" if len(crowded) > 1 else ""
    yield Advice(
        "noise",
        tuple(each.query.name for _, each in crowded),
        f"“{query.name}”{more}: the noise of ± {width:,.4g} hides a cell of fewer than "
        f"{math.ceil(width):,} {unit}. It hides the average cell too if all {cells:,} cells hold "
        f"fewer than {math.ceil(width * cells):,} {unit}. {remedy[:1].upper()}{remedy[1:]}.",
        ways=doable,
    )


def as_crosstab(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return a count as the crosstab that advice names."""
    written = {**query, "statistic": "crosstab", "columns": query["group_by"]}
    del written["group_by"]
    return written


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
_DELTA = "1e-6"  # δ that is proposed: the usual one, as a plan writes it
_WORTH = 0.9  # share of the half-width at or below which δ is worth to be named
