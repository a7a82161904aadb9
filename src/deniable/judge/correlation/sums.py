"""Sums over correlated records, few or in a chain, and groups that are all in or all out."""

import functools
import itertools
import math
from collections.abc import Collection, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import UNIT, directed, lower, upper
from deniable.priors import _arrays

# Only non-negative numbers are added and multiplied, in blocks whose entries are close enough for
# floating point; nothing underflows, however far into the tails.
#
# Each function has its `…_error`: how much it adds, at most, to the absolute error of a logarithm
# (an impossible number stays impossible). Sums, products and quotients are right to half a unit in
# the last place, exp, log and log1p are taken to be right to four units. Errors of the input pass
# through unchanged, for all the numbers added have the same sign.


Floats = NDArray[np.float64]


_SPREAD = 300.0
"""Largest difference of logarithms in a block; two of them stay above the least float."""
_VANISHING = -600.0
"""Logarithm of a product of which exp may lose digits; such columns are added in logarithms."""


def convolve(one: Floats, other: Floats) -> Floats:
    """The law of the sum of two independent numbers; (a,), (b,) -> (a + b - 1,)."""
    # Pr[M + L = s] = Σ_m Pr[M = m] Pr[L = s − m], block by block: e^(scale + factor) times a plain
    # convolution of numbers in [e^−300, 1], added up in logarithms.
    result = np.full(len(one) + len(other) - 1, -np.inf)
    right = _blocks(other, 0)
    for start, scale, masses in _blocks(one, 0):
        for begin, factor, weights in right:
            with np.errstate(divide="ignore"):
                part = np.log(np.convolve(masses, weights)) + (scale + factor)
            there = slice(start + begin, start + begin + len(part))
            result[there] = np.logaddexp(result[there], part)
    return result


def mix(laws: Floats, weights: Floats) -> Floats:
    """Σ_x weights[x, z] e^laws[x, ·] for each z; (k, n), (k, l) -> (l, n)."""
    # With the level c of a column: ln Σ_x w_xz e^l_x = c + ln Σ_x w_xz e^(l_x − c).
    top = laws.max(axis=0)
    level = np.where(np.isneginf(top), 0.0, top)
    relative = laws - level
    least = np.log(weights.min(where=weights > 0, initial=1.0))
    with np.errstate(divide="ignore"):
        # Not a product of matrices: BLAS would start threads for work this small.
        result = np.log(np.einsum("xz,xm->zm", weights, np.exp(relative))) + level
        lost = ((relative + least < _VANISHING) & ~np.isneginf(laws)).any(axis=0)
        # Columns whose smallest product may lose digits in exp: ln Σ_x e^(l_x + ln w_xz), term by
        # term.
        if lost.any():
            terms = laws[:, None, lost] + np.log(weights)[:, :, None]
            result[:, lost] = np.logaddexp.reduce(terms, axis=0)
    return np.asarray(result)


def mix_error(n_states: int, size: float) -> float:
    """Return the error of `mix`, for so many summands and logarithms of at most this size."""
    # In a block |relative| <= 600: exp of it is off by 608 units, the sum by n_states more, its
    # logarithm by 8 · (600 + n_states), adding the level by the size of both. In the slow branch
    # ln(weight) is off by 8 · 745 units, and each of n_states summands adds the size of the sum.
    return UNIT * ((n_states + 2) * (size + n_states + 1000) + 8000)


def convolve_error(one: Floats, other: Floats, size: float) -> float:
    """Return the error of `convolve`, for logarithms of at most this size."""
    # In a block exp is off by 308 units on either side and the sum by its length; its logarithm,
    # at most 600 in size, by 8 units each. Then come the two scales, and one sum for each pair of
    # blocks.
    width = len(one) + len(other)
    pairs = len(_blocks(one, 0)) * len(_blocks(other, 0))
    return UNIT * (9 * width + 6200 + (pairs + 2) * (2 * size + 800))


def normalise(law: Floats) -> Floats:
    """The same law with probabilities that sum to 1."""
    return np.asarray(law - np.logaddexp.reduce(law))


def normalise_error(law: Floats, size: float) -> float:
    """Return the error of `normalise`; the input's own counts twice: in law and in sum."""
    return UNIT * ((len(law) + 3) * (size + len(law) + 30))


