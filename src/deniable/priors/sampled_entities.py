"""Entities that are certainly absent, or in the data with one fixed probability."""

from fractions import Fraction

import attrs

from deniable import _validate


def _rate(value: object) -> float:
    return _validate.open_probability(value, "rate")


@attrs.frozen
class SampledEntities:
    r"""The family D_β of [li-2013]_: independent memberships with probabilities in {0, β}.

    What remains of a data set whose entities are kept independently with probability β.
    Contained in D_I^[β,β].

    Parameters
    ----------
    rate : float
        The sampling probability β, in (0, 1).

    Raises
    ------
    InvalidArgument
        If `rate` is not strictly between 0 and 1.

    References
    ----------
    li-2012 (sampling); li-2013, Theorem 5.10.

    Examples
    --------
    >>> SampledEntities(0.25).belief
    Fraction(1, 4)
    """

    rate: float = attrs.field(converter=_rate)

    @property
    def belief(self) -> Fraction:
        """The only uncertain belief, β."""
        return Fraction(self.rate)

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return f"@sampled-{self.rate!r}"
