"""How batches were drawn, as commands and callers say it beside a history or its numbers."""

from typing import Any

from deniable.errors import InvalidArgument
from deniable.notions.training import Phase
from deniable.training.batches.batched import (
    BatchedTraining,
    Batches,
    Neighbours,
    batches_of_history,
    way_of,
)

POISSON = str(Batches.POISSON)
"""The way of drawing of numbers that are given without a history: a rate and steps."""
WAYS = {
    Batches.ALLOCATION: "Each record drew one step of each epoch, by itself and by chance.",
    Batches.ALLOCATION_ONCE: "Each record drew one step, by itself and by chance, and took part in "
    "this step of every epoch.",
    Batches.SHUFFLED: "Records were shuffled by chance before each epoch and cut into batches.",
    Batches.SHUFFLED_ONCE: "Records were shuffled by chance once and cut into the same batches in "
    "every epoch.",
    Batches.FIXED_ORDER: "Records stood in an order that anybody may know, and each was in one "
    "batch of each epoch.",
    Batches.WITHOUT_REPLACEMENT: "Each step drew a batch of this size by chance, anew and without "
    "replacement.",
    Batches.POISSON: "In each step every record was taken with the stated probability, anew and "
    "independently of all other records and steps (Poisson sampling).",
}
"""How batches were drawn, by the trainer's word."""
_POISSON = (None, Neighbours.ZERO_OUT, Neighbours.ADD_REMOVE)
"""Neighbours of Poisson samples that the curve of single records is about."""


def drawn_history(
    history: tuple[Phase, ...], batches: str | None, **stated: Any
) -> tuple[Phase, ...] | BatchedTraining:
    """The history itself where batches were Poisson samples of single records; else a training.

    The way of drawing is None for Poisson samples. `neighbours`, `steps_per_epoch`, `records`,
    `batch_size`, `drop_last` and `records_per_person` may be stated, each None where it was not.
    """
    given = {name: value for name, value in stated.items() if value}
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
    records: int | None = None,
    batch_size: int | None = None,
    drop_last: bool | None = None,
    neighbours: str | None = None,
    records_per_person: int | None = None,
) -> BatchedTraining:
    """A training by T or by n and b: T is n/b, rounded up, or down where records are dropped."""
    way = way_of(batches)
    if steps_per_epoch is None and records is not None and batch_size is not None:
        steps_per_epoch = records // batch_size if drop_last else -(-records // batch_size)
    if steps_per_epoch is None or epochs is None:
        raise InvalidArgument(
            "Expected `steps_per_epoch` and `epochs`, or `records`, `batch_size` and `epochs`, "
            "got fewer. Say how long an epoch is, and how many there are."
        )
    return BatchedTraining(
        way,
        noise_multiplier,
        steps_per_epoch,
        epochs,
        neighbours=neighbours or Neighbours.ZERO_OUT,
        records=records,
        batch_size=batch_size,
        drop_last=bool(drop_last),
        records_per_person=records_per_person or 1,
    )
