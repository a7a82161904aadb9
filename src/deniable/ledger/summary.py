"""What a book adds up to: what was spent, what is left, and what may be believed."""

import os
from fractions import Fraction
from itertools import accumulate
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.ledger import units
from deniable.ledger.beliefs import (
    Beliefs,
    Rung,
    WholeBudget,
    after,
    after_everything,
    rung_above,
    so_far,
)
from deniable.ledger.charge import Amount, Charge, State, spent
from deniable.ledger.dataset import Dataset, Measure
from deniable.ledger.ledger import Ledger
from deniable.ledger.overview import Overview
from deniable.numerics.answer import Answer
from deniable.numerics.rounding import directed, lower, upper

_charts: Any = late("deniable.ledger.page")

_MOMENTS = 60
"""Points of the picture of beliefs: a chart of a page shows no more, and each takes 1 ms."""
_NEWEST = 200
"""Charges whose texts are read: as many as a page shows; the export has all."""
_EVEN = 0.5
"""Belief beforehand that sentences speak of, where the adversary's range holds it."""


@attrs.frozen
class Moment:
    """What might be believed once so many charges had been entered.

    Parameters
    ----------
    charges : int
        How many, voided ones among them.
    belief : float
        The largest belief of somebody who began with the summary's prior.
    """

    charges: int
    belief: float