def laplace_mixture(laws: Floats, scale: float) -> Floats:
    r"""The densities of M + X at the whole numbers 0, …, n − 1, up to a common factor.

    .. math:: \ln \sum_m \Pr[M = m] e^{-|y-m|/s}

    where M has the law on the last axis. Between whole numbers both halves of the sum are
    exponentials, so the ratio of two such densities is monotone there, and beyond the ends it is
    constant: its extremes over all real y stand among these.
    """
    # Σ_{m <= y} e^(l_m − (y − m)/s), a running sum to the right, and Σ_{m > y} e^(l_m − (m −
    # y)/s), one to the left that starts a step later so that m = y counts once.
    marks = np.arange(laws.shape[-1]) / scale
    before = np.logaddexp.accumulate(laws + marks, axis=-1) - marks
    after = np.logaddexp.accumulate((laws - marks)[..., ::-1], axis=-1)[..., ::-1] + marks
    after = np.concatenate([after[..., 1:] - 1 / scale, np.full_like(after[..., :1], -np.inf)], -1)
    return np.asarray(np.logaddexp(before, after))


def largest_loss(laws: Floats, scale: float) -> float:
    """sup over y and two of the laws of the log-ratio of their densities; (k, n), k >= 1."""
    # Both laws of the largest ratio may be any: at each y the largest less the least logarithm.
    densities = laplace_mixture(laws, scale)
    return float((densities.max(axis=0) - densities.min(axis=0)).max())


def loss_error(width: int, scale: float, size: float, error: float) -> float:
    """Return the error of `largest_loss` for logarithms up to this size and off by this error."""
    # With R the width over the scale, marks are off by 2 units of R each (the scale may be a
    # rounded quotient), every step of the running sums adds the size of the sum, at most
    # size + 2R + 40, and so do the dozen operations around them. A loss is a difference of two.
    return 2 * (error + UNIT * (width + 14) * (size + 2 * width / scale + 40))


def enclose(loss: float, error: float) -> Bound:
    """A loss >= 0 that is off by at most so much; exact where nothing was computed."""
    if error == 0:
        return Bound.exact(loss)
    low, high = math.nextafter(loss - error, -math.inf), math.nextafter(loss + error, math.inf)
    return Bound(max(low, 0.0), high, Evidence.ENCLOSURE)


def _blocks(law: Floats, start: int) -> list[tuple[int, float, Floats]]:
    """Start, logarithm of the scale, and probabilities relative to it."""
    # Halve until the logarithms of a block lie within 300 of each other; impossible ends are cut
    # off.
    there = np.flatnonzero(~np.isneginf(law))
    if len(there) == 0:
        return []
    start, law = start + int(there[0]), law[there[0] : there[-1] + 1]
    finite = law[~np.isneginf(law)]
    if finite.max() - finite.min() <= _SPREAD:
        return [(start, float(finite.max()), np.exp(law - finite.max()))]
    half = len(law) // 2
    return [*_blocks(law[:half], start), *_blocks(law[half:], start + half)]


