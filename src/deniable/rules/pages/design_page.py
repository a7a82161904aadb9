"""A rule on exact tables as a page for the person who decides whether it is enough."""

from collections.abc import Sequence
from typing import Any

from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE
from deniable.report.rendering import render
from deniable.report.sentences import chance, significant
from deniable.rules.designing import RuleComparison, RuleDesign, SizeDesign
from deniable.rules.numbers import Chance, power_above
from deniable.rules.rule import Rule, Step
from deniable.rules.steps import (
    Barnardise,
    Bottom,
    CellKey,
    Hide,
    Midpoint,
    Noise,
    RandomRound,
    Round,
    RoundDown,
    Top,
)

_ROW = 22  # Pixels of a mark's or a rule's row: a line of text


def design_layers(answer: RuleDesign) -> vega.Chart:
    """Beliefs after each mark of one list, or the largest and the smallest by its length."""
    if answer.several:
        rows = [
            {"members": size.members, **_row("", size), "after": str(size.worst.output)}
            for size in answer.sizes
        ]
        last = max(size.members for size in answer.sizes)
        x = vega.channel(
            "members:Q", title="People listed", axis={"tickCount": min(last, 20), "format": "d"}
        )
        base = vega.chart(rows).encode(x=x)
        axis = belief_axis("high", 1.0, "Largest and smallest belief, %")
        layers = [
            base.mark("line", color=PALETTE["accent"], strokeWidth=2, point=True).encode(
                y=axis, tooltip=["members:Q", "high:Q", "after:N"]
            ),
            base.mark("line", color=PALETTE["accent"], strokeWidth=1, strokeDash=[4, 4]).encode(
                y="low:Q"
            ),
        ]
        for prior in sorted({float(answer.adversary.low), float(answer.adversary.high)}):
            layers.append(line([(0.0, prior), (last, prior)], PALETTE["muted"], [2, 4], 1.5))
        for each in (answer.sizes[0].exceedance, answer.sizes[0].shortfall):
            if each is not None:
                limit = float(each.limit)
                layers.append(line([(0.0, limit), (last, limit)], PALETTE["target"], [8, 4], 2))
        return vega.layer(*layers).properties(width=2 * SIDE, height=SIDE)
    size = answer.sizes[0]
    rows = [
        {"name": str(each.output), "low": each.belief.lower, "high": each.belief.upper}
        for each in size.after
    ] or [_row("smallest to largest", size)]
    return spans(rows, "Published", _limits([size]))


def rule_comparison_chart(answer: RuleComparison) -> Any:
    """A row a rule, a panel a list."""
    panels = []
    for index, first in enumerate(answer.rules[0].design.sizes):
        sizes = [(rule.name, rule.design.sizes[index]) for rule in answer.rules]
        rows = [_row(name, size) for name, size in sizes]
        panel = spans(rows, "Rule", _limits([size for _, size in sizes]))
        panels.append(panel.properties(title=f"{first.members:,} people listed"))
    return finish(vega.stack(*panels))


def _row(name: str, size: SizeDesign) -> dict[str, Any]:
    low, high = size.lowest.belief.bound.lower, size.worst.belief.bound.upper
    return {"name": name, "low": low, "high": high}


def spans(
    rows: list[dict[str, Any]],
    title: str,
    limits: Sequence[float],
    fields: tuple[str, str] = ("low", "high"),
) -> vega.Chart:
    """Draw bars from the smallest to the largest belief, and the limits."""
    low, high = fields
    base = vega.chart(rows).encode(y=vega.channel("name:N", sort=None, title=title))
    axis = belief_axis(low, 1.0, "Belief that someone is counted, %")
    bars = base.mark("bar", color=PALETTE["accent"], opacity=0.25, height=8)
    ticks = base.mark("point", color=PALETTE["accent"], filled=True, opacity=1, size=50)
    layers = [
        bars.encode(x=axis, x2=f"{high}:Q"),
        ticks.encode(x=f"{low}:Q"),
        ticks.encode(x=f"{high}:Q", tooltip=["name:N", f"{low}:Q", f"{high}:Q"]),
    ]
    if limits:
        rule = vega.chart([{"limit": limit} for limit in limits])
        dashed = rule.mark("rule", color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(dashed.encode(x="limit:Q"))
    return vega.layer(*layers).properties(width=SIDE, height={"step": _ROW})


def _limits(sizes: Sequence[SizeDesign]) -> list[float]:
    """The limits that were asked about."""
    return sorted({
        float(each.limit) for size in sizes for each in (size.exceedance, size.shortfall) if each
    })  # fmt: skip


def rule_design_chart(answer: RuleDesign) -> Any:
    """Beliefs after each mark that a rule may publish, or by the length of the list."""
    return finish(design_layers(answer))


_RARE = 1e-6  # A probability below which a power of ten is easier to read


def rules_page(answer: RuleDesign) -> str:
    """The whole page as HTML that opens offline, without script."""
    sizes = [size.members for size in answer.sizes]
    return render(
        "rules/pages/design.html",
        answer=answer,
        adversary=answer.adversary,
        listed=f"{sizes[0]:,}" if len(sizes) == 1 else f"{min(sizes):,} to {max(sizes):,}",
        highest=answer.worst.worst,
        lowest=min(
            (each.lowest for each in answer.sizes), key=lambda each: each.belief.bound.lower
        ),
        steps=describe_steps(answer.rule),
        chart=design_layers(answer),
        probability=_probability,
        chances=[
            (size.members, each)
            for size in answer.sizes
            for each in (size.exceedance, size.shortfall)
            if each is not None
        ],
        exceptions=[size for size in answer.sizes if size.delta is not None],
    )


def describe_steps(rule: Rule) -> list[str]:
    """What is done to every count, a sentence a step."""
    return [_step(step) for step in rule.steps]


def _step(step: Step) -> str:
    match step:
        case Hide(lower, upper):
            return f'Counts {lower:,} to {upper:,} are shown as "*".'
        case Round(base, halves):
            half = f", halves {halves}" if base % 2 == 0 else ""
            return f"Counts are rounded to the nearest multiple of {base:,}{half}."
        case RoundDown(base):
            return f"Counts are rounded down to a multiple of {base:,}."
        case Midpoint(base):
            return f"Counts above 0 are shown as the middle of 1 to {base:,} and so on."
        case Top(limit):
            return f"Counts above {limit:,} are shown as {limit:,}."
        case Bottom(limit):
            return f"Counts below {limit:,} are shown as {limit:,}."
        case RandomRound(base):
            return f"Counts are rounded to a multiple of {base:,} by chance, without bias."
        case Barnardise(share):
            return f"1 is added or subtracted, with probability {significant(float(share))} each."
        case CellKey():
            return "A p-table adds noise; the same people always get the same noise."
        case Noise():
            return f"Noise of at most {step.reach:,} is added."


def _probability(probability: Chance) -> str:
    if probability.power_of_ten is None:
        return "0: impossible"
    if probability.bound.upper >= _RARE:
        return chance(probability.bound.upper)
    return f"at most 10^{power_above(probability.power_of_ten[1])}"
