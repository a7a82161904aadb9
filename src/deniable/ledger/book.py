"""Books in a database: what may be entered, and in which order, whatever database it is."""

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import attrs

from deniable.errors import BudgetExceeded, InvalidArgument, LedgerError, NotApplicable
from deniable.ledger import tables, units
from deniable.ledger.charge import Charge, State, chain_start, link
from deniable.ledger.dataset import Dataset, read_aloud
from deniable.ledger.tables import Database, MaybeKept, Overview, Row
from deniable.ledger.units import Spending

T = TypeVar("T")


@attrs.define
class Book:
    """Books that are added to and never changed, one a dataset, in SQLite or PostgreSQL.

    Every method is one transaction: what it returns is kept, whatever happens to the process or
    the machine afterwards, and what raises has not been written.
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

    def datasets(self) -> tuple[Dataset, ...]:
        """All datasets, in the order in which they were made."""
        with self.database.reading():
            self._installed()
            rows = self._rows(tables.READ_DATASETS)
        return tuple(self._read(tables.dataset_of, row) for row in rows)

    def dataset(self, name: str) -> Dataset:
        """One of them."""
        with self.database.reading():
            self._installed()
            return self._dataset(name)

    def entries(self, name: str) -> tuple[Charge, ...]:
        """All entries of a dataset's book, first to last."""
        with self.database.reading():
            self._installed()
            self._dataset(name)
            rows = self._rows(tables.READ_ENTRIES, [name])
        return tuple(self._read(tables.entry_of, row) for row in rows)

    def overview(self, name: str, newest: int) -> Overview:
        """All amounts of a dataset's book, and all of what is said of its newest charges."""
        with self.database.reading():
            self._installed()
            there = self._begun(name)
            amounts = self._rows(tables.READ_AMOUNTS, [name])
            rows = self._rows(tables.READ_NEWEST, [name, name, newest])
            last = self._rows(tables.READ_LAST, [name])
        return Overview(
            tuple(self._read(tables.amount_of, row) for row in amounts),
            tuple(self._read(tables.entry_of, row) for row in rows),
            self._read(tables.entry_of, last[0]).sha256 if last else chain_start(there),
        )

    def spent(self, name: str) -> Spending:
        """What all charges took that are not void, added up in the database."""
        with self.database.reading():
            self._installed()
            self._dataset(name)
            return self._sum(name)[1]

    def open_charges(self, name: str, what: str) -> tuple[str, ...]:
        """IDs of charges with this label that are neither released nor void."""
        with self.database.reading():
            self._installed()
            self._dataset(name)
            return tuple(str(row[0]) for row in self._rows(tables.READ_OPEN, [name, what]))

    def charge(
        self,
        of: str | Dataset,
        cost: Spending,
        *,
        what: str,
        plan_sha256: str | None = None,
        by: str,
    ) -> Charge:
        """Spend as much, if it is left, and of no other dataset than was meant."""
        return self._enter(
            of,
            id=uuid.uuid4().hex,
            cost=cost,
            what=what,
            plan_sha256=plan_sha256,
            by=by,
            state=State.CHARGED,
        )

    def released(self, charge: str, statement_sha256: str) -> Charge:
        """Enter that what a charge paid for was released."""
        first = self._open_charge(charge, "entered as released")
        return self._enter(
            first.dataset,
            **_repeated_values(first),
            cost=Spending(0),
            by=first.by,
            state=State.RELEASED,
            statement_sha256=statement_sha256,
        )

    def void(self, charge: str, because: str, *, by: str) -> Charge:
        """Enter that nothing of a charge was ever released."""
        first = self._open_charge(charge, "void")
        return self._enter(
            first.dataset,
            **_repeated_values(first),
            cost=Spending(0) - Spending(first.units, first.exposure or 0),
            by=by,
            state=State.VOID,
            because=because,
        )

    def close(self) -> None:
        """Let go of the file or server."""
        self.database.close()

    def _enter(self, of: str | Dataset, **fields: Any) -> Charge:
        """Add the next entry of a book once; never again where nobody can say whether it is in."""
        try:
            return self._entered(of, **fields)
        except MaybeKept:
            raise MaybeKept(
                f"Expected {self.database.place} to say that charge {fields['id']} is "
                f"{fields['state']}, got the end of the connection: that may or may not be in the "
                "book. Look for this ID before you try again: deniable ledger export lists all."
            ) from None

    def _entered(self, of: str | Dataset, cost: Spending, **fields: Any) -> Charge:
        """Add the next entry of a book, while nobody else adds one."""
        dataset = of if isinstance(of, str) else of.name
        with self.database.writing(dataset):
            self._installed()
            there = self._begun(dataset)
            if isinstance(of, Dataset) and there != of:
                raise LedgerError(
                    f"Expected {dataset!r} in {self.database.place} as it was a moment ago, got "
                    "another: the ledger was replaced. Look which one holds, and try again."
                )
            number, spent = self._sum(dataset)
            check_exposure(there, cost)
            if not cost.fits(left := there.spending - spent):
                raise BudgetExceeded(f"{beyond(there, cost, left)} Ask for less.")
            if fields["state"] is not State.CHARGED:
                self._not_ended(fields["id"])
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

    def _open_charge(self, charge: str, wish: str) -> Charge:
        """The charge of that ID, which is neither released nor void."""
        with self.database.reading():
            self._installed()
            return self._not_ended(charge, wish)

    def _not_ended(self, charge: str, wish: str = "ended") -> Charge:
        rows = self._rows(tables.READ_ONE, [charge])
        charges = [self._read(tables.entry_of, row) for row in rows]
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
        rows = self._rows(tables.READ_LAST, [dataset.name])
        if not rows:
            return chain_start(dataset)
        last = self._read(tables.entry_of, rows[0])
        if not last.linked:
            raise LedgerError(
                f"Expected the last entry of {dataset.name!r} in {self.database.place} to fit its "
                "digest, got one that was changed. See deniable ledger check; go on from a copy "
                "that holds."
            )
        return last.sha256

    def _begun(self, name: str) -> Dataset:
        """The dataset of that name, as it was when its first entry was made."""
        there = self._dataset(name)
        for row in self._rows(tables.READ_FIRST, [name]):
            if self._read(tables.entry_of, row).previous != chain_start(there):
                raise LedgerError(
                    f"Expected {name!r} in {self.database.place} as it was when its book began, "
                    "got one that was changed. See deniable ledger check; go on from a copy that "
                    "holds."
                )
        return there

    def _dataset(self, name: str) -> Dataset:
        rows = self._rows(tables.READ_DATASET, [name])
        if not rows:
            names = [row[0] for row in self._rows(tables.READ_DATASETS)]
            raise InvalidArgument(
                f"Expected a dataset of {self.database.place}, got {name!a}. "
                f"It has {', '.join(map(ascii, names)) or 'none'}."
            )
        return self._read(tables.dataset_of, rows[0])

    def _sum(self, name: str) -> tuple[int, Spending]:
        """How many entries a dataset has, and what they add up to."""
        [(number, spent, exposed)] = self._rows(tables.SUM_ENTRIES, [name])
        return number, Spending(int(spent), int(exposed))

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self.database.rows(tables.in_version(statement, self._version), values)

    def _installed(self) -> None:
        self._version = self.database.version()
        if not self._version:
            raise LedgerError(
                f"Expected a ledger at {self.database.place}, got none. Make one: deniable ledger "
                "new."
            )

    def _read(self, value_of: Callable[[Row], T], row: Row) -> T:
        """The value of a row; what we would not have written is no value of ours."""
        try:
            return value_of(row)
        except (TypeError, ValueError):
            raise LedgerError(
                f"Expected rows that Deniable wrote in {self.database.place}, got another. Go on "
                "from a copy that holds."
            ) from None


def _repeated_values(first: Charge) -> dict[str, Any]:
    """What a later entry of a charge repeats."""
    return {"id": first.id, "what": first.what, "plan_sha256": first.plan_sha256}


def beyond(dataset: Dataset, wanted: Spending, left: Spending) -> str:
    """What does not fit what is left: the measure, the exposure, or both."""
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
        f"Expected to spend at most {' and '.join(amounts)}, which is left of {dataset.name!r}, "
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
