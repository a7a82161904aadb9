"""What every distribution over subsets offers."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.effort import Generator


class Prior(Protocol):
    """A distribution over the subsets of `n_entities` entities.

    Sampling takes the caller's generator and is for simulation only. Conditioning and scaling
    give new priors.
    """

    @property
    def n_entities(self) -> int:
        """How many entities there are."""

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""

    def given(self, entity: int, *, member: bool) -> "Prior":
        """Condition on one entity's being in or out.

        Raises
        ------
        InvalidArgument
            If that has probability 0.
        """

    def scaled(self, entity: int, probability: float) -> "Prior":
        """The law with Pr[entity in T] changed and both its conditional laws kept.

        Raises
        ------
        InvalidArgument
            If a conditional law that is needed does not exist.

        References
        ----------
        li-2013, Definition 3.3.
        """
