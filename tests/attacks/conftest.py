"""What several attacks share."""

import functools
import types

import pytest

from deniable.report import charts
from deniable.report.html import text
from deniable.theorems.analysis.explain import ErrorCurve

RATES = functools.cache(ErrorCurve.false_negatives)
"""What tests get wrong at least by a guarantee, which a page is written for again and again."""


@pytest.fixture(scope="module")
def charts_in_words():
    """For attacks on anything but pictures: to draw them takes half of a small release's time.

    Vega's part alone is left out. A picture is then the text of all that Vega would be given, so
    that two pages are the same where they were with their pictures, a page of a release is checked
    as ever, and a value that should not be there is seen. Error rates of one guarantee,
    half of what is left where noise is Gaussian, are computed once.
    """

    def written(specification):
        return (
            f'<svg width="8" height="8" viewBox="0 0 8 8"><text>{text(specification)}</text></svg>'
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charts, "vl_convert", types.SimpleNamespace(vegalite_to_svg=written))
        patch.setattr(charts, "are_drawn", lambda: False)  # nothing of it is kept for other tests
        patch.setattr(ErrorCurve, "false_negatives", lambda *given: RATES(*given))
        charts._render_svg.cache_clear()
        yield
    charts._render_svg.cache_clear()
