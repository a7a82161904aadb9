"""Mixtures of priors, and groups that are all in or all out."""

from collections.abc import Iterable

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays
from deniable.priors.protocol import Prior


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


@attrs.frozen(init=False)
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
    Against k entities that belong together an ε-differentially private count keeps γ = e^(kε) only.

    Examples
    --------
    >>> prior = GroupedPrior([[0, 2], [1]], [0.5, 0.25])
    >>> prior.marginals.tolist(), prior.given(0, member=True).marginals.tolist()
    ([0.5, 0.25, 0.5], [1.0, 0.25, 1.0])
    """

    groups: tuple[tuple[int, ...], ...]
    probabilities: NDArray[np.float64] = attrs.field(eq=_arrays.ALIKE)

    def __init__(self, groups: Iterable[Iterable[int]], probabilities: ArrayLike) -> None:
        parts, chances = _groups(groups), _arrays.probabilities(probabilities, "probabilities")
        if len(parts) != len(chances):
            raise InvalidArgument(
                f"Expected one probability a group, got {len(chances)} for {len(parts)}."
            )
        self.__attrs_init__(parts, chances)

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


@attrs.frozen(init=False)
class MixturePrior:
    r"""One of several priors at random, :math:`\Pr[T = t] = \sum_c v_c \Pr_c[T = t]`.

    Parameters
    ----------
    weights : array_like of float, shape (n_components,)
        Probabilities v_c of the components, summing to 1 but for rounding.
    components : iterable of Prior
        Over the same entities.

    Raises
    ------
    InvalidArgument
        If there are not as many weights as components, or those differ in their entities.

    Notes
    -----
    Memberships are correlated through the component, even if each component is a product:
    learning that one entity is in makes the components that expect it more likely.

    Examples
    --------
    >>> from deniable.priors import ProductPrior
    >>> prior = MixturePrior([0.5, 0.5], [ProductPrior([0.9, 0.9]), ProductPrior([0.1, 0.1])])
    >>> prior.given(0, member=True).marginals.round(2).tolist()
    [1.0, 0.82]
    """

    weights: NDArray[np.float64] = attrs.field(eq=_arrays.ALIKE)
    components: tuple[Prior, ...]

    def __init__(self, weights: ArrayLike, components: Iterable[Prior]) -> None:
        law, parts = _arrays.law(weights, "weights"), validate.several(components, "components")
        if len(law) != len(parts):
            raise InvalidArgument(
                f"Expected one weight a component, got {len(law)} for {len(parts)}."
            )
        sizes = sorted({part.n_entities for part in parts})
        if len(sizes) != 1:
            raise InvalidArgument(f"Expected components over the same entities, got {sizes}.")
        self.__attrs_init__(law, parts)

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return self.components[0].n_entities

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""
        p = np.array([part.marginals for part in self.components])
        inside, outside = self.weights @ p, self.weights @ (1 - p)
        return np.asarray(inside / (inside + outside))  # exactly 1 where nothing is outside

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        parts = np.array([part.log_prob(inside) for part in self.components])
        weights = _arrays.log(self.weights).reshape(-1, *(1,) * (inside.ndim - 1))
        return np.asarray(np.logaddexp.reduce(weights + parts, axis=0))

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        counts = rng.multinomial(n, self.weights / self.weights.sum())
        parts = [
            part.draws(rng, int(count)) for part, count in zip(self.components, counts, strict=True)
        ]
        return rng.permutation(np.concatenate(parts))

    def given(self, entity: int, *, member: bool) -> "MixturePrior":
        """Condition on one membership: components that expected it gain weight."""
        at = _arrays.position(entity, self.n_entities)
        p = self._at(at)
        chances = self.weights * (p if member else 1 - p)
        if not chances.any():
            raise _arrays.impossible(at, member=member)
        kept = np.flatnonzero(chances)
        parts = [self.components[c].given(at, member=member) for c in kept]
        return MixturePrior(chances[kept] / chances.sum(), parts)

    def scaled(self, entity: int, probability: float) -> "MixturePrior":
        """Scale every component by the same odds ratio and reweight them."""
        at = _arrays.position(entity, self.n_entities)
        p = self._at(at)
        now = float(self.marginals[at])
        wanted = _arrays.target(at, now, probability)
        if wanted == now:
            return self
        inside, outside = p * (wanted / now), (1 - p) * ((1 - wanted) / (1 - now))
        chances = self.weights * (inside + outside)
        kept = np.flatnonzero(chances)
        parts = [
            self.components[c].scaled(at, float(inside[c] / (inside[c] + outside[c]))) for c in kept
        ]
        return MixturePrior(chances[kept] / chances.sum(), parts)

    def _at(self, at: int) -> NDArray[np.float64]:
        """One entity's probability in each component."""
        return np.array([part.marginals[at] for part in self.components])
