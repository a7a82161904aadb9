"""Books in a database: what may be entered, and in which order, whatever database it is."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import attrs

from deniable.errors import BudgetExceeded, InvalidArgument, LedgerError, NotApplicable
from deniable.ledger import tables, units
from deniable.ledger.charge import Charge, State, chain_start, link
from deniable.ledger.dataset import Dataset, read_aloud
from deniable.ledger.tables import Database, MaybeKept, Row, Sums
from deniable.ledger.units import Spending

T = TypeVar("T")


@attrs.define
class Book:
    """Books that are added to and never changed, one a dataset, in SQLite or PostgreSQL.

    What `create`, `enter` and `end` return is kept, whatever happens to the process or the machine
    afterwards, and what raises has not been written.
    """

    database: Database
    _version: int = attrs.field(default=tables.VERSION, init=False)
    """The state of the tables, known once they were looked at."""

    def create(self, dataset: Dataset) -> None:
        """Begin a book, and make the tables for the first one."""
        with self.database.writing():
            if version := self.database.version():
                self._version = version
            else:
                self.database.install()
            tables.check_place(dataset, self._version, self.database.place)
            names = [row[0] for row in self._rows(tables.READ_DATASETS)]
            for name in names:
                if read_aloud(name) == read_aloud(dataset.name):
                    raise InvalidArgument(
                        f"Expected a new dataset in {self.database.place}, got {dataset.name!a}, "
                        f"and {name!a} is there. Choose another name: what a dataset allows is "
                        "fixed when it is made."
                    )
            row = tables.dataset_row(dataset)
            row = tables.in_columns(row, tables.DATASET_COLUMNS, self._version)
            self._rows(tables.ADD_DATASET, [len(names) + 1, *row])

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A block that sees one state of all books; refused where there is no ledger."""
        with self.database.reading():
            self._installed()
            yield

    def values(
        self, value_of: Callable[[Row], T], statement: str, *parameters: Any
    ) -> tuple[T, ...]:
        """Return the value of each row that a statement reads."""
        # What we would not have written is no value of ours.
        try:
            return tuple(value_of(row) for row in self._rows(statement, parameters))
        except (TypeError, ValueError):
            raise LedgerError(
                f"Expected rows that Deniable wrote in {self.database.place}, got another. Go on "
                "from a copy that holds."
            ) from None

    def dataset(self, name: str) -> Dataset:
        """Return the dataset of that name."""
        if datasets := self.values(tables.dataset_of, tables.READ_DATASET, name):
            return datasets[0]
        names = [row[0] for row in self._rows(tables.READ_DATASETS)]
        raise InvalidArgument(
            f"Expected a dataset of {self.database.place}, got {name!a}. "
            f"It has {', '.join(map(ascii, names)) or 'none'}."
        )

    def begun(self, name: str) -> Dataset:
        """Return the dataset of that name, as it was when its first entry was made."""
        there = self.dataset(name)
        for first in self.values(tables.entry_of, tables.READ_FIRST, name):
            if first.previous != chain_start(there):
                raise LedgerError(
                    f"Expected {name!r} in {self.database.place} as it was when its book began, "
                    "got one that was changed. See deniable ledger check; go on from a copy that "
                    "holds."
                )
        return there

    def total(self, name: str) -> Sums:
        """Return how many entries a dataset has, and what all payers spent together."""
        [(number, spent, exposed)] = self._rows(tables.SUM_ENTRIES, [name])
        return Sums(number, of={"": Spending(int(spent), int(exposed))})

    def sums(self, name: str, known: Sums) -> Sums:
        """Add what came after to each payer's; from the beginning, if those are of another book."""
        if self._rows(tables.READ_DIGEST, [name, known.number]) != [(known.head,)]:
            known = Sums()
        number, spent = known.number, dict(known.of)
        for by, amount, exposed, last in self._rows(tables.SUM_PAYERS, [name, number]):
            spent[by] = spent.get(by, Spending(0)) + Spending(int(amount), int(exposed or 0))
            number = max(number, last)
        heads = self._rows(tables.READ_DIGEST, [name, number])
        return Sums(number, heads[0][0] if heads else "", spent)

    def enter(self, of: str | Dataset, **fields: Any) -> Charge:
        """Add the next entry of a book once; never again where nobody can say whether it is in."""
        try:
            return self._entered(of, **fields)
        except MaybeKept:
            raise MaybeKept(
                f"Expected {self.database.place} to say that charge {fields['id']} is "
                f"{fields['state']}, got the end of the connection: that may or may not be in the "
                "book. Look for this ID before you try again: deniable ledger export lists all."
            ) from None

    def end(self, charge: str, state: State, *, by: str | None = None, **fields: str) -> Charge:
        """Enter that what a charge paid for was released, or that nothing of it ever was."""
        with self.reading():
            wish = "void" if state is State.VOID else "entered as released"
            first = self._not_ended(charge, wish)
        given_back = Spending(0)
        if state is State.VOID:
            given_back = Spending(first.units, first.exposure or 0)
        return self.enter(
            first.dataset,
            id=first.id,
            what=first.what,
            plan_sha256=first.plan_sha256,
            cost=Spending(0) - given_back,
            by=first.by if by is None else by,
            state=state,
            **fields,
        )

    def _entered(
        self,
        of: str | Dataset,
        cost: Spending,
        share: int | None = None,
        known: Sums | None = None,
        **fields: Any,
    ) -> Charge:
        """Add the next entry of a book, while nobody else adds one."""
        dataset = of if isinstance(of, str) else of.name
        with self.database.writing(dataset):
            self._installed()
            there = self.begun(dataset)
            if isinstance(of, Dataset) and there != of:
                raise LedgerError(
                    f"Expected {dataset!r} in {self.database.place} as it was a moment ago, got "
                    "another: the ledger was replaced. Look which one holds, and try again."
                )
            if fields["state"] is State.CHARGED:
                check_exposure(there, cost)
                sums = self.total(dataset) if known is None else self.sums(dataset, known)
                number, left, payer = sums.number, there.spending - sums.total, None
                if share is not None:
                    own = share - sums.of.get(fields["by"], Spending(0)).units
                    payer = fields["by"] if own < left.units else None
                    left = Spending(min(left.units, own), left.exposure)
                if not cost.fits(left):
                    raise BudgetExceeded(f"{beyond(there, cost, left, payer)} Ask for less.")
            else:
                self._not_ended(fields["id"])
                [(number,)] = self._rows(tables.LAST_NUMBER, [dataset])
            stated = {
                "because": None,
                "statement_sha256": None,
                **fields,
                "units": cost.units,
                "exposure": None if there.exposure is None else cost.exposure,
                "dataset": dataset,
                "at": datetime.now(UTC).isoformat(timespec="microseconds"),
                "previous": self._head(there),
            }
            entry = Charge(**stated, sha256=link(stated))
            row = tables.entry_row(entry)
            row = tables.in_columns(row, tables.ENTRY_COLUMNS, self._version)
            self._rows(tables.ADD_ENTRY, [number + 1, *row])
        return entry

    def _not_ended(self, charge: str, wish: str = "ended") -> Charge:
        """Return the charge of that ID, which is neither released nor void."""
        charges = self.values(tables.entry_of, tables.READ_ONE, charge)
        if not charges:
            raise InvalidArgument(
                f"Expected the ID of a charge in {self.database.place}, got {charge!a}. "
                "deniable ledger show lists them."
            )
        if len(charges) > 1:
            raise InvalidArgument(
                f"Expected a charge that is still open to be {wish}, got {charge}, which is "
                f"{charges[-1].state}."
            )
        return charges[0]

    def _head(self, dataset: Dataset) -> str:
        """The digest that the next entry names: that of the last one, or of the dataset."""
        last = self.values(tables.entry_of, tables.READ_LAST, dataset.name)
        if last and not last[0].linked:
            raise LedgerError(
                f"Expected the last entry of {dataset.name!r} in {self.database.place} to fit its "
                "digest, got one that was changed. See deniable ledger check; go on from a copy "
                "that holds."
            )
        return last[0].sha256 if last else chain_start(dataset)

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self.database.rows(tables.in_version(statement, self._version), values)

    def _installed(self) -> None:
        self._version = self.database.version()
        if not self._version:
            raise LedgerError(
                f"Expected a ledger at {self.database.place}, got none. Make one: deniable ledger "
                "new."
            )


