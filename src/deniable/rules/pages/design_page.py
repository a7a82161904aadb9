"""A rule on exact tables as a page for the person who decides whether it is enough."""

from collections.abc import Iterator, Sequence
from typing import Any

from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, inline, line
from deniable.report.html import PALETTE, Html, element, items, join, table, text
from deniable.report.page import html_document
from deniable.report.sentences import at_least, chance, exactly, significant
from deniable.rules.designing import RuleComparison, RuleDesign, SizeDesign
from deniable.rules.numbers import Chance, power_above
from deniable.rules.rule import Preset, Rule, Step
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
from deniable.rules.worlds import Priors, Sample

# --- Charts of rules on exact tables: beliefs after each mark, by list, and of several rules.


_ROW = 22
"""Pixels of a mark's or a rule's row: a line of text."""


def design_layers(answer: RuleDesign) -> vega.Chart:
    """Beliefs after each mark of one list, or the largest and the smallest by its length."""
    if answer.several:
        return _by_length(answer)
    size = answer.sizes[0]
    rows = [
        {"name": str(each.output), "low": each.belief.lower, "high": each.belief.upper}
        for each in size.after
    ] or [_row("smallest to largest", size)]
    return vega.layer(*_spans(rows, "Published"), *_limit([size])).properties(
        width=SIDE, height={"step": _ROW}
    )


def comparison_layers(answer: RuleComparison) -> vega.Chart:
    """A row a rule, a panel a list."""
    panels = []
    for index, first in enumerate(answer.rules[0].design.sizes):
        sizes = [(rule.name, rule.design.sizes[index]) for rule in answer.rules]
        layers = [*_spans([_row(name, size) for name, size in sizes], "Rule")]
        panel = vega.layer(*layers, *_limit([size for _, size in sizes]))
        panels.append(
            panel.properties(
                width=SIDE, height={"step": _ROW}, title=f"{first.members:,} people listed"
            )
        )
    return vega.stack(*panels)


def _row(name: str, size: SizeDesign) -> dict[str, Any]:
    low, high = size.lowest.belief.bound.lower, size.worst.belief.bound.upper
    return {"name": name, "low": low, "high": high}


