"""No restriction on the adversary's belief but mutual independence."""

import attrs


@attrs.frozen
class UnrestrictedPrior:
    """The families D_B and D_I of [li-2013]_: any independent memberships.

    Examples
    --------
    >>> UnrestrictedPrior().low, UnrestrictedPrior().high
    (0.0, 1.0)
    """

    @property
    def low(self) -> float:
        """Least belief that is considered."""
        return 0.0

    @property
    def high(self) -> float:
        """Greatest belief that is considered."""
        return 1.0
