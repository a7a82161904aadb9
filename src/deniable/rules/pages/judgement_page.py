"""Published tables as a page for the person who decides: what an attacker can infer from them."""

from typing import Any

from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE
from deniable.report.rendering import render
from deniable.rules.judgement import MemberBelief, TablesJudgement
from deniable.rules.judgement_lines import HEADINGS, describe_attacks
from deniable.rules.pages.design_page import describe_steps, spans
from deniable.rules.reasons import CHOICE
from deniable.rules.repairing import RuleRepair
from deniable.rules.values import ValuesJudgement

_MOST_ROWS = 40  # Rows of a chart, those with the largest beliefs; a table has the others


def people(belief: MemberBelief) -> str:
    """Name people by the lists that they are on."""
    return f"{' and '.join(belief.lists)} ({belief.people:,})"


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
