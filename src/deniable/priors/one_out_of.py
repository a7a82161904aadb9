"""One out of m: all members are known but one, who is one of m candidates."""

import math
from collections.abc import Iterable

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays
from deniable.priors.size_conditioned import SizeConditionedPrior


@attrs.frozen(init=False)
class OneOutOfPrior:
    """The adversary of differential identifiability: T is `certain` and one candidate.

    Each candidate is in with probability 1/m, every other entity with probability 0.

    Parameters
    ----------
    n_entities : int
        How many entities there are.
    certain : iterable of int
        Positions of the entities known to be in; may be empty.
    candidates : iterable of int
        Positions of the m >= 1 candidates, none of them certain.

    Raises
    ------
    InvalidArgument
        If a position is out of range or stands twice, or there is no candidate.

    References
    ----------
    lee-clifton-2012 (differential identifiability).

    Examples
    --------
    >>> OneOutOfPrior(4, certain=(0,), candidates=(1, 2)).marginals.tolist()
    [1.0, 0.5, 0.5, 0.0]
    """

    n_entities: int
    certain: tuple[int, ...]
    candidates: tuple[int, ...]

    def __init__(self, n_entities: int, certain: Iterable[int], candidates: Iterable[int]) -> None:
        n = _arrays.n_entities(n_entities)
        known = _arrays.positions(certain, "certain")
        rivals = _arrays.positions(candidates, "candidates")
        for at in (*known, *rivals):
            _arrays.position(at, n)
        if not rivals:
            raise InvalidArgument("Expected one candidate or more, got none.")
        if both := set(known) & set(rivals):
            raise InvalidArgument(
                f"Expected candidates that are not certain, got {min(both)} among both."
            )
        self.__attrs_init__(n, known, rivals)

    @property
    def n_worlds(self) -> int:
        """The number m of candidates."""
        return len(self.candidates)

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""
        result = self._known().astype(np.float64)
        result[list(self.candidates)] = 1 / self.n_worlds
        return result

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        fixed = np.ones(self.n_entities, dtype=np.bool_)
        fixed[list(self.candidates)] = False
        possible = (inside[..., fixed] == self._known()[fixed]).all(axis=-1)
        possible &= inside[..., ~fixed].sum(axis=-1) == 1
        return np.where(possible, -math.log(self.n_worlds), -np.inf)

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        result = np.tile(self._known(), (n, 1))
        entities = np.array(self.candidates)[rng.integers(self.n_worlds, size=n)]
        result[np.arange(n), entities] = True
        return result

    def given(self, entity: int, *, member: bool) -> "OneOutOfPrior":
        """Condition on one membership: fewer candidates remain."""
        at = _arrays.position(entity, self.n_entities)
        if at not in self.candidates:
            if (at in self.certain) != member:
                raise _arrays.impossible(at, member=member)
            return self
        others = tuple(i for i in self.candidates if i != at)
        if not member and not others:
            raise _arrays.impossible(at, member=member)
        return OneOutOfPrior(self.n_entities, self.certain, (at,) if member else others)

    def scaled(self, entity: int, probability: float) -> SizeConditionedPrior:
        """Make one candidate more or less likely than the others, who stay alike."""
        weights = self._known().astype(np.float64)
        weights[weights > 0] = math.inf
        weights[list(self.candidates)] = 1.0
        prior = SizeConditionedPrior(weights, len(self.certain) + 1)
        return prior.scaled(entity, probability)

    def _known(self) -> NDArray[np.bool_]:
        """The certain entities, all others out."""
        result = np.zeros(self.n_entities, dtype=np.bool_)
        result[list(self.certain)] = True
        return result
