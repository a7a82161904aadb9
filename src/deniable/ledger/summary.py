"""What a book adds up to: what was spent, what is left, and what may be believed."""

import os
from itertools import accumulate
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.ledger import units
from deniable.ledger.beliefs import (
    Beliefs,
    WholeBudget,
    after,
    after_everything,
    charged,
    rung_above,
    so_far,
)
from deniable.ledger.charge import Amount, Charge, State, spent
from deniable.ledger.dataset import Dataset, Measure
from deniable.ledger.households import (
    Read,
    checked_households,
    read_groups,
    read_household,
    read_member,
)
from deniable.ledger.ledger import Ledger
from deniable.ledger.tables import Overview
from deniable.ledger.units import Spending, at_least, at_most
from deniable.numerics.answer import Answer, display, fields_of
from deniable.theorems.analysis import Households

_MOMENTS = 60
"""Points of the picture of beliefs: a chart of a page shows no more, and each takes 1 ms."""
_NEWEST = 200
"""Charges whose texts are read: as many as a page shows; the export has all."""
_EVEN = 0.5
"""Belief beforehand that sentences speak of, where the adversary's range holds it."""


@attrs.frozen
class Moment:
    """What might be believed once so many charges had been entered, voided ones among them.

    `belief` is the largest of somebody who began with the summary's prior.
    """

    charges: int
    belief: float


