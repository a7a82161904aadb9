"""Charts of rules on exact tables: beliefs after each mark, by list, and of several rules."""

from collections.abc import Sequence
from typing import Any

from deniable.report.charts import SIDE, alt, belief_axis, data, finish, line
from deniable.report.style import PALETTE
from deniable.rules.comparing import RuleComparison
from deniable.rules.designing import RuleDesign, SizeDesign

_ROW = 22
"""Pixels of a mark's or a rule's row: a line of text."""


def design_layers(answer: RuleDesign) -> Any:
    """Beliefs after each mark of one list, or the largest and the smallest by its length."""
    if answer.several:
        return _by_length(answer)
    size = answer.sizes[0]
    rows = [
        {"name": str(each.output), "low": each.belief.lower, "high": each.belief.upper}
        for each in size.after
    ] or [_row("smallest to largest", size)]
    return alt.layer(*_spans(rows, "Published"), *_limit([size])).properties(
        width=SIDE, height=alt.Step(_ROW)
    )


def comparison_layers(answer: RuleComparison) -> Any:
    """A row a rule, a panel a list."""
    panels = []
    for index, first in enumerate(answer.rules[0].design.sizes):
        sizes = [(rule.name, rule.design.sizes[index]) for rule in answer.rules]
        layers = [*_spans([_row(name, size) for name, size in sizes], "Rule")]
        panel = alt.layer(*layers, *_limit([size for _, size in sizes]))
        panels.append(
            panel.properties(
                width=SIDE, height=alt.Step(_ROW), title=f"{first.members:,} people listed"
            )
        )
    return alt.vconcat(*panels)


def _row(name: str, size: SizeDesign) -> dict[str, Any]:
    low, high = size.lowest.belief.bound.lower, size.worst.belief.bound.upper
    return {"name": name, "low": low, "high": high}


def _spans(rows: list[dict[str, Any]], title: str) -> list[Any]:
    """From the smallest to the largest belief, with a mark at either."""
    base = alt.Chart(data(rows)).encode(y=alt.Y("name:N", sort=None, title=title))
    axis = belief_axis("low", 1.0, "Belief that someone is counted, in 100")
    bars = base.mark_bar(color=PALETTE["accent"], opacity=0.25, height=8)
    ticks = base.mark_point(color=PALETTE["accent"], filled=True, opacity=1, size=50)
    return [
        bars.encode(x=axis, x2="high:Q"),
        ticks.encode(x="low:Q"),
        ticks.encode(x="high:Q", tooltip=["name:N", "low:Q", "high:Q"]),
    ]


def _limit(sizes: Sequence[SizeDesign]) -> list[Any]:
    """The limits that were asked about."""
    limits = {
        float(each.limit) for size in sizes for each in (size.exceedance, size.shortfall) if each
    }
    rule = alt.Chart(data([{"limit": limit} for limit in sorted(limits)]))
    dashed = rule.mark_rule(color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
    return [dashed.encode(x="limit:Q")] if limits else []


def _by_length(answer: RuleDesign) -> Any:
    rows = [
        {"members": size.members, **_row("", size), "after": str(size.worst.output)}
        for size in answer.sizes
    ]
    last = max(size.members for size in answer.sizes)
    x = alt.X("members:Q", title="People listed", axis=alt.Axis(tickMinStep=1, format="d"))
    base = alt.Chart(data(rows)).encode(x=x)
    axis = belief_axis("high", 1.0, "Largest and smallest belief, in 100", vertical=True)
    layers = [
        base.mark_line(color=PALETTE["accent"], strokeWidth=2, point=True).encode(
            y=axis, tooltip=["members:Q", "high:Q", "after:N"]
        ),
        base.mark_line(color=PALETTE["accent"], strokeWidth=1, strokeDash=[4, 4]).encode(y="low:Q"),
    ]
    for prior in sorted({float(answer.adversary.low), float(answer.adversary.high)}):
        layers.append(line([(0.0, prior), (last, prior)], PALETTE["muted"], [2, 4], 1.5))
    for each in (answer.sizes[0].exceedance, answer.sizes[0].shortfall):
        if each is not None:
            limit = float(each.limit)
            layers.append(line([(0.0, limit), (last, limit)], PALETTE["target"], [8, 4], 2))
    return alt.layer(*layers).properties(width=2 * SIDE, height=SIDE)


def rule_design_chart(answer: RuleDesign) -> Any:
    """Beliefs after each mark that a rule may publish, or by the length of the list."""
    return finish(design_layers(answer))


def rule_comparison_chart(answer: RuleComparison) -> Any:
    """The smallest and the largest belief under each of several rules."""
    return finish(comparison_layers(answer))
