"""What a user of a plan would change before anything is spent; from the plan's own numbers only."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.query import Span

_ROWS = 100
"""Rows of a group that people publish means of: with more needed, a mean's noise is named."""
_FINE = 2**12
"""Steps between bounds below which rounding to the grid shows: beside it half a step is .01 %."""
_MOST = 10**9
"""Rows of any group."""


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
        f"“{name}”: of {least} rows the 95 % interval of a mean is as wide as the bounds, {low:g} "
        f"to {high:g}, and says nothing. Make larger groups, choose narrower bounds, publish "
        "less, or give the query more weight.",
    )


def _coarse(prepared: PreparedQuery) -> Iterator[Advice]:
    """Columns whose bounds are so close, for their size, that few numbers lie between them."""
    name = prepared.query.name
    for column, each in prepared.query.statistic.bounded.items():
        if (span := Span.of(each)).width >= _FINE:
            continue
        nearest = min(each, key=abs)
        yield Advice(
            "grid",
            (name,),
            f"“{name}”: values of {column} are rounded to multiples of {span.grid.step:g}, the "
            f"finest for numbers of that size, and {span.width:,} of these are between the bounds. "
            f'Derive a column, [columns] near = {{ difference = ["{column}", {nearest:g}] }}, and '
            "use it with bounds less that number.",
        )