def _spans(rows: list[dict[str, Any]], title: str) -> list[Any]:
    """From the smallest to the largest belief, with a mark at either."""
    base = vega.chart(rows).encode(y=vega.channel("name:N", sort=None, title=title))
    axis = belief_axis("low", 1.0, "Belief that someone is counted, in 100")
    bars = base.mark("bar", color=PALETTE["accent"], opacity=0.25, height=8)
    ticks = base.mark("point", color=PALETTE["accent"], filled=True, opacity=1, size=50)
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
    rule = vega.chart([{"limit": limit} for limit in sorted(limits)])
    dashed = rule.mark("rule", color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
    return [dashed.encode(x="limit:Q")] if limits else []


def _by_length(answer: RuleDesign) -> vega.Chart:
    rows = [
        {"members": size.members, **_row("", size), "after": str(size.worst.output)}
        for size in answer.sizes
    ]
    last = max(size.members for size in answer.sizes)
    x = vega.channel("members:Q", title="People listed", axis={"tickMinStep": 1, "format": "d"})
    base = vega.chart(rows).encode(x=x)
    axis = belief_axis("high", 1.0, "Largest and smallest belief, in 100")
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


def rule_design_chart(answer: RuleDesign) -> Any:
    """Beliefs after each mark that a rule may publish, or by the length of the list."""
    return finish(design_layers(answer))


def rule_comparison_chart(answer: RuleComparison) -> Any:
    """The smallest and the largest belief under each of several rules."""
    return finish(comparison_layers(answer))


# --- A rule on exact tables as a page for the person who decides whether it is enough.


_RARE = 1e-6
"""A probability below which a power of ten is easier to read."""
_NOT_COVERED = (
    "Whoever knows of all others whether they were counted: from an exact number they may learn "
    "the last one.",
    "Households and others who are counted together or not at all.",
    "Another table about the same people, a total, or the same table a year later: judge them "
    "together (deniable rules judge).",
    "A budget. Nothing here has an ε, and nothing of it adds up with releases that have one.",
)
_ZERO = {
    "shown": "A 0 is shown as 0, and then everybody is out for certain.",
    "hidden": 'A 0 is shown as "*", like other hidden counts.',
    "merged": "Hidden counts are shown as 0, and nobody can tell them from a 0.",
}


def rules_page(answer: RuleDesign) -> str:
    """The whole page as HTML that opens offline, without script."""
    title = "What a rule on exact tables lets one believe"
    sections = [
        ("The rule", rule_section(answer.rule, answer.policy)),
        ("What may be believed", _beliefs(answer)),
        ("How likely that is", _chances(answer)),
        ("What it rests on", items(map(text, answer.assumes))),
        ("What is not covered", items(map(text, _NOT_COVERED))),
        ("Decision", _decision()),
    ]
    body = element(
        "body",
        element("header", element("h1", text(title))),
        element(
            "main",
            element("p", text(_who(answer)), class_="lead"),
            element("p", text(_lead(answer)), class_="lead"),
            *(join([element("h2", text(heading)), content]) for heading, content in sections),
        ),
    )
    return html_document(title, body)


def _who(answer: RuleDesign) -> str:
    sizes = [size.members for size in answer.sizes]
    listed = f"{sizes[0]:,}" if len(sizes) == 1 else f"{min(sizes):,} to {max(sizes):,}"
    who = answer.adversary
    if isinstance(who, Sample):
        return (
            f"The adversary knows {listed} people of a list of {who.population:,}, of whom "
            f"{who.size:,} were drawn and counted, and the published number of those drawn."
        )
    return (
        f"The adversary knows a list of {listed} people and the published number of those who "
        f"were counted. {prior_sentence(who)}"
    )


def prior_sentence(who: Priors) -> str:
    """What the adversary gives each person beforehand."""
    low, high = exactly(float(who.low)), exactly(float(who.high))
    before = low if who.low == who.high else f"between {low} and {high}"
    return f"Beforehand they give each, independently, {before}."


def _lead(answer: RuleDesign) -> str:
    size = answer.worst
    worst, lowest = size.worst, min(
        (each.lowest for each in answer.sizes), key=lambda each: each.belief.bound.lower
    )  # fmt: skip
    listed = f" of a list of {size.members:,}" if answer.several else ""
    high, low = worst.belief.bound.upper, lowest.belief.bound.lower
    most = "that someone is in, for certain" if high >= 1 else f"up to {chance(high)}"
    least = "that they are out, for certain" if low <= 0 else f"as little as {at_least(low)}"
    return (
        f'Afterwards they may believe {most}: after "{worst.output}"{listed}. Or {least}: after '
        f'"{lowest.output}".'
    )


def rule_section(rule: Rule, policy: Preset | None) -> Html:
    """What is done to every count, step by step, and whose policy that is."""
    parts = [items(map(text, _steps(rule)), "ol"), element("p", text(_ZERO[rule.zero]))]
    if policy is not None:
        description = f"This is the policy “{policy.name}”: {policy.source} ({policy.date}). "
        parts.append(element("p", text(description + policy.besides)))
    return join(parts)


def _steps(rule: Rule) -> Iterator[str]:
    for step in rule.steps:
        yield _step(step)


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
            return f"1 is added or taken with probability {significant(float(share))} each."
        case CellKey():
            return "Noise is added by a p-table; the same people always get the same noise."
        case Noise():
            return f"Noise of at most {step.reach:,} is added."


def _beliefs(answer: RuleDesign) -> Html:
    drawn = inline(
        design_layers(answer),
        "beliefs",
        "Beliefs that someone is counted, after what may be published",
        "The table holds the numbers.",
    )
    figures = _by_mark(answer.sizes[0]) if answer.sizes[0].after else _by_size(answer)
    return join([element("figure", drawn), figures])


def _by_mark(size: SizeDesign) -> Html:
    rows = [
        [
            str(each.output),
            at_least(each.belief.lower),
            chance(each.belief.upper),
            _probability(each.probability),
        ]
        for each in size.after
    ]
    heads = ["Published", "Belief at least", "Belief at most", "Chance of it"]
    return _table("marks", "After each number that may be published", heads, rows)


def _by_size(answer: RuleDesign) -> Html:
    rows = [
        [
            f"{size.members:,}",
            at_least(size.lowest.belief.bound.lower),
            str(size.lowest.output),
            chance(size.worst.belief.bound.upper),
            str(size.worst.output),
            _probability(size.worst.probability),
        ]
        for size in answer.sizes
    ]
    heads = ["Listed", "Belief at least", "After", "Belief at most", "After", "Chance of that"]
    return _table("sizes", "The smallest and the largest belief", heads, rows)


def _table(identifier: str, caption: str, heads: list[str], rows: list[list[str]]) -> Html:
    cells = [[text(cell) for cell in row] for row in rows]
    return table(
        identifier,
        text(caption),
        list(map(text, heads)),
        cells,
        [False] + [True] * (len(heads) - 1),
    )


def _chances(answer: RuleDesign) -> Html:
    rows = []
    for size in answer.sizes:
        for each in (size.exceedance, size.shortfall):
            if each is None:
                continue
            side, given = ("above", "counted") if each.above else ("below", "not counted")
            rows.append([
                f"{size.members:,}", f"{side} {significant(float(each.limit))}",
                f"someone who is {given}", _probability(each.probability),
                _probability(each.at_stated), significant(float(each.stated)),
            ])  # fmt: skip
    exceptions = [_describe_exception(size) for size in answer.sizes if size.delta is not None]
    paragraphs = [element("p", text(each)) for each in exceptions]
    if not rows:
        return join(paragraphs or [element("p", text("No limit was asked about."))])
    heads = ["Listed", "A belief", "Of", "Has at most the chance", "With equal priors", "Of"]
    return join([_table("chances", "Chances of passing a limit", heads, rows), *paragraphs])


def _describe_exception(size: SizeDesign) -> str:
    assert size.delta is not None
    high, low = size.belief_except, size.lowest_except
    assert high is not None
    assert low is not None
    return (
        f"Of a list of {size.members:,}, except with probability {significant(float(size.delta))}: "
        f"at most {chance(high.bound.upper)} of someone who is counted, and at least "
        f"{at_least(low.bound.lower)} of someone who is not."
    )


def _probability(probability: Chance) -> str:
    if probability.power_of_ten is None:
        return "0: impossible"
    if probability.bound.upper >= _RARE:
        return chance(probability.bound.upper)
    return f"at most 10^{power_above(probability.power_of_ten[1])}"


def _decision() -> Html:
    advice = (
        "Publish under this rule, knowing what it lets one believe and how likely that is; or "
        "choose a larger threshold, a coarser base or fewer tables, and ask again, for longer "
        "lists too: a stricter rule is not safer for every list. What protects against everybody "
        "is noise with a guarantee (deniable calibrate)."
    )
    lines = [element("p", text(each)) for each in ("Name", "Decision", "Date and signature")]
    return join([element("p", text(advice)), element("div", *lines, class_="sign")])
