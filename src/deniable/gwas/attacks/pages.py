"""Answers for the owner of a study as pages: an attack, and safe variants with their chart."""

from __future__ import annotations

import math
from typing import Any

from deniable.gwas.attacks import attack_power
from deniable.gwas.attacks.safe_answer import NO_GUARANTEE, SafeStudy, SafeVariants
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, line
from deniable.report.html import PALETTE, check_page, write_page
from deniable.report.rendering import render
from deniable.report.sentences import count_down

_WIDTH = 560
"""Pixels: a page of 46 em has room for it, and for labels on the right."""
_BESIDE = 6
"""Pixels between a line's end and its label."""
_ABOVE = 9
"""Pixels between a line and a label above it."""
_CROWDED = 0.05
"""Beliefs whose labels would run into each other."""


def _layers(answer: SafeVariants) -> vega.Chart:
    """The median member, an unlucky one, and the limit, by the number of variants."""
    course = [(each.variants, each.median, each.unlucky) for each in answer.course]
    limit, selected = answer.posterior, answer.variants
    last = max(course[-1][0], 1)
    named = ("median member", 1, PALETTE["muted"]), ("unlucky member", 2, PALETTE["accent"])
    layers = [
        line([(0.0, limit), (last, limit)], PALETTE["target"], [8, 4], 2),
        line([(selected, 0.0), (selected, 1.0)], PALETTE["ink"], [2, 3], 1.5),
    ]
    for _, column, color in named:
        layers.append(line([(each[0], each[column]) for each in course], color, [], 3))
    labels = [(float(last), course[-1][column], label, c) for label, column, c in named]
    crowded = any(abs(q - limit) < _CROWDED for _, q, _, _ in labels)
    at = 0.0 if crowded else float(last)  # its other end is free
    for p, q, label, color in [*labels, (at, limit, "limit", PALETTE["target"])]:
        words = vega.chart([{"p": p, "q": q, "label": label, "color": color}]).mark(
            "text", align="left", dx=_BESIDE, dy=0 if p else -_ABOVE, fontSize=13
        )
        tinted = vega.channel("color:N", scale=None)
        layers.append(words.encode(x="p:Q", y="q:Q", text="label:N", color=tinted))
    marker = vega.chart([{"p": selected, "q": 0.0, "label": f"{selected:,}"}])
    layers.append(
        marker.mark("text", align="left", dx=4, dy=-8, fontSize=13, color=PALETTE["ink"]).encode(
            x="p:Q", y="q:Q", text="label:N"
        )
    )
    axis = {"title": "Variants published", "format": ",d", "tickCount": min(last, 20)}
    first = layers[0].encode(
        x=vega.channel("p:Q", scale={"domain": [0, last], "nice": False}, axis=axis),
        y=belief_axis("q", 1.0, "Belief in a member's membership, %"),
    )
    chart = vega.layer(first, *layers[1:]).properties(width=_WIDTH, height=SIDE)
    if answer.OWNER_ONLY:
        chart = chart.properties(title=vega.title(_PRIVATE, color=PALETTE["target"], fontSize=18))
    return chart


__all__ = ["attack_page", "chart", "check_page", "page", "write_page"]

_PRIVATE = "NOT FOR PUBLICATION"
_NOBODY = 1e-9
"""Share of members below which numbers of them say nothing."""


def chart(answer: SafeVariants) -> Any:
    """The Altair chart of an answer."""
    return finish(_layers(answer))


def page(answer: SafeVariants) -> str:
    """One HTML page that opens offline: the chart, the figures, and what they are not."""
    return render(
        "gwas/attacks/safe.html",
        answer=answer,
        is_study=isinstance(answer, SafeStudy),
        one_in=f"{math.floor(1 / answer.allowed):,}" if answer.allowed > _NOBODY else "very many",
        chart=_layers(answer),
        cautions=answer.cautions if isinstance(answer, SafeStudy) else [NO_GUARANTEE],
    )


_PRIORS = (0.5, 0.1, 0.01)
"""Beliefs before, of somebody who suspects, who searches, and who tries anybody."""


def attack_page(answer: attack_power.AttackPower, source: str) -> str:
    """The page as HTML that opens offline, without script; `source` names what was attacked."""
    named, beliefs = answer.published, []
    for prior in _PRIORS:
        pointed = attack_power.beliefs(answer.power, answer.fpr, prior)
        typical = attack_power.typical_beliefs(answer.variants_worth, answer.members, prior)
        beliefs.append((prior, pointed, *typical))
    return render(
        "gwas/attacks/attack.html",
        answer=answer,
        source=source,
        reasons=attack_power.REASONS,
        in_100=attack_power.in_100,
        down=lambda value: f"{count_down(value, 1000) / 1000:g}",  # three decimals
        beliefs=[[attack_power.in_100(each) for each in row] for row in beliefs],
        has_frequencies=not named or any("frequenc" in e or "counts" in e for e in named),
    )
