"""Where tests leave the drawing out, what could not be drawn is an error all the same."""

import math

import pytest

from deniable.report import vega_lite as vega
from deniable.report.charts import inline


def picture(value):
    chart = vega.chart([{"x": value}]).mark("bar").encode(x="x:Q")
    return inline(chart, "name", "title", "description")


def test_a_picture_is_what_would_be_drawn():
    assert "quantitative" in picture(0.125)
    assert picture(0.125) == picture(0.125) != picture(0.25)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "\ud800"])
def test_what_cannot_be_read_is_no_picture(value):
    with pytest.raises(ValueError, match=r"JSON|encode"):
        picture(value)
