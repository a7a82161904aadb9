"""The public line between significant and not: a fixed χ² with 1 degree of freedom.

It may not depend on the data; a line drawn between the scores themselves leaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late

if TYPE_CHECKING:
    from scipy import special
else:
    special = late("scipy.special")  # slow to import; a check of a table does not need it

FAMILY_LEVEL = 0.05
"""The level that Bonferroni's rule shares among the variants."""


def chi_squared_threshold(threshold: str | float, variants: int) -> float:
    """The χ² with 1 degree of freedom that a significant variant reaches.

    Parameters
    ----------
    threshold : "bonferroni" or float
        A p-value in (0, 1), or .05 shared among the variants in the file.
    variants : int
        Their public number, >= 1.

    Returns
    -------
    float
        The upper quantile c; a variant is significant if its allelic χ² >= c.

    Examples
    --------
    >>> round(chi_squared_threshold("bonferroni", 1_000_000), 2)
    29.72
    >>> round(chi_squared_threshold(5e-8, 10), 2)
    29.72
    """
    number = validate.integer(variants, "variants", least=1)
    if isinstance(threshold, str):
        if threshold != "bonferroni":
            raise InvalidArgument(
                "Expected threshold to be one of bonferroni or a p-value in (0, 1), got "
                f"{threshold!r}."
            )
        level = FAMILY_LEVEL / number
    else:
        level = validate.open_probability(threshold, "threshold")
    return float(special.chdtri(1.0, level))
