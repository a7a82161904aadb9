"""Uniform priors: over all subsets, or over those of one size."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays
from deniable.priors.product import Independent
from deniable.priors.size_conditioned import SizeConditionedPrior


@attrs.frozen
class UniformSizedPrior:
    r"""All k-subsets alike, :math:`\Pr[T = t] = 1/\binom{n}{k}` for :math:`|t| = k`.

    With n = 2k this is the adversary of [lowy-2024]_ against a known parent set.

    Parameters
    ----------
    n_entities : int
        The number n of entities, at least 1.
    n_members : int
        The size k, 0 <= k <= n.

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> UniformSizedPrior(4, 1).marginals.tolist()
    [0.25, 0.25, 0.25, 0.25]
    """

    n_entities: int = attrs.field(converter=_arrays.n_entities)
    n_members: int = attrs.field(converter=_arrays.n_members)

    def __attrs_post_init__(self) -> None:
        n, k = self.n_entities, self.n_members
        if k > n:
            raise InvalidArgument(f"Expected n_members <= n_entities={n}, got n_members={k}.")

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity, k/n; shape (n_entities,)."""
        return np.full(self.n_entities, self.n_members / self.n_entities)

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        log_count = math.log(math.comb(self.n_entities, self.n_members))
        return np.where(inside.sum(axis=-1) == self.n_members, -log_count, -np.inf)

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        result = np.zeros((n, self.n_entities), dtype=np.bool_)
        result[:, : self.n_members] = True
        return rng.permuted(result, axis=1, out=result)

    def given(self, entity: int, *, member: bool) -> SizeConditionedPrior:
        """Condition on one membership; the others stay alike."""
        return self._as_size_conditioned().given(entity, member=member)

    def scaled(self, entity: int, probability: float) -> SizeConditionedPrior:
        """Give one entity another weight than the others."""
        return self._as_size_conditioned().scaled(entity, probability)

    def _as_size_conditioned(self) -> SizeConditionedPrior:
        return SizeConditionedPrior(np.ones(self.n_entities), self.n_members)


@attrs.frozen
class UniformPrior(Independent):
    r"""The one member of the family D_N of [li-2013]_: :math:`\Pr[T = t] = 2^{-n}`.

    Parameters
    ----------
    n_entities : int
        The number n of entities, at least 1.

    References
    ----------
    li-2013, Proposition 5.3.

    Examples
    --------
    >>> UniformPrior(3).marginals.tolist()
    [0.5, 0.5, 0.5]
    """

    n_entities: int = attrs.field(converter=_arrays.n_entities)

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity, ½; shape (n_entities,)."""
        return np.full(self.n_entities, 0.5)

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        return np.full(inside.shape[:-1], -self.n_entities * math.log(2))

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        return rng.integers(2, size=(n, self.n_entities), dtype=np.uint8).astype(np.bool_)
