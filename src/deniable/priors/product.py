"""Independent memberships: each with its own probability, or all with one sampling rate."""

import abc

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays


class Independent:
    """Independent memberships with these `marginals`."""

    __slots__ = ()

    @property
    @abc.abstractmethod
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return len(self.marginals)

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        with np.errstate(divide="ignore"):
            log_in, log_out = np.log(self.marginals), np.log1p(-self.marginals)
        return np.asarray(np.where(inside, log_in, log_out).sum(axis=-1))

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        return rng.random((n, self.n_entities)) < self.marginals

    def given(self, entity: int, *, member: bool) -> "ProductPrior":
        """Condition on one membership; independence leaves the rest alone."""
        at = _arrays.position(entity, self.n_entities)
        if self.marginals[at] == (0.0 if member else 1.0):
            raise _arrays.impossible(at, member=member)
        return ProductPrior(_arrays.replace_entry(self.marginals, at, float(member)))

    def scaled(self, entity: int, probability: float) -> "ProductPrior":
        """Put one membership probability in place of another; any of both may be 0 or 1."""
        at = _arrays.position(entity, self.n_entities)
        wanted = validate.probability(probability, "probability")
        return ProductPrior(_arrays.replace_entry(self.marginals, at, wanted))


@attrs.frozen(init=False)
class ProductPrior(Independent):
    r"""Mutually independent membership, a member of the family D_I of [li-2013]_.

    .. math:: \Pr[T = t] = \prod_{i \in t} p_i \prod_{i \notin t} (1 - p_i)

    Parameters
    ----------
    marginals : array_like of float, shape (n_entities,)
        Membership probabilities p_i, dimensionless, in [0, 1].

    References
    ----------
    li-2013, Theorem 4.5.

    Examples
    --------
    >>> prior = ProductPrior([0.5, 0.25])
    >>> np.exp(prior.log_prob(np.array([[True, False]]))).round(3).tolist()
    [0.375]
    """

    marginals: NDArray[np.float64] = attrs.field(eq=_arrays.ALIKE)

    def __init__(self, marginals: ArrayLike) -> None:
        self.__attrs_init__(_arrays.probabilities(marginals, "marginals"))


@attrs.frozen(init=False)
class SampledPrior(Independent):
    r"""A member of the family D_β of [li-2012]_: independent, each probability 0 or β.

    The adversary knows the data before the sampling, and that a sample was taken.

    Parameters
    ----------
    candidates : array_like of bool, shape (n_entities,)
        Who was in before the sampling.
    rate : float
        The probability β of being kept, in [0, 1].

    References
    ----------
    li-2012 (differential privacy under sampling).

    Examples
    --------
    >>> SampledPrior([True, False, True], 0.1).marginals.tolist()
    [0.1, 0.0, 0.1]
    """

    candidates: NDArray[np.bool_] = attrs.field(eq=_arrays.ALIKE)
    rate: float

    def __init__(self, candidates: ArrayLike, rate: float) -> None:
        flags = _arrays.flags(candidates, "candidates")
        self.__attrs_init__(flags, validate.probability(rate, "rate"))

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""
        return np.where(self.candidates, self.rate, 0.0)
