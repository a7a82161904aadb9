"""Groups that are all in or all out: families, households, correlated entities at their worst."""

from collections.abc import Iterable

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays


def _groups(value: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    try:
        groups = [[validate.integer(i, "a position", least=0) for i in part] for part in value]
    except TypeError:
        raise InvalidArgument(f"Expected groups to be lists of positions, got {value!r}.") from None
    everyone = sorted(i for part in groups for i in part)
    if not groups or not all(groups) or everyone != list(range(len(everyone))):
        raise InvalidArgument(
            f"Expected groups that hold each position from 0 on exactly once, got {groups}."
        )
    return tuple(tuple(sorted(part)) for part in groups)


def _chances(value: ArrayLike) -> NDArray[np.float64]:
    return _arrays.probabilities(value, "probabilities")


@attrs.frozen
class GroupedPrior:
    """Each group is in the data as a whole or not at all, independently of the other groups.

    Parameters
    ----------
    groups : iterable of iterables of int
        Positions; every entity from 0 on is in exactly one group.
    probabilities : array_like of float, shape (n_groups,)
        The probability of each group's being in, in [0, 1].

    Raises
    ------
    InvalidArgument
        If the groups are empty, overlap or leave a gap, or are not as many as probabilities.

    Notes
    -----
    Against k entities that come together an ε-differentially private count keeps γ = e^(kε) only.

    Examples
    --------
    >>> prior = GroupedPrior([[0, 2], [1]], [0.5, 0.25])
    >>> prior.marginals.tolist(), prior.given(0, member=True).marginals.tolist()
    ([0.5, 0.25, 0.5], [1.0, 0.25, 1.0])
    """

    groups: tuple[tuple[int, ...], ...] = attrs.field(converter=_groups)
    probabilities: NDArray[np.float64] = attrs.field(
        converter=_chances, eq=attrs.cmp_using(eq=np.array_equal)
    )

    def __attrs_post_init__(self) -> None:
        groups, chances = len(self.groups), len(self.probabilities)
        if groups != chances:
            raise InvalidArgument(f"Expected one probability a group, got {chances} for {groups}.")

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return sum(map(len, self.groups))

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""
        return self.probabilities[self._group_of()]

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        first = inside[..., [group[0] for group in self.groups]]
        together = (inside == first[..., self._group_of()]).all(axis=-1)
        with np.errstate(divide="ignore"):
            log_in, log_out = np.log(self.probabilities), np.log1p(-self.probabilities)
        return np.where(together, np.where(first, log_in, log_out).sum(axis=-1), -np.inf)

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        return (rng.random((n, len(self.groups))) < self.probabilities)[:, self._group_of()]

    def given(self, entity: int, *, member: bool) -> "GroupedPrior":
        """Condition on one membership: its whole group is in, or out."""
        at = _arrays.position(entity, self.n_entities)
        if self.marginals[at] == (0.0 if member else 1.0):
            raise _arrays.impossible(at, member=member)
        return self.scaled(at, float(member))

    def scaled(self, entity: int, probability: float) -> "GroupedPrior":
        """Change the probability of the entity's group; any of both may be 0 or 1."""
        group = self._group_of()[_arrays.position(entity, self.n_entities)]
        wanted = validate.probability(probability, "probability")
        return GroupedPrior(self.groups, _arrays.replace_entry(self.probabilities, group, wanted))

    def _group_of(self) -> NDArray[np.int64]:
        result = np.empty(self.n_entities, dtype=np.int64)
        for number, group in enumerate(self.groups):
            result[list(group)] = number
        return result