@attrs.frozen(init=False)
class AllOrNothing:
    r"""A group of k entities that are all in or all out, and their number plus Laplace noise.

    The noise of scale 1/ε makes the number ε-DP under add-remove. The k memberships move
    it by k, so an output y >= k multiplies the odds of each of them by e^(kε):

    .. math:: \frac{\Pr[t|y]}{p} = \frac{1}{p + (1-p) e^{-k\epsilon}}, \qquad
              \frac{1-p}{\Pr[\neg t|y]} = 1 - p + p\, e^{k\epsilon}

    The larger of both is γ. It reaches e^(kε), not e^ε, as p goes to 0 or to 1, and more noise
    for k is the only remedy.

    Parameters
    ----------
    n_members : int
        The number k of entities, >= 1.
    probability : float
        The probability p that they are in, in (0, 1).
    epsilon : float
        The ε of the noise, > 0.

    References
    ----------
    li-2013, Section 4.1; kifer-machanavajjhala-2011.

    Examples
    --------
    >>> family = AllOrNothing(10, 0.001, 0.5)
    >>> round(family.posterior().upper, 4), round(family.gamma().upper, 2)
    (0.1293, 129.35)
    """

    n_members: int
    probability: float
    epsilon: float

    def __init__(self, n_members: int, probability: float, epsilon: float) -> None:
        self.__attrs_init__(
            validate.integer(n_members, "n_members", least=1),
            validate.open_probability(probability, "probability"),
            validate.positive(epsilon, "epsilon"),
        )

    def posterior(self) -> Bound:
        """The largest posterior of any of them."""
        with directed() as r:
            # p/(p + (1 − p) e^(−kε))
            p, odds = r(self.probability), r.exp(-self.n_members * r(self.epsilon))
            ball = p / (p + (1 - p) * odds)
            return Bound(lower(ball), upper(ball), Evidence.ENCLOSURE)

    def gamma(self) -> Bound:
        """The exact γ of positive membership privacy."""
        with directed() as r:
            # max(1/(p + (1 − p) e^(−kε)), 1 − p + p e^(kε))
            p, odds = r(self.probability), r.exp(self.n_members * r(self.epsilon))
            ball = r.max(1 / (p + (1 - p) / odds), 1 - p + p * odds)
            return Bound(lower(ball), upper(ball), Evidence.ENCLOSURE)

    def gamma_over_priors(self) -> Bound:
        """The least upper bound of γ over all p, e^(kε); no p attains it."""
        with directed() as r:
            # sup over p of both: e^(kε)
            ball = r.exp(self.n_members * r(self.epsilon))
            return Bound(lower(ball), upper(ball), Evidence.ENCLOSURE)


def others(values: Collection[Any], record: int, n_records: int) -> tuple[int, ...]:
    """Distinct positions of other records, in order."""
    positions = sorted(_arrays.position(value, n_records, "known") for value in values)
    if record in positions or len(set(positions)) < len(positions):
        raise InvalidArgument(
            f"Expected distinct known records other than record={record}, got {positions}."
        )
    return tuple(positions)


MOST_RECORDS = 12
"""Axes of a table of joint probabilities: 2^12 cells for two values each."""
_SIZE = 746.0
"""No logarithm of a positive float is larger."""


