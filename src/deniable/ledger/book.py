"""Books in a database: what may be entered, and in which order, whatever database it is."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import attrs

from deniable.errors import BudgetExceeded, InvalidArgument, LedgerError
from deniable.ledger import tables, units
from deniable.ledger.charge import Charge, State, chain_start, link
from deniable.ledger.dataset import Dataset, read_aloud
from deniable.ledger.tables import Database, MaybeKept, Overview, Row

T = TypeVar("T")


@attrs.frozen
class Book:
    """A store (`deniable.ledger.tables.Store`) in SQLite or PostgreSQL."""

    database: Database

    def create(self, dataset: Dataset) -> None:
        """Begin a book, and make the tables for the first one."""
        with self.database.writing():
            if not self.database.installed():
                self.database.install()
            names = [row[0] for row in self.database.rows(tables.READ_DATASETS)]
            for name in names:
                if read_aloud(name) == read_aloud(dataset.name):
                    raise InvalidArgument(
                        f"Expected a new dataset in {self.database.place}, got {dataset.name!a}, "
                        f"and {name!a} is there. Choose another name: what a dataset allows is "
                        "fixed when it is made."
                    )
            row = tables.dataset_row(dataset)
            self.database.rows(tables.ADD_DATASET, [len(names) + 1, *row])

    def datasets(self) -> tuple[Dataset, ...]:
        """All datasets, in the order in which they were made."""
        with self.database.reading():
            self._installed()
            rows = self.database.rows(tables.READ_DATASETS)
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
            rows = self.database.rows(tables.READ_ENTRIES, [name])
        return tuple(self._read(tables.entry_of, row) for row in rows)

    def overview(self, name: str, newest: int) -> Overview:
        """All amounts of a dataset's book, and all of what is said of its newest charges."""
        with self.database.reading():
            self._installed()
            there = self._begun(name)
            amounts = self.database.rows(tables.READ_AMOUNTS, [name])
            rows = self.database.rows(tables.READ_NEWEST, [name, name, newest])
            last = self.database.rows(tables.READ_LAST, [name])
        return Overview(
            tuple(self._read(tables.amount_of, row) for row in amounts),
            tuple(self._read(tables.entry_of, row) for row in rows),
            self._read(tables.entry_of, last[0]).sha256 if last else chain_start(there),
        )

    def spent(self, name: str) -> int:
        """Units of all charges that are not void, added up in the database."""
        with self.database.reading():
            self._installed()
            self._dataset(name)
            [(_, spent)] = self.database.rows(tables.SUM_ENTRIES, [name])
        return int(spent)

    def charge(
        self, of: str | Dataset, units: int, *, what: str, plan_sha256: str | None = None, by: str
    ) -> Charge:
        """Spend so many units, if they are left, and of no other dataset than was meant."""
        return self._enter(
            of,
            id=uuid.uuid4().hex,
            units=units,
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
            units=0,
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
            units=-first.units,
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

    def _entered(self, of: str | Dataset, **fields: Any) -> Charge:
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
            [(number, spent)] = self.database.rows(tables.SUM_ENTRIES, [dataset])
            if fields["units"] > (left := there.budget - int(spent)):
                raise BudgetExceeded(_beyond(there, fields["units"], left))
            if fields["state"] is not State.CHARGED:
                self._not_ended(fields["id"])
            stated = {
                "because": None,
                "statement_sha256": None,
                **fields,
                "dataset": dataset,
                "at": datetime.now(UTC).isoformat(timespec="microseconds"),
                "previous": self._head(there),
            }
            entry = Charge(**stated, sha256=link(stated))
            self.database.rows(tables.ADD_ENTRY, [number + 1, *tables.entry_row(entry)])
        return entry

    def _open_charge(self, charge: str, wish: str) -> Charge:
        """The charge of that ID, which is neither released nor void."""
        with self.database.reading():
            self._installed()
            return self._not_ended(charge, wish)

    def _not_ended(self, charge: str, wish: str = "ended") -> Charge:
        rows = self.database.rows(tables.READ_ONE, [charge])
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
        rows = self.database.rows(tables.READ_LAST, [dataset.name])
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
        for row in self.database.rows(tables.READ_FIRST, [name]):
            if self._read(tables.entry_of, row).previous != chain_start(there):
                raise LedgerError(
                    f"Expected {name!r} in {self.database.place} as it was when its book began, "
                    "got one that was changed. See deniable ledger check; go on from a copy that "
                    "holds."
                )
        return there

    def _dataset(self, name: str) -> Dataset:
        rows = self.database.rows(tables.READ_DATASET, [name])
        if not rows:
            names = [row[0] for row in self.database.rows(tables.READ_DATASETS)]
            raise InvalidArgument(
                f"Expected a dataset of {self.database.place}, got {name!a}. "
                f"It has {', '.join(map(ascii, names)) or 'none'}."
            )
        return self._read(tables.dataset_of, rows[0])

    def _installed(self) -> None:
        if not self.database.installed():
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
    return {
        "id": first.id,
        "what": first.what,
        "plan_sha256": first.plan_sha256,
    }


def _beyond(dataset: Dataset, wanted: int, left: int) -> str:
    most, more = units.format_distinct(left, wanted)
    return (
        f"Expected to spend at most {dataset.measure} {most}, which is left of "
        f"{dataset.name!r}, got {more}. Ask for less."
    )
