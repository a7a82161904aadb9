"""Priors under which entities depend on each other: the laws that Bayesian guarantees name."""

import attrs


@attrs.frozen
class CorrelatedPrior:
    r"""The family D* of joint laws that a Bayesian guarantee speaks of.

    Membership is a record's value, in or out: of the two-point beliefs of zhao-2019, which put p on
    one value of a record and 1 − p on another, some others being known, it has those whose values
    are presence and absence. A membership guarantee over it covers both values alike.

    Parameters
    ----------
    downward_scalable : bool
        Whether each value of each record can be made arbitrarily improbable without leaving the
        family (li-2013, Section 3.3).

    References
    ----------
    zhao-2019, the family D* before Theorem 3, and Theorem 4.

    Examples
    --------
    >>> CorrelatedPrior(downward_scalable=True).suffix
    '@correlated-scalable'
    """

    downward_scalable: bool = attrs.field(
        default=False, validator=attrs.validators.instance_of(bool)
    )

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return "@correlated-scalable" if self.downward_scalable else "@correlated"
