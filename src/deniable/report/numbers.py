"""Published numbers as a reader sees them; results.csv has every digit."""

import math

_WHOLE_UNITS = frozenset({"rows", "entities"})
_SIGNIFICANT = 6
"""Significant digits of a figure in a report."""


def format_value(value: float | None, width: float | None, unit: str | None) -> str:
    """A value with as many decimals as its half-width has; whole where rows are counted.

    Examples
    --------
    >>> format_value(1234.5678, 3.21, "euros"), format_value(-7.0, 4.0, "rows")
    ('1,234.6', '−7')
    """
    if value is None or not math.isfinite(value):
        return "" if value is None else "∞"
    if width is None or not math.isfinite(width) or width == 0:
        return significant(value)
    return _format_signed(value, _decimals(width, unit))


def half_width(width: float | None, unit: str | None) -> str:
    """Two digits, rounded up.

    Examples
    --------
    >>> half_width(3.21, "euros"), half_width(4.0, "rows"), half_width(None, None)
    ('± 3.3', '± 4', '')
    """
    if width is None:
        return ""
    if not math.isfinite(width):
        return "± ∞"
    decimals = _decimals(width, unit)
    up = math.ceil(round(width * 10**decimals, 9)) / 10**decimals
    return f"± {up:,.{decimals}f}"


def significant(value: float, digits: int = _SIGNIFICANT) -> str:
    """At most so many significant digits, without trailing zeros or an exponent where readable.

    Examples
    --------
    >>> significant(1234567.0), significant(0.25), significant(2**-18)
    ('1,234,567', '0.25', '3.8147e-06')
    """
    if math.isinf(value):
        return "∞"
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{digits - 1}g}".replace("-", "−", value < 0)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = _format_signed(value, decimals)
    return text.rstrip("0").rstrip(".") if decimals else text


def _decimals(width: float, unit: str | None) -> int:
    if unit in _WHOLE_UNITS or width == 0:
        return 0
    return min(max(1 - math.floor(math.log10(width)), 0), 12)


def _format_signed(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")
