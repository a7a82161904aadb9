"""The evaluation as charts: probability of the causal pair against γ."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import attrs

from reproductions.tramer_2015.evaluation import Point, RoomPoint

LAWS = {"gumbel": "Gumbel (the exponential mechanism)", "exponential": "exponential (released)"}
WHOM = {"any": "any belief (D_B)", "half": "belief ½ (D_B^½)"}
SCORES = {"genotypic": "genotypic χ²", "allelic": "allelic χ²", "distance": "distance"}


def against_size(points: Sequence[RoomPoint], title: str) -> Any:
    """A panel a score, a colour a number of released variants, a dash and a mark a law of noise."""
    rows = [
        attrs.asdict(point) | {"law": LAWS[point.noise], "by": SCORES[point.score]}
        for point in points
    ]
    tops = sorted({point.top for point in points})
    laws = list(LAWS.values())
    return (
        alt.Chart(alt.InlineData(values=rows), title=title)
        .mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=45))
        .encode(
            x=alt.X("individuals:Q", title="individuals"),
            y=alt.Y(
                "probability:Q",
                title="P(causal pair among the M released)",
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=alt.Color(
                "top:O",
                title="M",
                sort=tops,
                scale=alt.Scale(domain=tops, range=["#0b5c9e", "#b45309", "#566373"]),
            ),
            strokeDash=alt.StrokeDash(
                "law:N",
                title="noise",
                legend=alt.Legend(symbolSize=600, labelLimit=260),
                scale=alt.Scale(domain=laws, range=[[6, 4], [1, 0]]),
            ),
            shape=alt.Shape(
                "law:N", title="noise", scale=alt.Scale(domain=laws, range=["cross", "circle"])
            ),
            column=alt.Column("by:N", title=None, sort=list(SCORES.values())),
        )
        .properties(width=230, height=210)
    )


def against_gamma(points: Sequence[Point], title: str) -> Any:
    """A panel a score, a colour a size, full lines for any belief, dashes for belief ½."""
    rows = [
        attrs.asdict(point)
        | {"whom": WHOM[point.prior], "by": SCORES[point.score], "people": f"{point.individuals:,}"}
        for point in points
    ]
    sizes = [f"{size:,}" for size in sorted({point.individuals for point in points})]
    return (
        alt.Chart(alt.InlineData(values=rows), title=title)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("gamma:Q", title="γ", scale=alt.Scale(domain=[1, 4])),
            y=alt.Y(
                "probability:Q",
                title="P(exactly the causal pair)",
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=alt.Color(
                "people:N",
                title="individuals",
                sort=sizes,
                scale=alt.Scale(domain=sizes, scheme="viridis"),
            ),
            strokeDash=alt.StrokeDash(
                "whom:N",
                title="adversary",
                legend=alt.Legend(symbolSize=600),
                scale=alt.Scale(domain=list(WHOM.values()), range=[[1, 0], [6, 4]]),
            ),
            column=alt.Column("by:N", title=None, sort=list(SCORES.values())),
        )
        .properties(width=230, height=210)
    )
