"""Charts of published tables: beliefs in those listed; and what repairs cost against belief."""

from typing import Any

from deniable.report.charts import SIDE, alt, belief_axis, data, finish, line
from deniable.report.style import PALETTE
from deniable.rules.judgement import MemberBelief, TablesJudgement
from deniable.rules.repairing import RuleRepair

_ROW = 22
"""Pixels of a row: a line of text."""
_MOST_ROWS = 40
"""Rows of a chart: those of whom most can be believed; a table has the others."""


def people(belief: MemberBelief) -> str:
    """Who somebody is, by the lists that they are on."""
    return f"{' and '.join(belief.lists)} ({belief.people:,})"


def judgement_layers(answer: TablesJudgement) -> Any:
    """A bar for all people on the same lists, from the smallest to the largest belief."""
    rows = [
        {"name": people(each), **{k: bounds[k] for k in ("lower", "upper")}}
        for each in answer.beliefs
        for bounds in [each.as_json()["belief"]]
    ]
    rows = sorted(rows, key=lambda row: -row["upper"])[:_MOST_ROWS]
    base = alt.Chart(data(rows)).encode(y=alt.Y("name:N", sort=None, title="On the lists (people)"))
    axis = belief_axis("lower", 1.0, "Belief that someone is counted, in 100")
    bars = base.mark_bar(color=PALETTE["accent"], opacity=0.25, height=8)
    ticks = base.mark_point(color=PALETTE["accent"], filled=True, opacity=1, size=50)
    layers = [
        bars.encode(x=axis, x2="upper:Q"),
        ticks.encode(x="lower:Q"),
        ticks.encode(x="upper:Q", tooltip=["name:N", "lower:Q", "upper:Q"]),
    ]
    limits = [each for each in (answer.max_posterior, answer.min_posterior) if each is not None]
    if limits:
        dashed = alt.Chart(data([{"limit": float(each)} for each in limits]))
        rule = dashed.mark_rule(color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(rule.encode(x="limit:Q"))
    return alt.layer(*layers).properties(width=SIDE, height=alt.Step(_ROW))


def repair_layers(answer: RuleRepair) -> Any:
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
    base = alt.Chart(data(rows))
    points = base.mark_point(filled=True, size=60, opacity=0.7).encode(
        x=alt.X("share:Q", title="Typical distance from the count, in 100 listed"),
        y=belief_axis("belief", 1.0, "Largest belief, in 100", vertical=True),
        color=alt.Color("met:N", title="Within the target", scale=alt.Scale(
            domain=["yes", "no"], range=[PALETTE["accent"], PALETTE["muted"]]
        )),
        shape=alt.Shape("change:N", title="Change"),
        tooltip=["text:N", "share:Q", "belief:Q"],
    )  # fmt: skip
    layers = [points]
    if answer.max_posterior is not None:
        limit = float(answer.max_posterior)
        layers.append(line([(0.0, limit), (50.0, limit)], PALETTE["target"], [8, 4], 2))
    return alt.layer(*layers).properties(width=2 * SIDE, height=SIDE)


def judgement_chart(answer: TablesJudgement) -> Any:
    """Beliefs in the people on each list, after all published tables."""
    return finish(judgement_layers(answer))


def repair_chart(answer: RuleRepair) -> Any:
    """Accuracy against belief, a point a change."""
    return finish(repair_layers(answer))
