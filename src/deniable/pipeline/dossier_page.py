"""A dossier as a page: each question in its own words, its figures, what they rest on."""

import json
from decimal import ROUND_FLOOR, Context

from deniable.pipeline.dossiers import META, Dossier
from deniable.pipeline.statements import Figure
from deniable.report.rendering import render
from deniable.report.sentences import at_most, significant

_DIGITS = 6  # significant digits of a figure, rounded to its safe side


def dossier_page(dossier: Dossier) -> str:
    """The whole page as HTML that opens offline, without script; a function of the dossier."""
    return render(
        "pipeline/dossier.html",
        dossier=dossier,
        meta=META,
        request=json.dumps(dossier.request, ensure_ascii=False),
        figure_words=figure_words,
    )


def figure_words(figure: Figure) -> str:
    """A number with its side, rounded to it.

    >>> figure_words(Figure("x", upper=0.12345678)), figure_words(Figure("x", 0.12345678, 0.5))
    ('at most 0.123457', '0.123456 to 0.5')
    """
    low, high = figure.lower, figure.upper
    if low is not None and high is not None:
        return significant(low, 12) if low == high else f"{_down(low)} to {at_most(high, _DIGITS)}"
    return f"at most {at_most(high, _DIGITS)}" if high is not None else f"at least {_down(low)}"


def _down(value: float | None) -> str:
    rounding = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    return significant(float(rounding.create_decimal(repr(value))), _DIGITS)