@attrs.frozen(repr=False)
class Summary(Answer):
    """One dataset's book; for those who keep it.

    `place` is the file, or the server's host and database. `amounts` is the book without its texts,
    `newest` all entries of the newest charges, both first to last; `head` is the digest of the
    newest entry, in which two copies that went different ways differ. `everything` holds after all
    that is ever published, `so_far` after what was charged until now. `households` are those in
    question, or in the dataset's target.
    """

    OWNER_ONLY = True

    place: str
    dataset: Dataset
    amounts: tuple[Amount, ...]
    newest: tuple[Charge, ...]
    head: str
    everything: WholeBudget
    so_far: Beliefs
    households: Households | None = None

    @property
    def spending(self) -> Spending:
        """What all charges took that are not void."""
        return spent(self.amounts)

    @property
    def spent(self) -> int:
        """Units of all charges that are not void."""
        return self.spending.units

    @property
    def left(self) -> int:
        """Units that may still be charged."""
        return self.dataset.budget - self.spent

    @property
    def exposure_left(self) -> int:
        """Units of exposure that may still be charged; 0 without a budget of it."""
        return (self.dataset.exposure or 0) - self.spending.exposure

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
                more = self.left // each.units
                if each.exposure:
                    more = min(more, self.exposure_left // each.exposure)
                return more
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
        # Beliefs before the first charge, after the last, and after evenly many in between.
        dataset = self.dataset
        charges = (spent([each]) for each in self.amounts if each.state is State.CHARGED)
        totals = list(accumulate(charges, initial=Spending(0)))
        last = len(totals) - 1
        numbers = sorted({round(last * step / _MOMENTS) for step in range(_MOMENTS + 1)})
        if last <= _MOMENTS:
            numbers = list(range(last + 1))
        prior = told_prior(dataset)
        known: dict[Spending, float] = {}
        moments = []
        for number in numbers:
            total = totals[number]
            key = _seen(dataset, total)
            if key not in known:
                beliefs = after(dataset, total)
                known[key] = next(each.upper for each in beliefs.posterior if each.prior == prior)
            moments.append(Moment(number, known[key]))
        return tuple(moments)

    @property
    def household(self) -> Read | None:
        """Beliefs in one person of the households; None where none are named."""
        if self.households is None or self.dataset.by_household:
            return None
        return read_household(self.dataset, charged(self.amounts), self.households)

    @property
    def member(self) -> Read | None:
        """Beliefs in one member of a household that is the entity; None of a person."""
        return read_member(self.dataset, charged(self.amounts))

    @property
    def together(self) -> tuple[tuple[int, Read], ...]:
        """Beliefs in one of 1, 2, 3, 5 or 10 people who are all in or all out."""
        return read_groups(self.dataset, charged(self.amounts))

    def belief(self, beliefs: Beliefs) -> float:
        """The largest belief of somebody who began with `prior`."""
        return next(each.upper for each in beliefs.posterior if each.prior == self.prior)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; amounts are rounded to the safe side."""
        dataset = self.dataset
        exposure = {} if dataset.exposure is None else {"exposure": self._exposure_as_json()}
        return (
            self._households_as_json()
            | exposure
            | {
                "place": self.place,
                "dataset": dataset.name,
                **fields_of(dataset, "entity", "unit"),
                "adjacency": str(dataset.adjacency),
                "adversary": {"prior": [dataset.adversary.low, dataset.adversary.high]},
                "target": dataset.target.as_json(),
                "measure": str(dataset.measure),
                "budget": at_least(dataset.budget),
                "spent": at_most(self.spent),
                "left": at_least(self.left),
                "units": {"budget": dataset.budget, "spent": self.spent, "left": self.left},
                "like_the_last": self.like_the_last,
                **{
                    name: value
                    for name, value in self.everything.beliefs.as_json().items()
                    if name in ("posterior", "exceedance", "exceedance_either_end")
                },
                "so_far": self.so_far.as_json(),
                "open": [each.id for each in self.open_charges],
                "entries": len(self.amounts),
                "head": self.head,
            }
        )

    def _households_as_json(self) -> dict[str, Any]:
        """What holds of people who belong together, where there is a bound."""
        answer: dict[str, Any] = {}
        if (household := self.household) is not None and self.households is not None:
            model, value = self.households.model or (None, None)
            stated = {"size": self.households.size, "model": model, "value": value}
            answer["household"] = stated | household.as_json()
        if (member := self.member) is not None:
            answer["member"] = member.as_json()
        if groups := self.together:
            answer["together"] = [
                {
                    "people": people,
                    "prior": self.prior,
                    "posterior": self.belief(read.everything),
                    "so_far": self.belief(read.so_far),
                }
                for people, read in groups
            ]
        return answer

    def _exposure_as_json(self) -> dict[str, Any]:
        """The budget of exposure, in probabilities rounded to the safe side, and in 2⁻⁵⁰."""
        amounts = {
            "budget": self.dataset.exposure or 0,
            "spent": self.spending.exposure,
            "left": self.exposure_left,
        }
        exact = {name: float(units.exposure(each)) for name, each in amounts.items()}
        return exact | {"units": amounts}

    def plot(self) -> Any:
        """What may be believed as charges accumulate; for those who keep the ledger.

        Returns
        -------
        altair.Chart
            Needs the extra publish.
        """
        return display(self, "plot")


def show(
    ledger: Ledger | str | os.PathLike[str],
    dataset: str | None = None,
    *,
    household: int | None = None,
    odds_ratio: float | None = None,
    icc: float | None = None,
    difference: float | None = None,
) -> Summary:
    """Return what was spent on the people of a dataset, and what an attacker can conclude.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    dataset : str, optional
        Whose book; may be left out where there is one.
    household : int, optional
        Also bound beliefs in one of up to so many people who belong together. The bound is read
        off the sum of all releases: what households reveal does not add up.
    odds_ratio, icc, difference : float, optional
        One model of how their memberships are tied, as in `explain_households`; left out, in any
        way.

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
    ...     _ = new(file, "visits", entity="patient", epsilon=1.0)
    ...     answer = show(file)
    >>> answer.spent, round(answer.belief(answer.everything.beliefs), 3)
    (0, 0.731)
    """
    households = checked_households(
        household, odds_ratio=odds_ratio, icc=icc, difference=difference
    )
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    answer = summary(there, selected, there.overview(selected.name, _NEWEST), households)
    if households is not None:  # a household that nothing bounds is refused now
        read_household(selected, Spending(0), households)
    return answer


def summary(
    ledger: Ledger, dataset: Dataset, book: Overview, households: Households | None = None
) -> Summary:
    """What a book that was read adds up to."""
    return Summary(
        households=households or dataset.households,
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
    """50 % where the adversary may believe that, otherwise the most that they may."""
    adversary = dataset.adversary
    return _EVEN if adversary.low <= _EVEN <= adversary.high else adversary.high


def _seen(dataset: Dataset, spent: Spending) -> Spending:
    """Return what beliefs depend on: in ρ the rung, and of exposure its own."""
    if dataset.measure is Measure.EPSILON or not spent.fits(dataset.spending):
        return spent
    rung = rung_above(dataset, spent.units).units if spent.units else 0
    return Spending(rung, min(spent.exposure, 1))
