"""The report of a training, and the chart that compares ways of drawing its batches."""

from typing import Any

from deniable.report import vega_lite as vega
from deniable.report.belief_section import belief_section, error_section
from deniable.report.charts import finish
from deniable.report.html import PALETTE
from deniable.report.page import appendices, guarantee_sections, ledger_sections, page
from deniable.report.rendering import section
from deniable.training.batches.batched import Neighbours
from deniable.training.batches.compare import BatchComparison
from deniable.training.certificate import SENTENCES, TrainingCertificate

_ALL = 7
"""Digits that show every end of an enclosure as it is stated, in six: none is rounded inwards."""


def training_document(certificate: TrainingCertificate) -> str:
    """The whole report as one HTML page, from the certificate only."""
    # It opens offline: charts are inline SVG, there is no script.
    training, batches = certificate.training, certificate.training.batches
    many = 1 if batches is None else batches.records_per_person
    one = "one record" if many == 1 else f"up to {many} records of one person"
    change = Neighbours.ADD_REMOVE if batches is None else batches.neighbours
    sections = [
        belief_section(certificate),
        error_section(
            certificate,
            "training/errors.html",
            "the model",
            [(each.fpr, each.fnr) for each in training.trade_off],
            [(training.rates.fpr, training.rates.fnr)],
            digits=_ALL,
        ),
        section(
            "trained",
            "training/trained.html",
            certificate=certificate,
            change=SENTENCES["compared"][change].format(one),
            way=None if batches is None else SENTENCES["ways"][batches.batches],
        ),
        *ledger_sections(certificate, "training/charged.html"),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    return page(certificate, sections, "training/report.html")


# --- The chart of several ways of drawing: an interval each, of four questions.

_TITLES = {
    "epsilon_remove": "ε of a record removed",
    "epsilon_add": "ε of a record added",
    "advantage": "Advantage",
    "fnr": "Members missed",
}
_WIDTH, _ROW = 320, 18
"""Pixels of a bar at full length, and from one way to the next: a label of 11 points fits."""
_AXIS = {"tickCount": 5, "labelFlush": False}
"""Labels in the middle of their ticks: flush ones at the ends touch their neighbours."""


def comparison_chart(answer: BatchComparison) -> Any:
    """Bars from the lower end to the upper, one below the other; a thin one is known exactly."""
    order = [str(row.batches) for row in answer.rows]
    parts = []
    for name, title in _TITLES.items():
        bounds = [(str(row.batches), getattr(row, name)) for row in answer.rows]
        rows = [
            {"way": way, "low": b.lower, "high": b.upper} for way, b in bounds if b.upper < 1e300
        ]
        bars = vega.chart(rows).encode(
            x=vega.channel("low:Q", title=title, scale={"zero": True}, axis=_AXIS),
            x2="high:Q",
            y=vega.channel("way:N", sort=order, title=None),
            tooltip=[vega.channel(f"{end}:Q", format=".4f") for end in ("low", "high")],
        )
        drawn = bars.mark("bar", height=8, stroke=PALETTE["accent"], color=PALETTE["accent"])
        parts.append(vega.layer(drawn).properties(width=_WIDTH, height=_ROW * len(order)))
    return finish(vega.stack(*parts))
