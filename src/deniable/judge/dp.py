"""Differential privacy of an explicit mechanism: ε under both adjacencies, and its halves."""

import attrs

from deniable.judge.neighbours import Extremes, Likelihoods
from deniable.judge.ratios import Ratios
from deniable.mechanisms.stochastic_matrix import StochasticMatrix


@attrs.frozen
class AddRemove:
    """ε of add-remove differential privacy and of its halves, rounded up.

    Parameters
    ----------
    positive : float
        Of Pr[S|T∪t] <= e^ε Pr[S|T], which bounds what positive membership allows.
    negative : float
        Of Pr[S|T] <= e^ε Pr[S|T∪t].
    """

    positive: float
    negative: float

    @property
    def epsilon(self) -> float:
        """The larger half."""
        return max(self.positive, self.negative)

    @classmethod
    def of(cls, extremes: Extremes) -> "AddRemove":
        """The ε that the largest ratios ask for."""
        return cls(_epsilon(extremes.rise), _epsilon(extremes.fall))


def add_remove(matrix: StochasticMatrix) -> AddRemove | None:
    """Add-remove differential privacy; None unless every subset's law is known.

    References
    ----------
    li-2013, Theorem 4.5 and Section 4.1 (its two halves).

    Examples
    --------
    >>> from deniable.priors.universe import Universe
    >>> flip = StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.5, 0.5]])
    >>> found = add_remove(flip)
    >>> round(found.positive, 4), round(found.negative, 4)  # ln 2 and ln 3/2
    (0.6931, 0.4055)
    """
    return add_remove_of(Ratios(matrix))


def replace_one_epsilon(matrix: StochasticMatrix) -> float | None:
    """ε of replace-one differential privacy, rounded up.

    None unless all subsets of each size that is known at all are known, and one size has
    neighbours. A universe of one entity has none, and ε is 0.
    """
    return replace_one_of(Ratios(matrix))


def add_remove_of(ratios: Ratios) -> AddRemove | None:
    """The same from ratios that were found before."""
    return None if ratios.add_remove is None else AddRemove.of(ratios.add_remove)


def replace_one_of(ratios: Ratios) -> float | None:
    """The same from ratios that were found before."""
    return None if ratios.replace_one is None else _epsilon(ratios.replace_one.rise)


def _epsilon(likelihoods: Likelihoods | None) -> float:
    return 0.0 if likelihoods is None else likelihoods.epsilon
