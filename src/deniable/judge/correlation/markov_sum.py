"""Bayesian-DP leakage of a noisy sum over a Markov chain, by dynamic programming."""

import math

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.judge.correlation import joint_sum
from deniable.numerics.bound import Bound
from deniable.priors import _arrays

Floats = NDArray[np.float64]


@attrs.frozen(init=False)
class MarkovSum:
    r"""Publishes Σ_i v(X_i) + Lap(s), where X_1, …, X_n is a Markov chain.

    An adversary wants X_i and knows some other records. The leakage is

    .. math:: \sup \ln \frac{\Pr[y \mid x_i, x_S]}{\Pr[y \mid x_i', x_S]}

    over outputs y, over values x_S of the known records S, and over values x_i, x_i' that are
    possible with them; the others follow their conditional law. For independent records it is
    at most max\|v − v'\|/s.

    *Records behind a known one* do not matter for the largest leakage: given the known record
    they are independent of X_i, so not to know them adds the same independent number to the
    output whatever X_i is, and that never raises the largest ratio. The largest leakage over
    all S is therefore that over the distances to the nearest known record on either side, with
    everything behind these known too.

    *What the ends rest on*: nothing is truncated. The law is the product of the given numbers as
    they are stored, for each value of X_i scaled to sum to 1; between whole numbers the ratio of
    two densities is monotone, so the largest is among finitely many. What is left is rounding,
    bounded operation by operation: the ends lie about 1e-9 apart for a hundred
    records and 1e-7 for a thousand.

    Parameters
    ----------
    initial : array_like of float, shape (n_states,)
        The law of X_1.
    transitions : array_like of float, shape (n_records - 1, n_states, n_states)
        Row: the state of one record; column: that of the next.
    values : array_like of int, shape (n_states,)
        What a record in each state adds to the sum.
    scale : float
        The scale s of the Laplace noise, > 0. Discrete Laplace noise leaks the same.

    Raises
    ------
    InvalidArgument
        If a shape is wrong, a row is no law or a value is not whole.

    References
    ----------
    yang-2015, Definition 4; zhao-2019, Section III-A2; song-2017, Section 4.

    Examples
    --------
    >>> step = [[0.9, 0.1], [0.1, 0.9]]
    >>> chain = MarkovSum.homogeneous([0.5, 0.5], step, [0, 1], 1.0, n_records=100)
    >>> answer = chain.leakage(50)
    >>> round(answer.upper, 3), answer.evidence.word, answer.upper - answer.lower < 1e-7
    (4.499, 'enclosure', True)
    >>> round(chain.leakage(50, left=1, right=1).upper, 6)
    1.0
    """

    initial: Floats = attrs.field(eq=_arrays.ALIKE)
    transitions: Floats = attrs.field(eq=_arrays.ALIKE, repr=False)
    values: NDArray[np.int64] = attrs.field(eq=_arrays.ALIKE)
    scale: float

    def __init__(
        self, initial: ArrayLike, transitions: ArrayLike, values: ArrayLike, scale: float
    ) -> None:
        first = _arrays.law(initial, "initial")
        steps = _arrays.law(transitions, "transitions", ndim=3)
        given = _arrays.floats(values, "values")
        if not np.isfinite(given).all() or (given != np.round(given)).any():
            raise InvalidArgument(f"Expected values to be whole numbers, got {given.tolist()}.")
        added = given.astype(np.int64)
        added.setflags(write=False)
        if steps.shape[1:] != (len(first),) * 2:
            raise InvalidArgument(
                f"Expected transitions between {len(first)} states, got shape {steps.shape}."
            )
        if len(added) != len(first):
            raise InvalidArgument(f"Expected values of {len(first)} states, got {len(added)}.")
        self.__attrs_init__(first, steps, added, validate.positive(scale, "scale"))

    @classmethod
    def homogeneous(
        cls,
        initial: ArrayLike,
        transition: ArrayLike,
        values: ArrayLike,
        scale: float,
        n_records: int,
    ) -> "MarkovSum":
        """The same transition, shape (n_states, n_states), between all neighbours."""
        n = validate.integer(n_records, "n_records", least=1)
        step = _arrays.law(transition, "transition", ndim=2)
        return cls(initial, np.broadcast_to(step, (n - 1, *step.shape)), values, scale)

    @property
    def n_records(self) -> int:
        """The length of the chain."""
        return len(self.transitions) + 1

    def leakage(self, record: int, *, left: int | None = None, right: int | None = None) -> Bound:
        """The leakage about one record, between two ends that hold its rounding errors.

        Parameters
        ----------
        record : int
            Its position, from 0.
        left, right : int, optional
            The distance to the nearest known record on either side, >= 1; all behind it are
            known too. None: nothing is known on that side. So nothing is known by default, all
            others with 1 and 1, all beyond a distance d with d + 1 and d + 1.

        Raises
        ------
        InvalidArgument
            If a position lies outside the chain.
        """
        at = _arrays.position(record, self.n_records, "record")
        before = self._before(at, self._distance(left, at, "left"))
        after = self._after(at, self._distance(right, self.n_records - 1 - at, "right"))
        return self._worst(before, after)

    def leakage_beyond(self, record: int, distance: int) -> Bound:
        """The leakage against an adversary who knows all records farther away than `distance`."""
        at = _arrays.position(record, self.n_records, "record")
        nearest = validate.integer(distance, "distance", least=0) + 1
        return self.leakage(
            at,
            left=nearest if nearest <= at else None,
            right=nearest if nearest < self.n_records - at else None,
        )

    def worst_leakage(self, record: int) -> Bound:
        """The largest leakage about one record over every set of known records.

        The work grows with the square of the chain's length times the cube of the number of
        states; a dozen records with ten states take seconds.
        """
        at = _arrays.position(record, self.n_records, "record")
        before = [law for left in (*range(1, at + 1), None) for law in self._before(at, left)]
        reach = self.n_records - 1 - at
        after = [law for right in (*range(1, reach + 1), None) for law in self._after(at, right)]
        return self._worst(before, after)

    @property
    def _step(self) -> int:
        """The greatest common divisor of the values' differences."""
        return math.gcd(*(self.values - self.values.min()).tolist()) or 1

    @property
    def _shifts(self) -> NDArray[np.int64]:
        return np.asarray((self.values - self.values.min()) // self._step)

    def _distance(self, value: int | None, most: int, what: str) -> int | None:
        if value is None:
            return None
        distance = validate.integer(value, what, least=1)
        if distance > most:
            raise InvalidArgument(f"Expected {what} <= {most}, got {what}={distance}.")
        return distance

    def _before(self, at: int, left: int | None) -> list[Floats]:
        """Return for each value of the known record the joint laws of X_i and the sum before it."""
        # Rows are the values of X_i, columns the sums of the unknown records.
        if left is None:
            start = _arrays.log(self.initial)[:, None]
            return [self._forward(start, 0, at, known=False)]
        possible = self.initial > 0  # states that the known record may be in
        for step in self.transitions[: at - left]:
            possible = (step[possible] > 0).any(axis=0)
        starts = [_unit(len(self.values), int(state)) for state in np.flatnonzero(possible)]
        return [self._forward(start, at - left, at, known=True) for start in starts]

    def _forward(self, laws: Floats, start: int, at: int, *, known: bool) -> Floats:
        # F'[x', s] = Σ_x F[x, s − v(x)] Pr[x' | x]: the joint law of the state and of the sum
        # before it.
        for i in range(start, at):
            moved = laws if known and i == start else _shift_rows(laws, self._shifts)
            laws = joint_sum.mix(moved, self.transitions[i])
        return laws

    def _after(self, at: int, right: int | None) -> list[Floats]:
        """The same for the sum after X_i: likelihoods of X_i's values."""
        if right is None:
            end = np.zeros((len(self.values), 1))
            return [self._backward(end, self.n_records - 1, at, known=False)]
        last_states = [_unit(len(self.values), state) for state in range(len(self.values))]
        return [self._backward(end, at + right, at, known=True) for end in last_states]

    def _backward(self, laws: Floats, end: int, at: int, *, known: bool) -> Floats:
        # B[x, s] = Σ_x' Pr[x' | x] B'[x', s − v(x')]: the likelihood of a state for the sum behind
        # it.
        for i in reversed(range(at, end)):
            moved = laws if known and i == end - 1 else _shift_rows(laws, self._shifts)
            laws = joint_sum.mix(moved, self.transitions[i].T)
        return laws

    def _worst(self, before: list[Floats], after: list[Floats]) -> Bound:
        """The largest over what the known records may say on either side."""
        # No logarithm of a path's probability, or of a sum of them, is larger.
        least = float(np.abs(np.log(self.transitions[self.transitions > 0])).max(initial=0.0))
        first = float(np.abs(np.log(self.initial[self.initial > 0])).max())
        size, loss, error = self.n_records * (least + 1) + first + 1, 0.0, 0.0
        for ahead in before:
            for behind in after:
                largest, off = self._largest(ahead, behind, size)
                loss, error = max(loss, largest), max(error, off)
        return joint_sum.enclose(loss, error)

    def _largest(self, before: Floats, after: Floats, size: float) -> tuple[float, float]:
        """The largest loss between two possible values of X_i, and how far off it may be."""
        # Given X_i = x the sums before and behind are independent, so the whole sum is their
        # convolution moved by v(x), each normalised over what is possible with x.
        possible = ~(np.isneginf(before).all(axis=1) | np.isneginf(after).all(axis=1))
        laws = np.full(
            (len(before), before.shape[1] + after.shape[1] + int(self._shifts.max()) - 1), -np.inf
        )
        if np.count_nonzero(possible) < 2 or laws.shape[1] == 1:
            return 0.0, 0.0
        # The error of the dynamic programme counts twice: in a law and in the sum it is divided by.
        own = 2 * (self.n_records + 1) * joint_sum.mix_error(len(self.values), size)
        error = 0.0
        for state in np.flatnonzero(possible):
            ahead, behind = joint_sum.normalise(before[state]), joint_sum.normalise(after[state])
            unknown = joint_sum.convolve(ahead, behind)
            error = max(
                error,
                own
                + joint_sum.normalise_error(ahead, size)
                + joint_sum.normalise_error(behind, size)
                + joint_sum.convolve_error(ahead, behind, 2 * size + len(unknown)),
            )
            start = self._shifts[state]
            laws[state, start : start + len(unknown)] = unknown
        scale, width = self.scale / self._step, laws.shape[1]
        off = joint_sum.loss_error(width, scale, 4 * size + 3 * width, error)
        return joint_sum.largest_loss(laws[possible], scale), off


def _shift_rows(laws: Floats, shifts: NDArray[np.int64]) -> Floats:
    """Each row moved to the right by its own whole number."""
    width = laws.shape[1]
    result = np.full((len(laws), width + int(shifts.max())), -np.inf)
    for row, shift in enumerate(shifts):
        result[row, shift : shift + width] = laws[row]
    return result


def _unit(size: int, state: int) -> Floats:
    result = np.full((size, 1), -np.inf)
    result[state] = 0.0
    return result
