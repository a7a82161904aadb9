"""One of m entities is in the data, each as likely as the others."""

from fractions import Fraction

import attrs

from deniable import _validate


def _worlds(value: object) -> int:
    return _validate.integer(value, "worlds", least=2)


@attrs.frozen
class OneOfWorlds:
    r"""The family 1-out-of-m, the adversary of differential identifiability.

    All memberships are certain but those of m candidates, exactly one of which is in the data,
    with probability 1/m each; the others may be known to be in or out. Contained in
    D_B^[1/m,1/m].

    Parameters
    ----------
    worlds : int
        The number m >= 2 of candidates, and so of possible worlds.

    Raises
    ------
    InvalidArgument
        If `worlds` is not a whole number of at least 2.

    References
    ----------
    lee-clifton-2012; li-2013, Section 5.2.

    Examples
    --------
    >>> OneOfWorlds(4).belief
    Fraction(1, 4)
    """

    worlds: int = attrs.field(converter=_worlds)

    @property
    def belief(self) -> Fraction:
        """The only uncertain belief, 1/m."""
        return Fraction(1, self.worlds)

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return f"@one-of-{self.worlds}"
