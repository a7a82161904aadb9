"""Compare what an attacker concludes under each way of drawing the same batches."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.numerics.answer import Answer, display, fields_of
from deniable.numerics.bound import Bound
from deniable.theorems.analysis import PosteriorRange, posterior_ranges, range_loss
from deniable.training.batches.batched import Batches, stated_training
from deniable.training.batches.curve import BatchCurve
from deniable.training.noisy_gradients.curve import Direction

QUESTIONS = ("epsilon_remove", "epsilon_add", "advantage", "fnr")
"""Numbers of a row, of which a way may be better in one and worse in another."""


@attrs.frozen
class WayOfDrawing:
    """What one way of drawing tells.

    ε is that of a record that is removed, and of one that is added. The advantage is that of the
    best attack at prior ½; `fnr` is what it misses at the false-positive rate asked for.
    """

    batches: Batches
    epsilon_remove: Bound
    epsilon_add: Bound
    advantage: Bound
    fnr: Bound
    posterior: PosteriorRange


@attrs.frozen(repr=False)
class BatchComparison(Answer):
    """The same batch size, epochs and noise under several ways of drawing.

    Parameters
    ----------
    delta, prior, fpr : float
        What ε, beliefs and misses were asked for.
    rows : tuple of WayOfDrawing
        In the order of `Batches`.
    refused : mapping of str to str
        Ways of which nothing is known with these neighbours, and why.
    best : mapping of str to tuple of str
        By question, the ways that no other is proved to beat: their intervals meet the best one.
    """

    delta: float
    prior: float
    fpr: float
    rows: tuple[WayOfDrawing, ...]
    refused: Mapping[str, str]
    best: Mapping[str, tuple[str, ...]]

    @property
    def verdict(self) -> str:
        """Whether one way protects best in everything, in a sentence."""
        always = set.intersection(*(set(ways) for ways in self.best.values()))
        if always and all(len(ways) == 1 for ways in self.best.values()):
            return f"{always.pop()} protects best in each of these."
        return "No method protects best in all ways. Choose by the belief that you want to limit."

    def plot(self) -> Any:
        """What an attacker concludes under each way, from the lower end to the upper."""
        return display(self, "plot")

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return fields_of(self, "delta", "prior", "fpr", "rows", "refused", "best", "verdict")


def compare_training(
    *,
    noise_multiplier: float | None,
    epochs: int | None,
    steps_per_epoch: int | None = None,
    delta: float = 1e-6,
    prior: tuple[float, float] = (0.5, 0.5),
    fpr: float = 0.01,
    neighbours: str | None = None,
    records: int | None = None,
    batch_size: int | None = None,
    drop_last: bool = False,
    records_per_person: int | None = None,
    ways: Sequence[str] = tuple(Batches),
) -> BatchComparison:
    """Compare what each method of drawing batches reveals about one record.

    Parameters
    ----------
    noise_multiplier : float
        σ of every way.
    epochs, steps_per_epoch : int
        E and T; Poisson samples take a record with probability 1/T. T is n/b, rounded up, if it is
        left out.
    delta, fpr : float
        δ of ε and of beliefs, and an attack's false-positive rate.
    prior : (float, float)
        Where a belief starts; the upper end is shown.
    neighbours, records, batch_size, drop_last, records_per_person
        As in `BatchedTraining`; left out, a batch is 1/T of the records.
    ways : sequence of str
        Which to compare; all of them if left out.

    Raises
    ------
    InvalidArgument
        If a number is out of its range, or nothing is known of any way.

    Examples
    --------
    >>> answer = compare_training(
    ...     noise_multiplier=1.0, steps_per_epoch=10, epochs=2, ways=["allocation", "fixed-order"]
    ... )
    >>> [row.epsilon_remove.upper < 8 for row in answer.rows]
    [True, True]
    """
    most, flagged = validate.open_probability(delta, "delta"), validate.open_probability(fpr, "fpr")
    _, start = validate.pair(prior, "prior")
    validate.open_probability(start, "prior")
    noise = validate.positive(noise_multiplier, "noise_multiplier")
    if records is None and batch_size is None and steps_per_epoch is not None:
        records, batch_size = steps_per_epoch, 1
    rows, refused = [], {}
    for way in validate.several(ways, "ways"):
        try:
            training = stated_training(
                way, noise_multiplier=noise, epochs=epochs, steps_per_epoch=steps_per_epoch,
                neighbours=neighbours, records=records, batch_size=batch_size,
                records_per_person=records_per_person,
                drop_last=drop_last and way.startswith("shuffled"),
            )  # fmt: skip
        except InvalidArgument as error:
            refused[str(way)] = str(error)
            continue
        curve = BatchCurve(training)
        loss = range_loss(curve.loss_at_most, most)
        remove, add = (curve.epsilon(most, direction) for direction in Direction)
        [belief] = posterior_ranges(loss, [start])
        at_prior_half = curve.advantage(), curve.fnr(flagged)
        rows.append(WayOfDrawing(training.batches, remove, add, *at_prior_half, belief))
    if not rows:
        raise InvalidArgument(next(iter(refused.values()), "Expected a way to draw, got none."))
    best = {}  # ways whose safe end no other way's is proved to beat
    for name in QUESTIONS:
        bounds = [(row.batches, getattr(row, name)) for row in rows]
        if name == "fnr":  # missing more is better
            largest = max(bound.lower for _, bound in bounds)
            kept = [way for way, bound in bounds if bound.upper >= largest]
        else:
            least = min(bound.upper for _, bound in bounds)
            kept = [way for way, bound in bounds if bound.lower <= least]
        best[name] = tuple(map(str, kept))
    return BatchComparison(most, start, flagged, tuple(rows), refused, best)


compare = compare_training
"""The same, as `deniable.training.compare`."""
