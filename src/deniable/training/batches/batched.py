"""A training with noisy gradients, and how its batches were drawn."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.validate import format_value
from deniable.numerics.answer import fields_of
from deniable.numerics.rounding import directed, float_up, upper
from deniable.training.noisy_gradients import Phase


class Batches(enum.StrEnum):
    """How the batches were drawn."""

    POISSON = "poisson"
    """Each record enters each step by its own coin."""
    ALLOCATION = "allocation"
    """Each record draws one step of each epoch, alone."""
    ALLOCATION_ONCE = "allocation-once"
    """Each record draws one step, the same in every epoch."""
    SHUFFLED = "shuffled"
    """Records are shuffled before each epoch and cut into batches."""
    SHUFFLED_ONCE = "shuffled-once"
    """Records are shuffled once and cut into the same batches in every epoch."""
    FIXED_ORDER = "fixed-order"
    """Records stand in an order that anybody may know."""
    WITHOUT_REPLACEMENT = "without-replacement"
    """Each step draws a batch of fixed size anew."""


class Neighbours(validate.Choice, argument="neighbours"):
    """What of one record may change."""

    ZERO_OUT = "zero-out"
    """It is silent: its gradient is 0, and numbers of records, batches and steps stay."""
    ADD_REMOVE = "add-remove"
    """It is gone, or new."""
    REPLACE_ONE = "replace-one"
    """It is another."""


_ROUNDED = 1e-9
"""Share by which a rate that is one over a whole number may be off by rounding."""
_MOST_STEPS = 10**9
"""Steps in all: years of training, and so many doublings that rounding leaves little to say."""
_MOST_PERSON = 32
"""Records of one person, at most: the number of ways to place them grows with their square."""
_COUNTS = {
    "steps_per_epoch": 1,
    "epochs": 0,
    "extra_steps": 0,
    "records": 1,
    "batch_size": 1,
    "records_per_person": 1,
}
"""Whole numbers of a training, and the least of each."""
OF_SHUFFLES = (Batches.SHUFFLED, Batches.SHUFFLED_ONCE)
OF_ALLOCATION = (Batches.ALLOCATION, Batches.ALLOCATION_ONCE)
"""Ways in which each record draws its step alone."""


def way_of(word: Any) -> Batches:
    """Return the way of drawing of that name."""
    if not isinstance(word, str) or word not in set(Batches):
        raise InvalidArgument(
            f"Expected `batches` to be one of {', '.join(Batches)}, got {format_value(word)}. "
            "Weighted samplers, buckets by length, curricula and packed sequences are none of "
            "these, and nothing is known of them."
        )
    return Batches(word)


@attrs.frozen
class BatchedTraining:
    """A training run, and how its batches were drawn.

    Parameters
    ----------
    batches : Batches
        The way of drawing.
    noise_multiplier : float
        σ, the noise's standard deviation over the clipping norm.
    steps_per_epoch : int
        T: steps in which every record is looked at once; with Poisson sampling each step takes a
        record with probability 1/T.
    epochs : int
        E, whole ones.
    extra_steps : int
        Steps of a last epoch that was cut off, less than T.
    neighbours : Neighbours
        What may change.
    records, batch_size : int or None
        n and b, where the answer depends on them.
    drop_last : bool
        Whether an epoch leaves out the records that fill no whole batch.
    records_per_person : int
        How many records the person who is protected may have.

    Raises
    ------
    InvalidArgument
        If a number is out of its range, or nothing is known of this way and these neighbours; the
        message names what is.
    """

    batches: Batches = attrs.field(converter=way_of)
    noise_multiplier: float
    steps_per_epoch: int
    epochs: int
    extra_steps: int = 0
    neighbours: Neighbours = attrs.field(default=Neighbours.ZERO_OUT, converter=Neighbours)
    records: int | None = None
    batch_size: int | None = None
    drop_last: bool = False
    records_per_person: int = 1

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.drop_last, bool):  # "false" would count as true, and promise more
            got = format_value(self.drop_last)
            raise InvalidArgument(f"Expected drop_last to be true or false, got {got}.")
        noise = validate.positive(self.noise_multiplier, "noise_multiplier")
        object.__setattr__(self, "noise_multiplier", noise)
        for name, least in _COUNTS.items():  # whole numbers, also those that are written as 2.0
            value = getattr(self, name)
            if value is not None or name not in ("records", "batch_size"):
                object.__setattr__(self, name, validate.integer(value, name, least=least))
        if self.extra_steps >= self.steps_per_epoch:
            raise InvalidArgument(
                f"Expected fewer extra steps than an epoch has, got {self.extra_steps} beside "
                f"{self.steps_per_epoch}. Count whole epochs in `epochs`."
            )
        if not 1 <= self.steps <= _MOST_STEPS:
            raise InvalidArgument(
                f"Expected 1 to {_MOST_STEPS:.0e} steps in all, got {self.steps:,}."
            )
        _refuse(self)

    @property
    def steps(self) -> int:
        """How many there are in all."""
        return self.epochs * self.steps_per_epoch + self.extra_steps

    @property
    def passes(self) -> int:
        """Epochs in which a record may have been looked at, a cut-off one included."""
        return self.epochs + (self.extra_steps > 0)

    @property
    def schedule(self) -> tuple[Phase, ...]:
        """Its steps, with the share of the records that one looks at."""
        rate = Fraction(1, self.steps_per_epoch)
        if self.records is not None and self.batch_size is not None:
            rate = Fraction(self.batch_size, self.records)
        return (Phase(self.noise_multiplier, float_up(rate), self.steps),)

    @property
    def is_open(self) -> bool:
        """Whether the two ends stay apart, because nobody knows the truth between them."""
        exact = self.batches in (Batches.POISSON, Batches.FIXED_ORDER, *OF_ALLOCATION)
        if self.batches is Batches.WITHOUT_REPLACEMENT:
            exact = self.neighbours is Neighbours.ADD_REMOVE
        exact_for_several = (Batches.POISSON, Batches.FIXED_ORDER)
        several = self.records_per_person > 1 and self.batches not in exact_for_several
        replaces = self.neighbours is Neighbours.REPLACE_ONE
        return not exact or several or (replaces and self.batches is not Batches.FIXED_ORDER)

    @property
    def draws_anew(self) -> bool:
        """Whether a record may be in every step, and not in one step of an epoch."""
        return self.batches in (Batches.POISSON, Batches.WITHOUT_REPLACEMENT)

    @property
    def is_of_presence(self) -> bool:
        """Whether a silent record is as one that is gone: no other batch follows from it."""
        return self.neighbours is not Neighbours.REPLACE_ONE and self.batches in (
            Batches.POISSON,
            *OF_ALLOCATION,
        )

    @property
    def changed(self) -> str:
        """The label of what may change: zero-out, where a silent record is not as one that is gone.

        A guarantee for silent records says nothing of records that are there or not then, and
        carries no label of theirs.
        """
        if self.neighbours is Neighbours.ZERO_OUT and self.is_of_presence:
            return str(Neighbours.ADD_REMOVE)
        return str(self.neighbours)

    @property
    def spec(self) -> str:
        """The training in one word, as a chain of theorems begins with it."""
        numbers = f"{self.noise_multiplier},{self.steps_per_epoch},{self.epochs}"
        marks = [f"@{self.neighbours}"]
        if self.extra_steps:
            marks.append(f"@and-{self.extra_steps}")
        if self.records is not None and self.batch_size is not None:
            marks.append(f"@records-{self.records}@batch-{self.batch_size}")
        if self.drop_last:
            marks.append("@drop-last")
        if self.records_per_person > 1:
            marks.append(f"@person-{self.records_per_person}")
        return f"{self.batches}-batches:{numbers}{''.join(marks)}"

    def as_json(self) -> dict[str, Any]:
        """How batches were drawn, and of whom what may change; sizes where they were given."""
        epochs = fields_of(self, "steps_per_epoch", "epochs", "extra_steps")
        sizes = fields_of(self, "records", "batch_size", "drop_last")
        return {
            "batches": str(self.batches),
            "neighbours": str(self.neighbours),
            "records_per_person": self.records_per_person,
            **{name: value for name, value in (epochs | sizes).items() if value},
        }

    def rho(self) -> float:
        r"""ρ of zero-concentrated DP, rounded up: no gain of drawing is counted.

        Mixture where a person's m records stand, at most :math:`E' (c m)^2/(2\sigma^2)` for E'
        epochs, or as many steps where every step draws anew; c is 2 where a record is replaced.
        """
        change = (2 if self.neighbours is Neighbours.REPLACE_ONE else 1) * self.records_per_person
        if self.batches is Batches.WITHOUT_REPLACEMENT:
            change = 2  # a record displaces another of its batch
        with directed() as r:
            count = self.steps if self.draws_anew else self.passes
            return upper(r(count * change**2) / (2 * r(self.noise_multiplier) ** 2))

    @property
    def share(self) -> Fraction:
        """Share of the records that an epoch looks at: 1, or less with `drop_last`."""
        if not self.drop_last or self.records is None or self.batch_size is None:
            return Fraction(1)
        return Fraction(self.records // self.batch_size * self.batch_size, self.records)


def batches_of_history(
    history: Sequence[Phase], batches: str, *, steps_per_epoch: int | None = None, **stated: Any
) -> BatchedTraining:
    """A training of which a history says σ, the rate and the steps, and somebody how it drew.

    Opacus with `poisson_sampling=False` writes 1/T as the rate, where T is the number of batches.

    Examples
    --------
    >>> batches_of_history([Phase(1.0, 0.03125, 80)], "shuffled").epochs
    2
    """
    if len(history) != 1:
        raise InvalidArgument(
            f"Expected a history of one noise and one rate with {batches} batches, got "
            f"{len(history)} kinds of steps. Ask for each of them alone."
        )
    [phase] = history
    steps, rate, way = steps_per_epoch, phase.sample_rate, Batches(batches)
    records, size = stated.get("records"), stated.get("batch_size")
    if records and size:
        if abs(rate / (size / records) - 1) <= _ROUNDED:  # the history's rate is b/n
            full, short = divmod(records, size)
            if steps is None:
                steps = full + (short > 0 and not stated.get("drop_last"))
        elif way is Batches.POISSON:
            raise InvalidArgument(
                f"Expected a batch of {rate} of all records, as the history samples them, got "
                f"batch_size={size} of records={records}. Correct the sizes, or leave them out."
            )
    if steps is None:
        steps = round(1 / rate)
        if abs(steps * rate - 1) > _ROUNDED:
            raise InvalidArgument(
                f"Expected a rate of one over a whole number, got {rate}. Say how many steps an "
                "epoch has, `steps_per_epoch`."
            )
    # A length that the rate contradicts would decide what holds. A rate of b/n belongs to n/b
    # steps, rounded up or down; samples without sizes are of rate 1/T.
    is_sampled = way is Batches.POISSON and not (records and size)
    most = _ROUNDED if is_sampled else rate * (1 - _ROUNDED)
    if abs(validate.integer(steps, "steps_per_epoch", least=1) * rate - 1) > most:
        raise InvalidArgument(
            f"Expected an epoch of about 1/{rate} steps, as the history's rate says, got "
            f"steps_per_epoch={steps}. Leave it out"
            f"{', or give `records` and `batch_size`' if way is Batches.POISSON else ''}."
        )
    epochs, extra = divmod(phase.steps, steps)
    return BatchedTraining(way, phase.noise_multiplier, steps, epochs, extra, **stated)


def _refuse(training: BatchedTraining) -> None:
    """Refuse what nothing is known of, with the nearest that something is."""
    way, neighbours, many = training.batches, training.neighbours, training.records_per_person
    if way in (*OF_SHUFFLES, Batches.FIXED_ORDER) and neighbours is Neighbours.ADD_REMOVE:
        raise InvalidArgument(
            f"Expected zero-out or replace-one neighbours with {way} batches, got add-remove. One "
            "record less shifts all later batches, and the number of steps may tell. Ask for "
            "zero-out: the record's gradient is 0, and batches stay."
        )
    needs_sizes = way is Batches.WITHOUT_REPLACEMENT or (
        training.drop_last or (many > 1 and way in OF_SHUFFLES)
    )
    if needs_sizes and (training.records is None or training.batch_size is None):
        raise InvalidArgument(
            "Expected `records` and `batch_size`, got none. The answer depends on them with "
            f"{way} batches{' of several records a person' if many > 1 else ''}."
        )
    if None not in (training.records, training.batch_size) and (
        training.batch_size > training.records  # type: ignore[operator] # both are numbers here
    ):
        raise InvalidArgument(
            f"Expected a batch of at most all records, got batch_size={training.batch_size} of "
            f"records={training.records}."
        )
    if training.drop_last and way not in OF_SHUFFLES:
        raise InvalidArgument(
            f"Expected `drop_last` with shuffled batches, got {way}. Leave it out: only a shuffle "
            "leaves out other records in each epoch."
        )
    if many > 1:
        _check_person(training)
    if training.records is None or training.batch_size is None:
        return
    full, short = divmod(training.records, training.batch_size)
    lengths = {full, full + (short > 0)}
    if training.batches in OF_SHUFFLES:
        lengths = {full if training.drop_last else full + (short > 0)}
    if training.steps_per_epoch not in lengths:
        raise InvalidArgument(
            f"Expected an epoch of {min(lengths)} steps with batch_size={training.batch_size} of "
            f"records={training.records}{' and drop_last' if training.drop_last else ''}, got "
            f"steps_per_epoch={training.steps_per_epoch}. Leave it out, or correct the sizes."
        )


def _check_person(training: BatchedTraining) -> None:
    """Refuse several records of one person where nothing is known of them."""
    way, neighbours, many = training.batches, training.neighbours, training.records_per_person
    if training.records is not None and many > training.records:
        raise InvalidArgument(
            f"Expected at most all {training.records} records to be one person's, got {many}."
        )
    if many > _MOST_PERSON:
        raise InvalidArgument(f"Expected at most {_MOST_PERSON} records a person, got {many}.")
    replaces = neighbours is Neighbours.REPLACE_ONE and way is not Batches.FIXED_ORDER
    if replaces or way is Batches.WITHOUT_REPLACEMENT:
        raise InvalidArgument(
            f"Expected one record a person with {way} batches and {neighbours} neighbours, got "
            f"records_per_person={many}. Ask for zero-out neighbours"
            f"{' and poisson batches' if way is Batches.WITHOUT_REPLACEMENT else ''}."
        )


# --- How batches were drawn, as commands and callers say it beside a history or its numbers.


POISSON = str(Batches.POISSON)
"""The way of drawing of numbers that are given without a history: a rate and steps."""
_POISSON = (None, Neighbours.ZERO_OUT, Neighbours.ADD_REMOVE)
"""Neighbours of Poisson samples that the curve of single records is about."""


def drawn_history(
    history: tuple[Phase, ...], batches: str | None, **stated: Any
) -> tuple[Phase, ...] | BatchedTraining:
    """The history itself where batches were Poisson samples of single records; else a training.

    The way of drawing is None for Poisson samples. `neighbours`, `steps_per_epoch`, `records`,
    `batch_size`, `drop_last` and `records_per_person` may be stated, each None where it was not.
    """
    given = {name: value for name, value in stated.items() if value is not None}
    if batches is None:
        if given:
            raise InvalidArgument(
                f"Expected `batches` with `{next(iter(given))}`, got it without. Say how batches "
                f"were drawn: {', '.join(Batches)}."
            )
        return history
    way = way_of(batches)
    single = given.get("records_per_person", 1) == 1
    if way is Batches.POISSON and single and given.get("neighbours") in _POISSON:
        if given.keys() - {"neighbours", "records_per_person"}:
            batches_of_history(history, way, **given)  # refuses what the history contradicts
        return history
    return batches_of_history(history, way, **given)


def stated_training(
    batches: str,
    *,
    noise_multiplier: float,
    epochs: int | None,
    steps_per_epoch: int | None = None,
    **stated: Any,
) -> BatchedTraining:
    """A training by T or by n and b: T is n/b, rounded up, or down where records are dropped.

    The rest is stated as for `drawn_history`.
    """
    given = {name: value for name, value in stated.items() if value is not None}
    if steps_per_epoch is None and {"records", "batch_size"} <= given.keys():
        records, size = (
            given["records"],
            validate.integer(given["batch_size"], "batch_size", least=1),
        )
        steps_per_epoch = records // size if given.get("drop_last") else -(-records // size)
    way = way_of(batches)
    if steps_per_epoch is None or epochs is None:
        raise InvalidArgument(
            "Expected `steps_per_epoch` and `epochs`, or `records`, `batch_size` and `epochs`, "
            "got fewer. Say how long an epoch is, and how many there are."
        )
    return BatchedTraining(way, noise_multiplier, steps_per_epoch, epochs, **given)
