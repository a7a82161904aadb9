"""What is wrong with a release, from public numbers only: it protects nobody, or says nothing."""

import math
from collections.abc import Mapping

from deniable.certificate.model import Certificate
from deniable.certificate.tables import TableCertificate
from deniable.theorems.analysis import belief_cautions

_MANY = 1e6
"""Rows; noise as large as what so many rows can add is larger than in most tables there are."""

_DIGITS = 2
"""Significant digits of a number of rows in a caution, which is advice and no statistic."""
_LARGE = 1e15
"""Numbers of rows are told with so few digits, rounded down; from here on as a power of ten."""


_CROWD = 100_000
"""People each of whom may have a key of their own, such as a rare product or an address."""

_IN_ROWS = ("quantile", "variance", "regression")
"""Statistics with bounds whose noise is known in rows."""


def cautions(certificate: Certificate) -> tuple[str, ...]:
    """Warnings for the first lines of a report, none where all is well."""
    guarantee = certificate.guarantee
    messages = list(belief_cautions(guarantee.loss, guarantee.attack_success, guarantee.exceedance))
    messages += key_cautions(guarantee.exposure)
    if isinstance(certificate, TableCertificate):
        for query in certificate.queries:
            bounds = query.parameters.get("bounds")
            messages += query_cautions(query.name, query.statistic, bounds, query.widths)
    return (*messages, *certificate.further_cautions())


def key_cautions(exposure: float) -> list[str]:
    """Whether keys of one entity appear too often, where nobody knew the keys beforehand.

    Examples
    --------
    >>> key_cautions(1e-7), len(key_cautions(1e-4))
    ([], 1)
    """
    if exposure * _CROWD < 1:
        return []
    return [
        f"Of {_CROWD:,} people who each have a key of their own, {exposure * _CROWD:.2g} may be "
        "named by it, for certain. Choose delta far below 1 over the number of people."
    ]


def query_cautions(
    name: str,
    statistic: str,
    bounds: tuple[float, float] | None,
    widths: Mapping[str, float | None],
) -> list[str]:
    """Of how few rows a query says nothing, where these are many.

    Parameters
    ----------
    widths : mapping of str to float or None
        95 % half-widths by part, in rows or in the column's unit, where they are known before.

    Examples
    --------
    >>> query_cautions("visits", "count", None, {"count": 40.0})
    []
    """
    rows = _rows_of_noise(statistic, bounds, widths)
    if rows < _MANY:
        return []
    if math.isinf(rows):
        return [f"“{name}” has an error beyond all numbers. Take smaller bounds."]
    step = 10.0 ** (math.floor(math.log10(rows)) - _DIGITS + 1)
    down = math.floor(rows / step) * step
    least = f"{down:,.0f}" if rows < _LARGE else f"{down:.0e}".replace("e+", " · 10^")
    return [
        f"“{name}” says nothing of fewer than {least} rows: its noise is as large as what they "
        "can add."
    ]


def _rows_of_noise(
    statistic: str, bounds: tuple[float, float] | None, widths: Mapping[str, float | None]
) -> float:
    """The number of rows whose contribution is as large as the noise."""
    known = {label: width for label, width in widths.items() if width is not None}
    if bounds is None or statistic in _IN_ROWS:
        return max(known.values(), default=0.0)
    low, high = bounds
    if statistic == "sum":
        return known.get("sum", 0.0) / max(abs(low), abs(high))
    # The error of a mean is (s + c R/2) / (N − c), and at N = s/R + 3c/2 it is the whole range R.
    return known.get("sum", 0.0) / (high - low) + 1.5 * known.get("count", 0.0)
