"""Uniform over all subsets: an adversary who knows nothing but who might be in the data."""

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays
from deniable.priors.product import ProductPrior


def _n_entities(value: Any) -> int:
    return validate.integer(value, "n_entities", least=1)


@attrs.frozen
class UniformPrior:
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

    n_entities: int = attrs.field(converter=_n_entities)

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

    def given(self, entity: int, *, member: bool) -> ProductPrior:
        """Condition on one membership; the others stay at ½."""
        return ProductPrior(self.marginals).given(entity, member=member)

    def scaled(self, entity: int, probability: float) -> ProductPrior:
        """Put one membership probability in place of ½."""
        return ProductPrior(self.marginals).scaled(entity, probability)
