r"""The exponential mechanism on any loss ℓ(w, D), a Python function of a candidate and a sample.

Every sample's losses are asked for: of all samples where they are few, of random ones otherwise. A
random D with a member x, and the same with a uniform record from outside in its place, are draws of
P(w|D) given x in, and given x out; both numbers come from one draw and lie in [0, 1]:

.. math:: \frac{P_{in,x}(w)}{P_{out,x}(w)} = \frac{E\,P(w | D)}{E\,P(w | D - x + x')} .
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import attrs
import numpy as np

from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort, OutOfTime, check, late
from deniable.numerics.rounding import UNIT
from deniable.population.answer import RecordBounds
from deniable.population.choices.array_api import Floats
from deniable.population.choices.enumeration import OutputLaws
from deniable.population.choices.sampling import PairedSums, ratio_limits
from deniable.population.question import Bools, Ints, floats

Loss: TypeAlias = Callable[[Any, Floats], float]  # A candidate and a sample's rows, to a number
Losses: TypeAlias = Callable[[Floats], Any]  # A sample's rows, to a number for every candidate
MOST_CALLS = 2**18  # Calls of the loss beyond which samples are drawn and not listed
FIRST = 64  # Draws of the first round; every round has twice as many as the one before
_LARGEST = 1e100  # Losses above leave no room for products
_AT_ONCE = 2**16  # Exchanges that are looked at together
_PLACE = 7  # The random numbers of this module among those of one seed


@attrs.frozen(eq=False)
class LossFunction:
    """A loss with what it is asked about."""

    # ℓ, of a candidate and a sample; or of a sample, with an answer for every candidate.
    loss: Loss | Losses
    records: Floats  # (n_records, …): the parent set
    candidates: Sequence[Any]  # W
    size: int  # n
    at_once: bool = False  # Whether the loss gives all candidates' losses of a sample at once

    @property
    def calls(self) -> int:
        """Return the calls of the loss that list all samples."""
        each = 1 if self.at_once else len(self.candidates)
        return math.comb(len(self.records), self.size) * each

    def of(self, members: Bools) -> Floats:
        """The loss of every candidate on one sample; shape (n_candidates,)."""
        check()
        rows = self.records[members]
        if self.at_once:
            losses = floats(self.loss(rows), "losses", "")  # type: ignore[call-arg]
            if losses.shape != (len(self.candidates),):
                raise InvalidArgument(
                    f"Expected a loss for each of {len(self.candidates)} candidates of a sample, "
                    f"got shape {losses.shape}."
                )
        else:
            losses = np.array([self._of_one(each, rows) for each in self.candidates])
        if not np.all(np.abs(losses) <= _LARGEST):
            raise InvalidArgument(
                "Expected a loss that is a finite number up to 1e100 for every sample, got another."
            )
        return losses

    def _of_one(self, candidate: Any, rows: Floats) -> float:
        value = self.loss(candidate, rows)  # type: ignore[call-arg]
        try:
            return float(value)
        except (OverflowError, TypeError, ValueError):
            raise InvalidArgument(
                "Expected a loss that is a finite number up to 1e100 for every sample, got another."
            ) from None


@attrs.frozen(eq=False)
class Listed:
    """The losses of all samples."""

    members: Bools  # (n_samples, n_records): which records are in
    losses: Floats  # (n_samples, n_candidates): ℓ(w, D)

    @classmethod
    def of(cls, function: LossFunction) -> "Listed":
        """Ask for every sample.

        Raises `OutOfTime` if the time limit is over before.
        """
        many = len(function.records)
        members = np.zeros((math.comb(many, function.size), many), np.bool_)
        for row, sample in zip(
            members, itertools.combinations(range(many), function.size), strict=True
        ):
            row[list(sample)] = True
        return cls(members, np.array([function.of(row) for row in members]))

    def log_probabilities(self, rate: float) -> Floats:
        """ln P(w|D) at P ∝ e^(−rate·ℓ); shape (n_samples, n_candidates)."""
        scores = -rate * (self.losses - self.losses.min(axis=1, keepdims=True))
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))

    def error(self, rate: float) -> float:
        """How far a logarithm of a mean of probabilities may be off.

        Differences, products and the normaliser for one sample; the terms of a sum over samples;
        logarithms of both, and of their number.
        """
        samples, candidates = self.losses.shape
        reach = rate * float(np.ptp(self.losses, axis=1).max())
        units = float(12 * reach + 4 * candidates + 2 * samples + 8 * math.log(samples + 1) + 64)
        return 1.01 * UNIT * units

    def laws(self, rate: float) -> OutputLaws:
        """The laws of the chosen candidate given each record in, and out."""
        logs = self.log_probabilities(rate)
        inside: list[Floats] = []
        outside: list[Floats] = []
        for member in self.members.T:
            for kept, means in ((member, inside), (~member, outside)):
                some = logs[kept]
                top = some.max(axis=0)
                means.append(np.log(np.exp(some - top).mean(axis=0)) + top)
        return OutputLaws(np.array(inside), np.array(outside), self.error(rate), len(self.members))

    def exchanges(self) -> tuple[Ints, Ints]:
        """Pairs of samples that differ in one record, each once."""
        weights = 2 ** np.arange(self.members.shape[1], dtype=np.int64)
        codes = self.members @ weights
        order = np.argsort(codes)
        first, second = [], []
        for i, j in itertools.combinations(range(self.members.shape[1]), 2):
            check()
            rows = np.flatnonzero(self.members[:, i] & ~self.members[:, j])
            partners = codes[rows] - weights[i] + weights[j]
            first.append(rows)
            second.append(order[np.searchsorted(codes, partners, sorter=order)])
        return np.concatenate(first), np.concatenate(second)

    def largest_change(self) -> float:
        """How far exchanging one record moves a candidate's loss, at most."""
        return self._largest_difference(self.losses)

    def adjacent_epsilon(self, rate: float) -> float:
        """ε(X), exact over samples that differ in one record; rounded up."""
        return self._largest_difference(self.log_probabilities(rate)) + 2 * self.error(rate)

    def _largest_difference(self, values: Floats) -> float:
        """Return the largest difference between samples that differ in one record."""
        first, second = self.exchanges()
        parts = (slice(start, start + _AT_ONCE) for start in range(0, len(first), _AT_ONCE))
        return max(float(np.abs(values[first[p]] - values[second[p]]).max()) for p in parts)


