"""An audit in sentences, for the command line too, and as a page: what was claimed and proved."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from deniable.auditing.audit import EXACT, NOT_RANDOM, Audit
from deniable.auditing.statistics import accusing
from deniable.errors.validate import in_full
from deniable.numerics.answer import round_outwards
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE
from deniable.report.rendering import render
from deniable.theorems.analysis import posterior_upper

_DIGITS = 4
"""Significant digits of ε: more than any number of runs tells apart."""
_EXACT = 12
"""Decimals of 1 − confidence: all that a decimal of the confidence has."""
_MOST_DIGITS = 17
"""Digits that tell any two floats apart."""
_TENTHS = 3
"""Digits of a percentage of right bets: tenths, which a thousand runs tell apart."""


_JUST_KEPT = "Visible with these runs, where the claim is just kept"
"""What half of perfect attacks show there: what is found may be above it, by chance or for good."""


def up(value: float, digits: int = _DIGITS) -> str:
    """What is at most so large, rounded up."""
    return _write(round_outwards(value, digits))


def down(value: float, digits: int = _DIGITS) -> str:
    """What is at least so large, rounded down."""
    return _write(round_outwards(value, digits, up=False))


def _separate(most: float, least: float, digits: int) -> tuple[str, str]:
    """What is at most so large and at least so large, with the digits that tell both apart."""
    for number in range(digits, _MOST_DIGITS + 1) if most < least < math.inf else ():
        if float(up(most, number)) < float(down(least, number)):
            return up(most, number), down(least, number)
    return up(most, digits), down(least, digits)


def headline(audit: Audit) -> str:
    """Claim and attack side by side, as bets at even odds on who is in the data."""
    if audit.belief_claimed is None:
        return f"At least {bets_down(audit.belief_found)} % of bets at even odds are right."
    most, least = _bets(audit)
    reached = f"at least {least} % are"
    if audit.found.lower > (audit.claimed_epsilon or 0.0) and float(least) <= float(most):
        reached = "more are"
    return f"Claimed: at most {most} % of bets at even odds are right. Attacked: {reached}."


def _bets(audit: Audit) -> tuple[str, str]:
    """Bets of 100 that the claim allows and the attack proved right, with digits likewise."""
    claimed = 1.0 if audit.belief_claimed is None else audit.belief_claimed
    return _separate(100 * claimed, 100 * audit.belief_found, _TENTHS)


def verdict_sentence(audit: Audit) -> str:
    """What follows, in one plain sentence."""
    runs = f"{audit.runs:,} runs" if audit.runs != 1 else "one run"
    match audit.verdict:
        case "violated" if broken := [each for each in audit.findings if each.breaks]:
            return f"Violated: {audit.claimed} is false. {broken[0].sentence}"
        case "violated":
            delta = f" at δ = {in_full(audit.delta)}" if audit.delta else ""
            most, least = _separate(audit.claimed_epsilon or 0.0, audit.found.lower, _DIGITS)
            return (
                f"Violated: {audit.claimed} allows ε = {most}{delta}, and an attack shows at least "
                f"{least}. This verdict is wrong with probability at most "
                f"{up(round(1 - accusing(audit.confidence), _EXACT), 2)}."
            )
        case "consistent":
            return (
                f"Consistent: {runs} did not contradict {audit.claimed}. They would have shown "
                "twice its ε."
            )
        case _:
            return f"Inconclusive: {_explain_undecided(audit, runs)}"


def numbers(audit: Audit) -> Iterator[tuple[str, str, str]]:
    """Claimed, visible and found: name, ε, and bets of 100 that are right."""
    least, right = down(audit.found.lower), bets_down(audit.belief_found)
    if audit.claimed_epsilon is None:
        yield "Claimed", "nothing", "100"
    else:
        most, least = _separate(audit.claimed_epsilon, audit.found.lower, _DIGITS)
        bets, right = _bets(audit)
        yield "Claimed, at most", most, bets
    visible = "Best visible with these runs" if audit.claimed is None else _JUST_KEPT
    yield visible, up(audit.visible), bets_up(audit.belief_visible)
    yield "Found, at least", least, right


def bets_up(share: float) -> str:
    """Return a share in percent, rounded up."""
    return up(100 * share, _TENTHS)


def bets_down(share: float) -> str:
    """Return a share in percent, rounded down."""
    return down(100 * share, _TENTHS)


def _explain_undecided(audit: Audit, runs: str) -> str:
    for each in audit.findings:
        if each.name == NOT_RANDOM:
            return each.sentence
        if each.name == EXACT and audit.claimed is None:
            return f"nothing is claimed. {each.sentence}"
        if each.name == EXACT:
            number = "no number of runs" if audit.decides is None else f"about {audit.decides:,}"
            return (
                f"{runs} do not refute a claim as weak as {audit.claimed}; {number} would. "
                f"{each.sentence}"
            )
    if audit.claimed is None:
        return f"nothing is claimed; {runs} showed an ε of at least {down(audit.found.lower)}."
    if audit.found.lower > (audit.claimed_epsilon or 0.0):
        return (
            f"an attack shows at least ε = {down(audit.found.lower)}, more than {audit.claimed} "
            f"allows, which may be chance with a confidence of {in_full(audit.confidence)}. Audit "
            f"again with another seed and more than {runs}."
        )
    if audit.decides is None:
        return f"{runs} did not decide about {audit.claimed}, and no number of runs would."
    return f"{runs} did not decide about {audit.claimed}; about {audit.decides:,} would."


def _write(rounded: Decimal) -> str:
    if rounded.is_infinite():
        return "∞" if rounded > 0 else "−∞"
    number = rounded.normalize()
    return f"{number:f}" if abs(number) >= Decimal("1e-4") or not number else f"{number:e}"


_CHART_STEPS = 100
"""Points of a line: smooth at the size it is drawn."""
_LARGEST = 700.0
"""ε above which e^ε is no float, and the line no other."""


def _rates(audit: Audit) -> vega.Chart:
    """The region, guessing, what a claim allows, and what the attack reached."""
    # Lowest and highest true-positive rate between the places where a rectangle begins or ends.
    #
    # Through each rectangle the curve passes, and it only rises: right of a rectangle it is at
    # least the rectangle's lower side, left of one at most the upper side.
    points = audit.curve
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
    if audit.claimed_epsilon is not None:
        e, delta = math.exp(min(audit.claimed_epsilon, _LARGEST)), audit.delta
        grid = (x / _CHART_STEPS for x in range(_CHART_STEPS + 1))
        # min(δ + e^ε α, 1 − e^−ε(1 − δ − α), 1) is passed by no attack if the claim is true.
        most = [(x, min(delta + e * x, max(1 - (1 - delta - x) / e, delta), 1.0)) for x in grid]
        layers.append(line(most, PALETTE["target"], dash=[8, 4], width=3))
    seen = [(0.0, 0.0), *((point.fpr, point.tpr) for point in points), (1.0, 1.0)]
    layers.append(line(seen, PALETTE["accent"], [], 3).encode(order=vega.channel("position:Q")))
    return vega.layer(*layers).properties(width=SIDE, height=SIDE)


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


_PRIORS = (0.01, 0.05, 0.1, 0.5)
"""Beliefs before, for the table: those of the reports."""


def audit_page(audit: Audit, target: str) -> str:
    """The whole page as HTML that opens offline: charts are inline SVG, there is no script."""
    claimed = audit.claimed_epsilon
    grid = [step / _CHART_STEPS for step in range(_CHART_STEPS + 1)]
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
