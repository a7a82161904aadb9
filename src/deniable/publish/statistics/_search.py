"""Positions in a sorted public list, as one engine expression of logarithmic depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deniable.errors.late import late
from deniable.publish.statistics._units import int64_literal

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")


def position(
    value: ir.Value, starts: Sequence[ir.Scalar], answers: Sequence[int]
) -> ir.IntegerValue:
    """`answers[i]` for the last i with `starts[i] <= value`, or the first answer before them all.

    Nested conditions that halve the list: a row meets log2(n) comparisons, not n.
    """
    if len(starts) == 1:
        return int64_literal(answers[0])
    half = len(starts) // 2
    below = position(value, starts[:half], answers[:half])
    above = position(value, starts[half:], answers[half:])
    return ibis.ifelse(value < starts[half], below, above)
