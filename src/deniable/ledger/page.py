"""A ledger as a page, for those who keep it: beliefs as releases accumulate, and the charges."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deniable.ledger import sentences
from deniable.ledger.charge import State
from deniable.ledger.summary import Summary
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE, check_page, legible, write_page
from deniable.report.rendering import render

__all__ = ["check_page", "ledger_page", "write_ledger_page"]


def write_ledger_page(summary: Summary, path: Path) -> None:
    """Write the page whole, for those who keep the ledger alone, as its own file is."""
    write_page(ledger_page(summary), path, private=True)


def ledger_page(summary: Summary) -> str:
    """The whole page as HTML that opens offline: the chart is inline SVG, there is no script.

    It is for those who keep the ledger; how many charges there were is not public.
    """
    return render(
        "ledger/ledger.html",
        headline=sentences.headline(summary),
        exceptions=filter(
            None,
            (sentences.household(summary), sentences.rarely(summary), sentences.exposed(summary)),
        ),
        chart=_course(summary),
        charges=[each for each in summary.newest if each.state is State.CHARGED],
        later={each.id: each for each in summary.newest if each.state is not State.CHARGED},
        up=sentences.up,
        exposure_up=sentences.exposure_up,
        amounts=list(sentences.amounts_of(summary)),
        summary=summary,
        copies=sentences.COPIES,
        groups=list(sentences.group_rows(summary)),
    )


def _course(summary: Summary) -> vega.Chart:
    course = [(moment.charges, moment.belief) for moment in summary.path]
    return course_chart(course, summary.belief(summary.everything.beliefs))


def course_chart(course: Sequence[tuple[int, float]], end: float) -> vega.Chart:
    """Draw the belief as charges accumulate, in steps, below the limit of the whole budget."""
    last = max(course[-1][0], 1)
    steps = line([(number, belief) for number, belief in course], PALETTE["accent"], [], 3)
    axis = {"title": "Charges", "tickCount": min(last, 20), "format": "d"}
    steps = steps.mark("line", color=PALETTE["accent"], strokeWidth=3, interpolate="step-after")
    limit = line([(0, end), (last, end)], PALETTE["target"], dash=[8, 4], width=3)
    chart = vega.layer(
        steps.encode(
            x=vega.channel("p:Q", scale={"domain": [0, last], "nice": False}, axis=axis),
            y=belief_axis("q", 1.0, "Belief, %"),
        ),
        limit,
    )
    return chart.properties(width=2 * SIDE, height=SIDE)


def ledger_chart(summary: Summary) -> Any:
    """What may be believed as charges accumulate, below what the whole budget allows."""
    title = vega.title(
        legible(summary.dataset.name), subtitle="For those who keep the ledger, not for publication"
    )
    return finish(_course(summary).properties(title=title))
