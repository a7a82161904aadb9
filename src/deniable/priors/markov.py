"""Markov chain over the entities' values: neighbours are correlated, membership follows values."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays

Floats = NDArray[np.float64]


@attrs.frozen(init=False)
class MarkovPrior:
    r"""Entity i has a value X_i, the values form a Markov chain, and some values mean "in".

    .. math:: \Pr[X = x] = \pi(x_1) \prod_i K_i(x_i, x_{i+1}), \qquad i \in T \iff x_i \in I

    Parameters
    ----------
    initial : array_like of float, shape (n_states,)
        The law π of the first entity's value.
    transitions : array_like of float, shape (n_entities - 1, n_states, n_states)
        K_i: row, the value of one entity; column, that of the next. Rows sum to 1.
    present : array_like of bool, shape (n_states,)
        The set I of the values of entities that are in the data.

    Raises
    ------
    InvalidArgument
        If a shape is wrong or a row is no law.

    References
    ----------
    song-2017 (Markov chains of records).

    Examples
    --------
    >>> step = [[0.9, 0.1], [0.1, 0.9]]
    >>> prior = MarkovPrior.homogeneous([0.5, 0.5], step, [False, True], n_entities=3)
    >>> prior.given(0, member=True).marginals.round(3).tolist()
    [1.0, 0.9, 0.82]
    """

    initial: Floats = attrs.field(eq=_arrays.ALIKE)
    transitions: Floats = attrs.field(eq=_arrays.ALIKE, repr=False)
    present: NDArray[np.bool_] = attrs.field(eq=_arrays.ALIKE)

    def __init__(self, initial: ArrayLike, transitions: ArrayLike, present: ArrayLike) -> None:
        first, kinds = _arrays.law(initial, "initial"), _arrays.flags(present, "present")
        steps = _arrays.law(transitions, "transitions", ndim=3)
        states, shape = len(first), steps.shape
        if shape[1:] != (states, states):
            raise InvalidArgument(f"Expected transitions between {states} states, got {shape}.")
        if len(kinds) != states:
            raise InvalidArgument(f"Expected present for {states} states, got {len(kinds)}.")
        self.__attrs_init__(first, steps, kinds)

    @classmethod
    def homogeneous(
        cls, initial: ArrayLike, transition: ArrayLike, present: ArrayLike, n_entities: int
    ) -> "MarkovPrior":
        """The same transition, shape (n_states, n_states), between all neighbours."""
        n = validate.integer(n_entities, "n_entities", least=1)
        step = _arrays.law(transition, "transition", ndim=2)
        return cls(initial, np.broadcast_to(step, (n - 1, *step.shape)), present)

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return len(self.transitions) + 1

    @property
    def state_marginals(self) -> Floats:
        """Pr[X_i = x]; shape (n_entities, n_states)."""
        result = np.empty((self.n_entities, len(self.initial)))
        result[0] = self.initial
        for i, step in enumerate(self.transitions):
            result[i + 1] = result[i] @ step
        return np.asarray(result / result.sum(axis=1, keepdims=True))

    @property
    def marginals(self) -> Floats:
        """Pr[i in T] for each entity; shape (n_entities,)."""
        states = self.state_marginals
        inside, outside = (states[:, kind].sum(axis=1) for kind in (self.present, ~self.present))
        return np.asarray(inside / (inside + outside))

    def log_prob(self, members: NDArray[np.bool_]) -> Floats:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        shape, rows = inside.shape[:-1], inside.reshape(-1, self.n_entities)
        ahead = np.broadcast_to(self.initial, (len(rows), len(self.initial)))
        result = np.zeros(len(rows))
        for i in range(self.n_entities):
            agreeing = ahead * (rows[:, i, None] == self.present)
            total = agreeing.sum(axis=1)
            result += _arrays.log(total)
            ahead = agreeing / np.where(total > 0, total, 1.0)[:, None]
            if i < len(self.transitions):
                ahead = ahead @ self.transitions[i]
        return result.reshape(shape)

    def state_draws(self, rng: Generator, n_draws: int) -> NDArray[np.int64]:
        """Independent draws of X as state numbers; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        result = np.empty((n, self.n_entities), dtype=np.int64)
        result[:, 0] = _draw_states(self.initial[None], np.zeros(n, dtype=np.int64), rng)
        for i, step in enumerate(self.transitions):
            result[:, i + 1] = _draw_states(step, result[:, i], rng)
        return result

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        return np.asarray(self.present[self.state_draws(rng, n_draws)])

    def given(self, entity: int, *, member: bool) -> "MarkovPrior":
        """Condition on one membership; what is left is a Markov chain again."""
        at = _arrays.position(entity, self.n_entities)
        kept = self.present == member
        if not self.state_marginals[at][kept].any():
            raise _arrays.impossible(at, member=member)
        return self.tilted(at, kept.astype(np.float64))

    def scaled(self, entity: int, probability: float) -> "MarkovPrior":
        """Make the present values of one entity more or less likely, all by one factor."""
        at = _arrays.position(entity, self.n_entities)
        states = self.state_marginals[at]
        inside, outside = float(states[self.present].sum()), float(states[~self.present].sum())
        now = 1.0 if outside == 0 else 0.0 if inside == 0 else 0.5
        wanted = _arrays.target(at, now, probability)
        if now in (0.0, 1.0):
            return self
        factors = np.where(self.present, wanted / inside, (1 - wanted) / outside)
        return self.tilted(at, factors)

    def tilted(self, entity: int, factors: ArrayLike) -> "MarkovPrior":
        """The law proportional to Pr[X = x] · factors[x_entity], by the backward recursion.

        Factors 0 and 1 condition on a set of values of one entity.

        Parameters
        ----------
        entity : int
            Its position.
        factors : array_like of float, shape (n_states,)
            Non-negative and finite, not 0 on all values that the entity may have.

        Raises
        ------
        InvalidArgument
            If the factors leave nothing.
        """
        at = _arrays.position(entity, self.n_entities)
        n_states = len(self.initial)
        result = _arrays.floats(factors, "factors")
        if len(result) != n_states or (result < 0).any() or np.isinf(result).any():
            raise InvalidArgument(
                f"Expected {n_states} finite factors >= 0, got {result.tolist()}."
            )
        message = result / (result.max() or 1.0)
        steps = self.transitions.copy()
        for i in reversed(range(at)):
            steps[i], message = _reweight(steps[i], message)
        first = self.initial * message
        if not first.any():
            raise InvalidArgument(f"Expected factors that leave entity {at} a value, got none.")
        return MarkovPrior(first / first.sum(), steps, self.present)


def _reweight(step: Floats, message: Floats) -> tuple[Floats, Floats]:
    """Transitions towards what the message favours, and the message one entity earlier."""
    # Rows that the message rules out are never reached; they stay as they are, to be laws.
    weighted = step * message
    totals = weighted.sum(axis=1)
    reached = totals > 0
    result = np.where(reached[:, None], weighted / np.where(reached, totals, 1.0)[:, None], step)
    return result, totals / (totals.max() or 1.0)


def _draw_states(laws: Floats, rows: NDArray[Any], rng: Generator) -> NDArray[np.int64]:
    """A column for each row number, by the law in that row."""
    steps = np.cumsum(laws, axis=1)
    marks = rng.random(len(rows)) * steps[rows, -1]
    return np.asarray((marks[:, None] >= steps[rows]).sum(axis=1))
