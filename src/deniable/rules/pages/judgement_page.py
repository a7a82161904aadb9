"""Published tables as a page for the person who decides: what anybody can infer from them."""

from typing import Any

from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, inline, line
from deniable.report.html import PALETTE, Html, element, items, join, table, text
from deniable.report.page import html_document
from deniable.report.sentences import at_least, chance, exactly, significant
from deniable.rules.judgement import MemberBelief, TablesJudgement
from deniable.rules.pages.design_page import prior_sentence, rule_section
from deniable.rules.repairing import RuleRepair
from deniable.rules.worlds import Sample

# --- Charts of published tables: beliefs in those listed; and what repairs cost against belief.


_ROW = 22
"""Pixels of a row: a line of text."""
_MOST_ROWS = 40
"""Rows of a chart: those of whom most can be believed; a table has the others."""


def people(belief: MemberBelief) -> str:
    """Who somebody is, by the lists that they are on."""
    return f"{' and '.join(belief.lists)} ({belief.people:,})"


def judgement_layers(answer: TablesJudgement) -> vega.Chart:
    """A bar for all people on the same lists, from the smallest to the largest belief."""
    rows = [
        {"name": people(each), **{k: bounds[k] for k in ("lower", "upper")}}
        for each in answer.beliefs
        for bounds in [each.as_json()["belief"]]
    ]
    rows = sorted(rows, key=lambda row: -row["upper"])[:_MOST_ROWS]
    base = vega.chart(rows).encode(
        y=vega.channel("name:N", sort=None, title="On the lists (people)")
    )
    axis = belief_axis("lower", 1.0, "Belief that someone is counted, in 100")
    bars = base.mark("bar", color=PALETTE["accent"], opacity=0.25, height=8)
    ticks = base.mark("point", color=PALETTE["accent"], filled=True, opacity=1, size=50)
    layers = [
        bars.encode(x=axis, x2="upper:Q"),
        ticks.encode(x="lower:Q"),
        ticks.encode(x="upper:Q", tooltip=["name:N", "lower:Q", "upper:Q"]),
    ]
    limits = [each for each in (answer.max_posterior, answer.min_posterior) if each is not None]
    if limits:
        dashed = vega.chart([{"limit": float(each)} for each in limits])
        rule = dashed.mark("rule", color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(rule.encode(x="limit:Q"))
    return vega.layer(*layers).properties(width=SIDE, height={"step": _ROW})


def repair_layers(answer: RuleRepair) -> vega.Chart:
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
        x=vega.channel("share:Q", title="Typical distance from the count, in 100 listed"),
        y=belief_axis("belief", 1.0, "Largest belief, in 100"),
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
    return vega.layer(*layers).properties(width=2 * SIDE, height=SIDE)


def judgement_chart(answer: TablesJudgement) -> Any:
    """Beliefs in the people on each list, after all published tables."""
    return finish(judgement_layers(answer))


def repair_chart(answer: RuleRepair) -> Any:
    """Accuracy against belief, a point a change."""
    return finish(repair_layers(answer))


# --- Published tables as a page for the person who decides: what anybody can infer from them.


_MOST = 200
"""Rows of a table: a page or two; the answer in JSON has all."""
_VERDICTS = {
    True: "All beliefs are within the target.",
    False: "The target is missed: not all beliefs are within it.",
    None: "Whether all beliefs are within the target is undecided: bounds lie on both sides of it.",
}


def judgement_page(answer: TablesJudgement) -> str:
    """The whole page as HTML that opens offline, without script."""
    title = "What published tables let anybody infer"
    sections = [
        ("The rule", rule_section(answer.rule, answer.policy)),
        ("Who is certain", _certain(answer)),
        ("Sets that differ in few people", _differences(answer)),
        ("What may be believed", _beliefs(answer)),
        ("What counts may be", _counts(answer)),
        ("What it rests on", items(map(text, answer.assumes))),
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


def _who(answer: TablesJudgement) -> str:
    """Whom the beliefs are those of, and what they may be at most."""
    match answer.adversary:
        case None:
            return "No adversary was given: what the tables leave possible, and no beliefs."
        case Sample(size=size, population=population):
            before = f"They know that {size:,} of {population:,} people were drawn and counted."
        case priors:
            before = prior_sentence(priors)
    limits = [
        f"{name} {exactly(float(limit))}"
        for name, limit in (("at most", answer.max_posterior), ("at least", answer.min_posterior))
        if limit is not None
    ]
    target = f" The target: {' and '.join(limits)} afterwards." if limits else ""
    return f"The adversary knows the lists and all published numbers. {before}{target}"


def _lead(answer: TablesJudgement) -> str:
    certain = sum(each.people for each in answer.certain)
    cells = len(answer.feasible)
    words = [
        f"{cells:,} published number{'' if cells == 1 else 's'}, looked at together.",
        f"{len(answer.certain):,} lists or groups have everybody in or nobody, for certain."
        if certain
        else "Nobody is in or out for certain.",
    ]
    if (worst := answer.worst) is not None and (lowest := answer.lowest) is not None:
        high, low = worst.as_json()["belief"]["upper"], lowest.as_json()["belief"]["lower"]
        words.append(f"Beliefs go from {at_least(low)} to {chance(high)}.")
    if answer.max_posterior is not None or answer.min_posterior is not None:
        words.append(_VERDICTS[answer.is_met])
    return " ".join(words)


def _certain(answer: TablesJudgement) -> Html:
    if not answer.certain:
        return element("p", text("Nobody."))
    rows = [
        [each.list, f"{each.people:,}", "all are in" if each.is_in else "none is in"]
        for each in answer.certain
    ]
    return _table("certain", "In or out for certain", ["People", "Listed", "Known"], rows, 1)


def _differences(answer: TablesJudgement) -> Html:
    if not answer.differences:
        return element("p", text("None was seen."))
    rows = []
    for each in answer.differences:
        first, second = each.difference.first, each.difference.second
        low, high = each.interval.lower, each.interval.upper
        rows.append([
            f"{first.table}, {first.name}", f"{second.table}, {second.name}",
            f"{each.difference.people:,}", f"{low:,}" if low == high else f"{low:,} to {high:,}",
        ])  # fmt: skip
    heads = ["In", "And not in", "People", "Counted of them"]
    return _table("differences", "What a subtraction shows", heads, rows, 2)


def _beliefs(answer: TablesJudgement) -> Html:
    if not answer.beliefs:
        return element("p", text("No adversary was given."))
    drawn = inline(
        judgement_layers(answer), "beliefs", "Beliefs that somebody listed is counted",
        "The table holds the numbers.",
    )  # fmt: skip
    rows = [
        [people(each), at_least(bounds["lower"]), chance(bounds["upper"]), each.evidence]
        for each in answer.beliefs
        for bounds in [each.as_json()["belief"]]
    ]
    heads = ["On the lists (people)", "Belief at least", "Belief at most", "Evidence"]
    caption = "Beliefs in each of the people on the same lists"
    return join([element("figure", drawn), _table("people", caption, heads, rows, 1)])


def _counts(answer: TablesJudgement) -> Html:
    rows = [
        [
            each.cell.table, each.cell.name, str(each.cell.published),
            f"{each.interval.lower:,}", f"{each.interval.upper:,}",
        ]
        for each in answer.feasible
    ]  # fmt: skip
    heads = ["Table", "Cell", "Published", "At least", "At most"]
    return _table("counts", "Counts that agree with all tables", heads, rows, 2)


def _table(
    identifier: str, caption: str, heads: list[str], rows: list[list[str]], texts: int
) -> Html:
    cells = [[text(cell) for cell in row] for row in rows[:_MOST]]
    numbers = [index >= texts for index in range(len(heads))]
    figures = table(identifier, text(caption), list(map(text, heads)), cells, numbers)
    if len(rows) <= _MOST:
        return figures
    more = f"And {significant(len(rows) - _MOST)} more rows: see the answer in JSON."
    return join([figures, element("p", text(more))])


def _decision() -> Html:
    advice = (
        "These tables are public, and cannot be called back; what may be decided is what is "
        "published next about the same people, and under which rule (deniable rules repair)."
    )
    lines = [element("p", text(each)) for each in ("Name", "Decision", "Date and signature")]
    return join([element("p", text(advice)), element("div", *lines, class_="sign")])
