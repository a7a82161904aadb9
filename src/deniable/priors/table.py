"""Explicit table: a few subsets and their probabilities."""

import math
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays
from deniable.priors.protocol import Prior
from deniable.priors.universe import Universe, subsets


@attrs.frozen(init=False)
class TablePrior:
    """Any distribution, listed; subsets that are not listed have probability 0.

    Parameters
    ----------
    members : array_like of bool, shape (n_rows, n_entities)
        Distinct subsets.
    probabilities : array_like of float, shape (n_rows,)
        Theirs, summing to 1 but for rounding.

    Raises
    ------
    InvalidArgument
        If a subset stands twice, the shapes differ or the sum is not 1.

    Examples
    --------
    >>> prior = TablePrior([[True, True], [False, False]], [0.25, 0.75])
    >>> prior.marginals.tolist(), prior.given(0, member=True).marginals.tolist()
    ([0.25, 0.25], [1.0, 1.0])
    """

    members: NDArray[np.bool_] = attrs.field(eq=_arrays.ALIKE)
    probabilities: NDArray[np.float64] = attrs.field(eq=_arrays.ALIKE)

    def __init__(self, members: ArrayLike, probabilities: ArrayLike) -> None:
        rows = _arrays.flags(members, "members", ndim=2)
        law = _arrays.law(probabilities, "probabilities")
        if len(rows) != len(law):
            raise InvalidArgument(
                f"Expected one probability a subset, got {len(law)} for {len(rows)}."
            )
        if len(np.unique(rows, axis=0)) < len(rows):
            raise InvalidArgument("Expected distinct subsets, got one twice. Add their chances.")
        self.__attrs_init__(rows, law)

    @classmethod
    def from_spec(cls, universe: Universe, spec: Mapping[str, Any]) -> "TablePrior":
        """Read ``{"": 0.5, "a,b": 0.5}``: names with commas between them, in any order.

        Raises
        ------
        InvalidArgument
            If a name is unknown or repeated, or the probabilities do not sum to 1.
        """
        if not spec:
            raise InvalidArgument("Expected the probability of one subset or more, got none.")
        rows = np.zeros((len(spec), universe.size), dtype=np.bool_)
        for row, key in zip(rows, spec, strict=True):
            names = key.split(",") if key else []
            row[[universe.position(name) for name in names]] = True
            if row.sum() < len(names):
                raise InvalidArgument(f'Expected each entity once, got "{key}".')
        chances = [validate.probability(p, f'the chance of "{k}"') for k, p in spec.items()]
        return cls(rows, chances)

    @classmethod
    def of(cls, prior: Prior) -> "TablePrior":
        """Write out a prior over at most 24 entities, without its impossible subsets."""
        rows = subsets(prior.n_entities)
        chances = np.exp(prior.log_prob(rows))
        return cls(rows[chances > 0], chances[chances > 0])

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return int(self.members.shape[1])

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""
        inside = np.where(self.members, self.probabilities[:, None], 0.0).sum(axis=0)
        outside = np.where(self.members, 0.0, self.probabilities[:, None]).sum(axis=0)
        return np.asarray(inside / (inside + outside))

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        rows = inside.reshape(-1, self.n_entities)
        _, group = np.unique(np.concatenate([self.members, rows]), axis=0, return_inverse=True)
        chance = np.zeros(int(group.max(initial=0)) + 1)
        chance[group[: len(self.members)]] = self.probabilities
        return _arrays.log(chance[group[len(self.members) :]]).reshape(inside.shape[:-1])

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        steps = np.cumsum(self.probabilities)
        rows = np.searchsorted(steps, rng.random(n) * steps[-1], side="right")
        return np.asarray(self.members[rows])

    def given(self, entity: int, *, member: bool) -> "TablePrior":
        """Condition on one membership: the rows that agree, with their chances raised."""
        at = _arrays.position(entity, self.n_entities)
        return self._reweight(at, float(member), float(not member))

    def scaled(self, entity: int, probability: float) -> "TablePrior":
        """Raise the rows with the entity and lower the others, or the other way round."""
        at = _arrays.position(entity, self.n_entities)
        now = float(self.marginals[at])
        wanted = _arrays.target(at, now, probability)
        return self if wanted == now else self._reweight(at, wanted, 1 - wanted)

    def _reweight(self, at: int, inside: float, outside: float) -> "TablePrior":
        """The two halves brought to these probabilities; what has 0 is left out."""
        has = self.members[:, at]
        chances = np.empty(len(has))
        for half, wanted in ((has, inside), (~has, outside)):
            total = math.fsum(self.probabilities[half])
            if wanted > 0 and total == 0:
                raise _arrays.impossible(at, member=half is has)
            chances[half] = self.probabilities[half] / total * wanted if wanted > 0 else 0.0
        return TablePrior(self.members[chances > 0], chances[chances > 0])
