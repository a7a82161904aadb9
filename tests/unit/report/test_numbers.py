import math

import pytest

from deniable.report.numbers import half_width, published, significant


@pytest.mark.parametrize(
    ("value", "width", "unit", "told"),
    [
        (1234.5678, 3.21, "euros", "1,234.6"),
        (1234.5678, 321.0, "euros", "1,235"),
        (0.123456, 0.0123, "m", "0.123"),
        (-7.0, 4.0, "rows", "−7"),
        (-0.2, 40.0, "euros", "0"),
        (26.0, None, None, "26"),
        (26.123456789, None, None, "26.1235"),
        (1.5, 0.0, "x", "1.5"),
        (1.5, math.inf, "x", "1.5"),
        (None, 4.0, "rows", ""),
    ],
)
def test_a_value_has_the_decimals_of_its_width(value, width, unit, told):
    assert published(value, width, unit) == told


@pytest.mark.parametrize(
    ("width", "unit", "told"),
    [
        (3.21, "euros", "± 3.3"),
        (541.2, "euros", "± 542"),
        (0.1, "m", "± 0.10"),
        (611.5, "rows", "± 612"),
        (math.inf, "m", "± ∞"),
        (None, None, ""),
    ],
)
def test_widths_are_rounded_up(width, unit, told):
    assert half_width(width, unit) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.0, "0"),
        (52.0, "52"),
        (-1.25, "−1.25"),
        (1234567.0, "1,234,567"),
        (1e-5, "1e-05"),
        (-2.5e-7, "−2.5e-07"),
        (1e20, "1e+20"),
        (math.inf, "∞"),
    ],
)
def test_significant_digits(value, told):
    assert significant(value) == told