@attrs.frozen(eq=False)
class OwnLoss:
    """A loss function and its sensitivity, which the worst-case ε rests on."""

    function: LossFunction  # The loss
    sensitivity: float  # Δ, > 0: how far exchanging one record moves the loss of any candidate
    listed: Listed | None = None  # The losses of all samples, where they were asked for already

    @property
    def population(self) -> int:
        """N."""
        return len(self.function.records)

    def list_losses(self) -> Listed:
        """The losses of all samples."""
        return self.listed or Listed.of(self.function)

    def rate(self, epsilon: float) -> float:
        """What the loss is multiplied with, ε/2Δ."""
        rate = epsilon / (2 * self.sensitivity)
        if rate > _LARGEST:
            raise InvalidArgument(
                "Expected an epsilon up to 1e100 times the sensitivity, got a larger one. "
                "Choose another unit of the loss, or a smaller epsilon."
            )
        return rate


def sample_losses(function: LossFunction, rate: float, most: float, effort: Effort) -> RecordBounds:
    """Simultaneous confidence intervals for ε̃ (δ = 0) of all records.

    Rounds double; round k spends α/(k(k+1)), evenly over records and candidates, and a round
    that time cuts short is not used. No upper bound passes `most`, which holds without draws.
    """
    records, candidates, size = len(function.records), len(function.candidates), function.size
    lower, upper = np.zeros(records), np.full(records, most)
    sums, rng = PairedSums.zero(records * candidates), effort.generator(_PLACE)
    draws, ones = 0, np.ones(records * candidates)
    alpha = (1 - effort.confidence) / (records * candidates)
    for number in itertools.count(1):
        count = FIRST * 2 ** (number - 1)
        try:
            for _ in range(count):
                # One sample, and for each member the sample with a uniform record in its place.
                order = rng.permutation(records)
                members = np.zeros(records, np.bool_)
                members[order[:size]] = True
                stranger = order[size]  # uniform among those outside
                own = _probabilities(function.of(members), rate)
                seen, a, b = (np.zeros((records, candidates)) for _ in range(3))
                for record in order[:size]:
                    exchanged = members.copy()
                    exchanged[record], exchanged[stranger] = False, True
                    seen[record], a[record] = 1.0, own
                    b[record] = _probabilities(function.of(exchanged), rate)
                sums += PairedSums(*(each.ravel() for each in (seen, a, b, a * a, b * b, a * b)))
        except OutOfTime:
            break
        draws += count
        log_term = math.log(4 * number * (number + 1) / alpha)
        with np.errstate(divide="ignore"):
            limits = [
                np.log(end).reshape(records, candidates)
                for end in ratio_limits(sums, ones, ones, log_term)
            ]
        lower = np.maximum(lower, np.maximum(limits[0], -limits[1]).max(axis=1))
        upper = np.minimum(upper, np.maximum(limits[1], -limits[0]).max(axis=1))
        lower = np.minimum(lower, upper)
        if upper.max() <= lower.max() * (1 + effort.gap) or late():
            break
    return RecordBounds.of_draws(np.arange(records), lower, upper, effort if draws else None, draws)


def _probabilities(losses: Floats, rate: float) -> Floats:
    weights = np.exp(-rate * (losses - losses.min()))
    return np.asarray(weights / weights.sum())