@attrs.frozen(init=False)
class JointSum:
    r"""Publishes Σ_i v_i(X_i) + Lap(s), where X has an explicit joint law.

    The leakage is that of `MarkovSum`, against every adversary who knows any other records. It
    lies between two ends that hold every rounding error: for the law as its numbers
    are stored, for each value of X_i scaled to sum to 1.

    Parameters
    ----------
    law : array_like of float, shape (n_values_1, …, n_values_n)
        Pr[X = x]; one axis a record, at most 12.
    values : sequence of sequences of int
        What each value of each record adds to the sum.
    scale : float
        The scale s of the Laplace noise, > 0.

    Raises
    ------
    InvalidArgument
        If the law does not sum to 1 or the values do not match its shape.

    References
    ----------
    yang-2015, Definition 4; zhao-2019, Section III-A2.

    Examples
    --------
    >>> twins = JointSum([[0.5, 0.0], [0.0, 0.5]], [[0, 1], [0, 1]], 1.0)
    >>> round(twins.leakage(0).upper, 9), twins.leakage(0).evidence.word
    (2.0, 'enclosure')
    >>> twins.leakage(0, known=[1]).upper, round(twins.worst_leakage(0).upper, 9)
    (0.0, 2.0)
    """

    law: Floats = attrs.field(eq=_arrays.ALIKE, repr=False)
    values: tuple[tuple[int, ...], ...]
    scale: float

    def __init__(self, law: ArrayLike, values: Sequence[Sequence[int]], scale: float) -> None:
        shape = np.shape(law)
        if not 1 <= len(shape) <= MOST_RECORDS:
            raise InvalidArgument(
                f"Expected a law with 1 to {MOST_RECORDS} axes, got {len(shape)}."
            )
        flat = _arrays.law(np.reshape(np.asarray(law), -1), "law")
        added = tuple(
            tuple(
                validate.integer(v, "values", least=-(2**53))
                for v in validate.several(row, "values")
            )
            for row in validate.several(values, "values")
        )
        if tuple(len(row) for row in added) != shape:
            raise InvalidArgument(
                f"Expected values for a law of shape {shape}, "
                f"got {[len(row) for row in added]} of them."
            )
        self.__attrs_init__(flat.reshape(shape), added, validate.positive(scale, "scale"))

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return self.law.ndim

    def leakage(self, record: int, known: Collection[int] = ()) -> Bound:
        """The leakage about one record against an adversary who knows these others."""
        at = _arrays.position(record, self.n_records, "record")
        return self._leakage(at, others(known, at, self.n_records))

    def worst_leakage(self, record: int) -> Bound:
        """The largest leakage about one record over every set of known records."""
        at = _arrays.position(record, self.n_records, "record")
        rest = [other for other in range(self.n_records) if other != at]
        sets = itertools.chain.from_iterable(
            itertools.combinations(rest, size) for size in range(len(rest) + 1)
        )
        return functools.reduce(Bound.maximum, (self._leakage(at, known) for known in sets))

    def _leakage(self, at: int, known: tuple[int, ...]) -> Bound:
        unknown = [other for other in range(self.n_records) if other != at and other not in known]
        # Pr[y | x_i, x_S] ∝ Σ_{x of the unknown} Pr[x_S, x_i, x] e^(−|y − v_i(x_i) − v(x)|/s): a
        # block for each x_S, a row of it for each x_i, and what the x add to the sum binned.
        order = [*known, at, *unknown]
        n_values = self.law.shape[at]
        table = self.law.transpose(order).reshape(
            -1, n_values, math.prod(self.law.shape[i] for i in unknown)
        )
        sums, step = self._sums(at, unknown)
        width = int(sums.max()) + 1
        # Sums of table.shape[-1] numbers, the sum of those, two logarithms and their difference.
        error = UNIT * (2 * (table.shape[-1] + width) + 20 * _SIZE)
        off = loss_error(width, self.scale / step, 2 * _SIZE, error)
        loss, moved = 0.0, False
        for block in table:
            laws = np.stack(
                [np.bincount(sums[x], weights=block[x], minlength=width) for x in range(n_values)]
            )
            totals = laws.sum(axis=1)
            possible = totals > 0
            if np.count_nonzero(possible) > 1 and width > 1:
                logs = _arrays.log(laws[possible]) - np.log(totals[possible])[:, None]
                loss, moved = max(loss, largest_loss(logs, self.scale / step)), True
        return enclose(loss, off if moved else 0.0)

    def _sums(self, at: int, unknown: list[int]) -> tuple[NDArray[np.int64], int]:
        """The sum for each value of X_i and of the unknown, in steps from the least one."""
        sums = np.zeros(1, dtype=np.int64)
        for record in (at, *unknown):
            sums = (sums[:, None] + np.array(self.values[record], dtype=np.int64)).reshape(-1)
        sums -= sums.min()
        step = math.gcd(*sums.tolist()) or 1
        return (sums // step).reshape(self.law.shape[at], -1), step


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
            laws = mix(moved, self.transitions[i])
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
            laws = mix(moved, self.transitions[i].T)
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
        return enclose(loss, error)

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
        own = 2 * (self.n_records + 1) * mix_error(len(self.values), size)
        error = 0.0
        for state in np.flatnonzero(possible):
            ahead, behind = normalise(before[state]), normalise(after[state])
            unknown = convolve(ahead, behind)
            error = max(
                error,
                own
                + normalise_error(ahead, size)
                + normalise_error(behind, size)
                + convolve_error(ahead, behind, 2 * size + len(unknown)),
            )
            start = self._shifts[state]
            laws[state, start : start + len(unknown)] = unknown
        scale, width = self.scale / self._step, laws.shape[1]
        off = loss_error(width, scale, 4 * size + 3 * width, error)
        return largest_loss(laws[possible], scale), off


def _shift_rows(laws: Floats, shifts: NDArray[np.int64]) -> Floats:
    width = laws.shape[1]
    result = np.full((len(laws), width + int(shifts.max())), -np.inf)
    for row, shift in enumerate(shifts):
        result[row, shift : shift + width] = laws[row]
    return result


def _unit(size: int, state: int) -> Floats:
    result = np.full((size, 1), -np.inf)
    result[state] = 0.0
    return result
