"""An audit as a page: what was claimed, what the attack proved, and how."""

import math
from collections.abc import Sequence
from typing import Any

from deniable.auditing.audit import Audit, RatePoint
from deniable.auditing.sentences import bets_down, down, headline, numbers, up, verdict_sentence
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE
from deniable.report.rendering import render
from deniable.theorems.analysis import posterior_upper

_CHART_STEPS = 100
"""Points of a line: smooth at the size it is drawn."""
_LARGEST = 700.0
"""ε above which e^ε is no float, and the line no other."""


def rate_chart(points: Sequence[RatePoint], most: Sequence[tuple[float, float]]) -> vega.Chart:
    """The region, guessing, what a claim allows, and what the attack reached."""
    # Lowest and highest true-positive rate between the places where a rectangle begins or ends.
    #
    # Through each rectangle the curve passes, and it only rises: right of a rectangle it is at
    # least the rectangle's lower side, left of one at most the upper side.
    places = sorted({0.0, 1.0, *(p.fpr_lower for p in points), *(p.fpr_upper for p in points)})
    region = vega.chart(
        [
            {
                "x": x,
                "low": max((p.tpr_lower for p in points if p.fpr_upper <= x), default=0.0),
                "high": min((p.tpr_upper for p in points if p.fpr_lower > x), default=1.0),
            }
            for x in places
        ]
    )
    # The curve rises: above a rate it is at least what held before, at most what holds after.
    layers = [
        region.mark("area", color=PALETTE["accent"], opacity=0.16, interpolate="step-after").encode(
            x=belief_axis("x", 1.0, "Without the record, flagged, %"),
            y=belief_axis("low", 1.0, "With the record, flagged, %"),
            y2="high:Q",
        ),
        line([(0.0, 0.0), (1.0, 1.0)], PALETTE["muted"], dash=[2, 4], width=1.5),
    ]
    if most:
        layers.append(line(most, PALETTE["target"], dash=[8, 4], width=3))
    seen = [(0.0, 0.0), *((point.fpr, point.tpr) for point in points), (1.0, 1.0)]
    layers.append(line(seen, PALETTE["accent"], [], 3).encode(order=vega.channel("position:Q")))
    return vega.layer(*layers).properties(width=SIDE, height=SIDE)


def most_flagged(epsilon: float | None, delta: float) -> list[tuple[float, float]]:
    """The true-positive rate that no attack passes if a claim is true; nothing without a claim."""
    if epsilon is None:
        return []
    e, rates = math.exp(min(epsilon, _LARGEST)), [x / _CHART_STEPS for x in range(_CHART_STEPS + 1)]
    # min(δ + e^ε α, 1 − e^−ε(1 − δ − α), 1), for a picture.
    return [(x, min(delta + e * x, max(1 - (1 - delta - x) / e, delta), 1.0)) for x in rates]


def audited_beliefs_chart(
    proved: Sequence[tuple[float, float]], claimed: Sequence[tuple[float, float]]
) -> vega.Chart:
    """Belief after against before: what an attack proved, below what a claim allows."""
    base = vega.chart([{"p": p, "low": p, "high": q} for p, q in proved])
    layers = [
        base.mark("area", color=PALETTE["accent"], opacity=0.3).encode(
            x=belief_axis("p", 1.0, "Belief before, %"),
            y=belief_axis("low", 1.0, "Belief after, %"),
            y2="high:Q",
        ),
        line([(0.0, 0.0), (1.0, 1.0)], PALETTE["muted"], dash=[2, 4], width=1.5),
        line(proved, PALETTE["accent"], [], 3),
    ]
    if claimed:
        layers.append(line(claimed, PALETTE["target"], dash=[8, 4], width=3))
    return vega.layer(*layers).properties(width=SIDE, height=SIDE)


def rates_plot(audit: Audit) -> Any:
    """What an attack flagged, the region that holds the true curve, and what a claim allows."""
    return finish(_rates(audit))


def _rates(audit: Audit) -> vega.Chart:
    return rate_chart(audit.curve, most_flagged(audit.claimed_epsilon, audit.delta))


_PRIORS = (0.01, 0.05, 0.1, 0.5)
"""Beliefs before, for the table: those of the reports."""
_STEPS = 100
"""Points of a line: smooth at the size it is drawn."""


def audit_page(audit: Audit, target: str) -> str:
    """The whole page as HTML that opens offline: charts are inline SVG, there is no script."""
    claimed = audit.claimed_epsilon
    grid = [step / _STEPS for step in range(_STEPS + 1)]
    return render(
        "auditing/audit.html",
        audit=audit,
        target=target,
        headline=headline(audit),
        verdict=verdict_sentence(audit),
        numbers=list(numbers(audit)),
        beliefs=audited_beliefs_chart(
            [(p, audit.believed(p)) for p in grid],
            [] if claimed is None else [(p, posterior_upper(claimed, p)) for p in grid],
        ),
        priors=_PRIORS,
        rates=_rates(audit) if audit.curve else None,
        bets_down=bets_down,
        up=up,
        down=down,
    )