@attrs.frozen(repr=False)
class Summary(Answer):
    """One dataset's book; for those who keep it.

    Parameters
    ----------
    place : str
        The file, or the server's host and database.
    dataset : Dataset
        What was fixed when it was made.
    amounts : tuple of Amount
        The book without its texts: each entry's charge, state and units, first to last.
    newest : tuple of Charge
        All entries of the newest charges, first to last.
    head : str
        Digest of the newest entry: two copies that went different ways differ in it.
    everything : WholeBudget
        What holds after everything that is ever published.
    so_far : Beliefs
        What holds after what was charged until now.
    """

    OWNER_ONLY = True

    place: str
    dataset: Dataset
    amounts: tuple[Amount, ...]
    newest: tuple[Charge, ...]
    head: str
    everything: WholeBudget
    so_far: Beliefs

    @property
    def spent(self) -> int:
        """Units of all charges that are not void."""
        return spent(self.amounts)

    @property
    def left(self) -> int:
        """Units that may still be charged."""
        return self.dataset.budget - self.spent

    @property
    def prior(self) -> float:
        """The belief beforehand that sentences and pictures speak of."""
        return told_prior(self.dataset)

    @property
    def like_the_last(self) -> int | None:
        """How many more of the size of the last charge are left; None before the first."""
        void = {each.id for each in self.amounts if each.state is State.VOID}
        for each in reversed(self.amounts):
            if each.state is State.CHARGED and each.id not in void:
                return self.left // each.units
        return None

    @property
    def open_charges(self) -> tuple[Amount, ...]:
        """Charges that are neither released nor void: underway, or given up."""
        ended = {each.id for each in self.amounts if each.state is not State.CHARGED}
        return tuple(each for each in self.amounts if each.id not in ended)

    @property
    def charges(self) -> int:
        """How many there were, voided ones among them."""
        return sum(each.state is State.CHARGED for each in self.amounts)

    @property
    def path(self) -> tuple[Moment, ...]:
        """Beliefs as charges accumulated, first to last; worked out when it is asked for."""
        return _path(self.dataset, self.amounts)

    def belief(self, beliefs: Beliefs) -> float:
        """The largest belief of somebody who began with `prior`."""
        return next(each.upper for each in beliefs.posterior if each.prior == self.prior)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; amounts are rounded to the safe side."""
        dataset = self.dataset
        return {
            "place": self.place,
            "dataset": dataset.name,
            "entity": dataset.entity,
            "unit": dataset.unit,
            "adjacency": str(dataset.adjacency),
            "adversary": {"prior": [dataset.adversary.low, dataset.adversary.high]},
            "target": dataset.target.as_json(),
            "measure": str(dataset.measure),
            "budget": at_least(dataset.budget),
            "spent": at_most(self.spent),
            "left": at_least(self.left),
            "units": {"budget": dataset.budget, "spent": self.spent, "left": self.left},
            "like_the_last": self.like_the_last,
            "posterior": self.everything.beliefs.as_json()["posterior"],
            "exceedance": self.everything.beliefs.exceedance,
            "so_far": self.so_far.as_json(),
            "open": [each.id for each in self.open_charges],
            "entries": len(self.amounts),
            "head": self.head,
        }

    def plot(self) -> Any:
        """What may be believed as charges accumulate; for those who keep the ledger.

        Returns
        -------
        altair.Chart
            Needs the extra publish.
        """
        return _charts.ledger_chart(self)


def show(ledger: Ledger | str | os.PathLike[str], dataset: str | None = None) -> Summary:
    """What was spent on the people of a dataset, and what may be believed after all of it.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    dataset : str, optional
        Whose book; may be left out where there is one.

    Returns
    -------
    Summary
        For those who keep the ledger: how many charges there were is not public.

    Raises
    ------
    InvalidArgument
        If there is no such dataset, or none is named and there are several.
    LedgerError
        If the ledger cannot be read, or is none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new, show
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", epsilon=1.0)
    ...     answer = show(file)
    >>> answer.spent, round(answer.belief(answer.everything.beliefs), 3)
    (0, 0.731)
    """
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    return summary(there, selected, there.overview(selected.name, _NEWEST))


def summary(ledger: Ledger, dataset: Dataset, book: Overview) -> Summary:
    """What a book that was read adds up to."""
    return Summary(
        place=ledger.shown,
        dataset=dataset,
        amounts=book.amounts,
        newest=book.newest,
        head=book.head,
        everything=after_everything(dataset),
        so_far=so_far(dataset, book.amounts),
    )


def ledger_of(ledger: Ledger | str | os.PathLike[str]) -> Ledger:
    """A ledger as a value, however it was named."""
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)


def one_dataset(ledger: Ledger, name: str | None) -> Dataset:
    """The dataset of that name, or the only one."""
    if name is not None:
        return ledger.dataset(name)
    datasets = ledger.datasets()
    if len(datasets) != 1:
        names = ", ".join(repr(each.name) for each in datasets)
        raise InvalidArgument(
            f"Expected `dataset`, since {ledger.shown} has {len(datasets)}, got none. Name one of "
            f"{names}."
        )
    return datasets[0]


def told_prior(dataset: Dataset) -> float:
    """50 in 100 where the adversary may believe that, otherwise the most that they may."""
    adversary = dataset.adversary
    return _EVEN if adversary.low <= _EVEN <= adversary.high else adversary.high


def at_most(amount: int) -> float:
    """So many units as a float, rounded up."""
    with directed() as r:
        return upper(r(Fraction(units.amount(amount))))


def at_least(amount: int) -> float:
    """So many units as a float, rounded down."""
    with directed() as r:
        return lower(r(Fraction(units.amount(amount))))


def _path(dataset: Dataset, amounts: tuple[Amount, ...]) -> tuple[Moment, ...]:
    """Beliefs before the first charge, after the last, and after evenly many in between."""
    charges = (each.units for each in amounts if each.state is State.CHARGED)
    totals = list(accumulate(charges, initial=0))
    last = len(totals) - 1
    numbers = sorted({round(last * step / _MOMENTS) for step in range(_MOMENTS + 1)})
    if last <= _MOMENTS:
        numbers = list(range(last + 1))
    prior = told_prior(dataset)
    known: dict[tuple[Rung | int, bool], float] = {}
    moments = []
    for number in numbers:
        total = totals[number]
        in_rho = dataset.measure is Measure.RHO
        key = (rung_above(dataset, total) if in_rho else total, total > 0)
        if key not in known:
            beliefs = after(dataset, total)
            known[key] = next(each.upper for each in beliefs.posterior if each.prior == prior)
        moments.append(Moment(number, known[key]))
    return tuple(moments)
