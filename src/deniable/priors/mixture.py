"""Mixtures: the adversary is unsure which of several priors is right."""

from collections.abc import Iterable

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays
from deniable.priors.protocol import Prior


def _weights(value: ArrayLike) -> NDArray[np.float64]:
    return _arrays.law(value, "weights")


def _components(value: Iterable[Prior]) -> tuple[Prior, ...]:
    return tuple(value)


@attrs.frozen
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

    weights: NDArray[np.float64] = attrs.field(
        converter=_weights, eq=attrs.cmp_using(eq=np.array_equal)
    )
    components: tuple[Prior, ...] = attrs.field(converter=_components)

    def __attrs_post_init__(self) -> None:
        weights, parts = len(self.weights), len(self.components)
        if weights != parts:
            raise InvalidArgument(f"Expected one weight a component, got {weights} for {parts}.")
        sizes = sorted({part.n_entities for part in self.components})
        if len(sizes) != 1:
            raise InvalidArgument(f"Expected components over the same entities, got {sizes}.")

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
