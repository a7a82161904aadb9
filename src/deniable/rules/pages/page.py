"""Rules on exact tables, and published tables, as pages for the person who decides."""

from collections.abc import Sequence
from typing import Any

from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE
from deniable.report.rendering import render
from deniable.report.sentences import chance, significant
from deniable.rules.designing import RuleComparison, RuleDesign, SizeDesign
from deniable.rules.judgement import MemberBelief, TablesJudgement
from deniable.rules.judgement_lines import HEADINGS, describe_attacks
from deniable.rules.numbers import Chance, power_above
from deniable.rules.reasons import CHOICE
from deniable.rules.repairing import RuleRepair
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
from deniable.rules.tables import list_words
from deniable.rules.values import ValuesJudgement

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
        unlisted=[each.belief.bound for size in answer.sizes for each in size.unlisted],
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


_MOST_ROWS = 40  # Rows of a chart, those with the largest beliefs; a table has the others


def people(belief: MemberBelief) -> str:
    """Name people by the lists that they are on."""
    return f"{list_words(belief.lists)} ({belief.people:,})"


def judgement_layers(answer: TablesJudgement) -> vega.Chart:
    """A bar for all people on the same lists, from the smallest to the largest belief."""
    rows = [
        {"name": people(each), "lower": bounds["lower"], "upper": bounds["upper"]}
        for each in answer.beliefs
        for bounds in [each.as_json()["belief"]]
    ]
    rows = sorted(rows, key=lambda row: -row["upper"])[:_MOST_ROWS]
    limits = [
        float(each) for each in (answer.max_posterior, answer.min_posterior) if each is not None
    ]
    return spans(rows, "On the lists (people)", limits, ("lower", "upper"))


def repair_chart(answer: RuleRepair) -> Any:
    """A point a change: how far counts may be from what is published, against the belief."""
    rows = [
        {
            "text": each.text,
            "change": each.change,
            "share": 100 * each.share,
            "belief": each.highest,
            "met": "yes" if each.is_met else "no",
        }
        for each in answer.options
        if each.is_met is not None
    ]
    base = vega.chart(rows)
    points = base.mark("point", filled=True, size=60, opacity=0.7).encode(
        x=vega.channel("share:Q", title="Typical distance from the count, % of people listed"),
        y=belief_axis("belief", 1.0, "Largest belief, %"),
        color=vega.channel("met:N", title="Within the target", scale={
            "domain": ["yes", "no"], "range": [PALETTE["accent"], PALETTE["muted"]]
        }),
        shape=vega.channel("change:N", title="Change"),
        tooltip=["text:N", "share:Q", "belief:Q"],
    )  # fmt: skip
    layers = [points]
    if answer.max_posterior is not None:
        limit = float(answer.max_posterior)
        layers.append(line([(0.0, limit), (50.0, limit)], PALETTE["target"], [8, 4], 2))
    return finish(vega.layer(*layers).properties(width=2 * SIDE, height=SIDE))


def judgement_chart(answer: TablesJudgement) -> Any:
    """Beliefs in the people on each list, after all published tables."""
    return finish(judgement_layers(answer))


_MOST = 200  # Rows of a table: a page or two; the answer in JSON has all


def judgement_page(answer: TablesJudgement) -> str:
    """The whole page as HTML that opens offline, without script."""
    return render(
        "rules/pages/judgement.html",
        answer=answer,
        steps=describe_steps(answer.rule),
        most=_MOST,
        people=people,
        belief=lambda of: of.as_json()["belief"],
        choice=CHOICE,
        chart=judgement_layers(answer) if answer.beliefs else None,
    )


def values_page(answer: ValuesJudgement) -> str:
    """What contributors can infer of each other's values, as a page like that of counts."""
    attacks = list(describe_attacks(answer))
    return render(
        "rules/pages/values.html", answer=answer, attacks=attacks, verdicts=HEADINGS, most=_MOST
    )
