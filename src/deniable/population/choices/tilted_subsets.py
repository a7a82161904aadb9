r"""Subsets of one size drawn with probability proportional to a product over their members."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.work.array_api import Floats
from deniable.priors.protocol import Generator


@attrs.frozen(eq=False)
class TiltedSubsets:
    """The law P(E) ∝ Π_{i∈E} t_i on subsets with `size` members (conditional Bernoulli).

    Records are decided from the last to the first: with k places left among records 0 … i,
    record i is taken with probability t_i e_{k−1}(t_0 … t_{i−1}) / e_k(t_0 … t_i), where e_k is
    the elementary symmetric polynomial.

    Parameters
    ----------
    log_weights : ndarray of float, shape (n_records,)
        ln t_i.
    size : int
        Members, 0 <= size <= n_records.
    """

    log_weights: Floats
    size: int
    _take: Floats = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        records, size = len(self.log_weights), self.size
        take = np.zeros((records, size + 1))
        now = np.full(size + 1, -np.inf)
        now[0] = 0.0
        # e_k(t_0 … t_i) = e_k(t_0 … t_{i−1}) + t_i e_{k−1}(t_0 … t_{i−1}), in logarithms.
        for record, weight in enumerate(self.log_weights):
            most = min(record + 1, size)
            taken = now[:most] + weight
            now[1 : most + 1] = np.logaddexp(now[1 : most + 1], taken)
            take[record, 1 : most + 1] = np.exp(taken - now[1 : most + 1])
        object.__setattr__(self, "_take", take)

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent subsets; (n_draws, n_records)."""
        left = np.full(n_draws, self.size)
        result = np.empty((len(self.log_weights), n_draws), np.bool_)
        # From the last record to the first: in with t_i e_{k−1}/e_k, k places left.
        for record in range(len(result) - 1, -1, -1):
            taken = rng.random(n_draws) < self._take[record, left]
            result[record] = taken
            left -= taken
        return result.T