def beyond(dataset: Dataset, wanted: Spending, left: Spending, payer: str | None = None) -> str:
    """What does not fit what is left, of all or of a payer's share: measure, exposure, or both."""
    amounts, gaps = [], []
    if wanted.units > left.units:
        most, more = units.format_distinct(left.units, wanted.units)
        amounts.append(f"{dataset.measure} {most}")
        gaps.append(f"{dataset.measure} {more}" if wanted.exposure > left.exposure else more)
    if wanted.exposure > left.exposure:
        per = units.EXPOSURE_UNITS
        most, more = units.format_distinct(left.exposure, wanted.exposure, per)
        amounts.append(f"exposure {most}")
        gaps.append(f"exposure {more}")
    return (
        f"Expected to spend at most {' and '.join(amounts)}, which is left of "
        f"{'' if payer is None else f'the share of {payer} in '}{dataset.name!r}, "
        f"got {' and '.join(gaps)}."
    )


def check_exposure(dataset: Dataset, cost: Spending) -> None:
    """Refuse to charge exposure to a dataset that has no budget of it."""
    if cost.exposure and dataset.exposure is None:
        some = dataset.exceedance / 1000 or 1e-9
        raise NotApplicable(
            f"Expected listed keys, since {dataset.name!r} has no budget of exposure, got keys "
            "that nobody knows. List the keys, or make a dataset that has one: deniable ledger "
            f"new --exposure {some:g}."
        )
