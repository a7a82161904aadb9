"""A ledger that people name: a file, or a database of a server."""

import functools
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.guests import guests
from deniable.errors.late import NotInstalled
from deniable.ledger import tables
from deniable.ledger.book import Book
from deniable.ledger.charge import Amount, Charge, State, chain_start
from deniable.ledger.dataset import Dataset, line
from deniable.ledger.server import is_url, server_of
from deniable.ledger.sqlite import open_file
from deniable.ledger.tables import Overview, Sums
from deniable.ledger.units import Spending
from deniable.numerics.operating_system import user_name, user_number

PATIENCE = 30.0
"""Seconds to wait while others write: a charge takes some 20 ms, so that is a queue of 1,500."""


def _place(value: Any) -> str:
    place = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(place, str) or not place:
        raise InvalidArgument("Expected a ledger's file or URL, got something else.")
    if is_url(place):
        server_of(place)
    return place


def _seconds(value: Any) -> float:
    return validate.non_negative(value, "patience")


@attrs.frozen
class Ledger:
    """A record of what was spent on the same people: an SQLite file, or a PostgreSQL database.

    A file is opened for each question and let go of again. Of a server one idle session is kept
    until the process exits; one that was dropped is opened again before anything is asked, and
    what may or may not have been entered is never entered again. So a ledger may be kept, copied
    and shared by threads and processes. What is entered is kept, whatever happens to process or
    machine afterwards; nothing is ever changed or removed.

    Parameters
    ----------
    place : str or path
        A file, or ``postgresql://USER@HOST:PORT/DATABASE`` without a password.
    patience : float
        Seconds to wait while others write.

    Raises
    ------
    InvalidArgument
        If it is neither, or holds a password.

    Examples
    --------
    >>> Ledger("hospital.ledger")
    Ledger(place='hospital.ledger', patience=30.0)
    """

    place: str = attrs.field(converter=_place)
    patience: float = attrs.field(default=PATIENCE, converter=_seconds, kw_only=True)

    @property
    def shown(self) -> str:
        """The file, or the server's host and database without its user, for messages."""
        return server_of(self.place).label if is_url(self.place) else self.place

    def create(self, dataset: Dataset) -> None:
        """Begin a dataset's book, and make the ledger for the first one.

        Raises
        ------
        InvalidArgument
            If there is one of that name.
        LedgerError
            Like all methods: if the ledger cannot be read or written, or is none.
        """
        with self._book(make=True) as book:
            book.create(dataset)

    def datasets(self) -> tuple[Dataset, ...]:
        """All datasets, in the order in which they were made."""
        with self._reading() as book:
            return book.values(tables.dataset_of, tables.READ_DATASETS)

    def dataset(self, name: str) -> Dataset:
        """The dataset of that name."""
        with self._reading() as book:
            return book.dataset(name)

    def entries(self, name: str) -> tuple[Charge, ...]:
        """All entries of a dataset's book, first to last."""
        with self._reading() as book:
            book.dataset(name)
            return book.values(tables.entry_of, tables.READ_ENTRIES, name)

    def overview(self, name: str, newest: int) -> Overview:
        """All amounts of a dataset's book, and all of what is said of its newest charges."""
        with self._reading() as book:
            there = book.begun(name)
            last = book.values(tables.entry_of, tables.READ_LAST, name)
            return Overview(
                book.values(lambda row: Amount(*row), tables.READ_AMOUNTS, name),
                book.values(tables.entry_of, tables.READ_NEWEST, name, name, newest),
                last[0].sha256 if last else chain_start(there),
            )

    def spent(self, name: str) -> int:
        """Units of all charges that are not void, added up in the database."""
        return self.spending(name).units

    def spending(self, name: str) -> Spending:
        """The same, and their exposure beside it."""
        with self._reading() as book:
            book.dataset(name)
            return book.total(name).total

    def sums(self, name: str, known: Sums) -> Sums:
        """What each payer spent; entries that are added up in `known` are not read again."""
        with self._reading() as book:
            book.dataset(name)
            return book.sums(name, known)

    def open_charges(self, name: str, what: str) -> tuple[str, ...]:
        """IDs of charges with this label that are neither released nor void."""
        with self._reading() as book:
            book.dataset(name)
            return book.values(lambda row: str(row[0]), tables.READ_OPEN, name, what)

    def charge(
        self,
        of: str | Dataset,
        units: int,
        *,
        what: str,
        plan_sha256: str | None = None,
        by: str | None = None,
        exposure: int = 0,
        share: int | None = None,
        known: Sums | None = None,
    ) -> Charge:
        """Spend so many units of 2⁻⁴⁰, before anything is drawn.

        Parameters
        ----------
        of : str or Dataset
            The dataset. As a value it has to be what the ledger has: whose cost was computed for
            one budget is not charged to another of the same name.
        units : int
            In its measure.
        what : str
            A label for people.
        plan_sha256 : str, optional
            Of the plan's text.
        by : str, optional
            Who; the user of the process if left out.
        exposure : int
            Units of 2⁻⁵⁰ of exposure to spend besides, of a dataset that has a budget of it.
        share : int, optional
            Units that all charges of `by` may add up to, voided ones left out.
        known : Sums, optional
            What `sums` returned before: its entries are not added up again.

        Raises
        ------
        NotApplicable
            If there is exposure to spend and no budget of it.
        BudgetExceeded
            If less is left of either, or of the share; nothing is written then.
        LedgerError
            If the dataset is another than `of`; nothing is written then either.
        """
        with self._book() as book:
            return book.enter(
                of,
                id=uuid.uuid4().hex,
                cost=Spending(units, validate.integer(exposure, "exposure", least=0)),
                what=what,
                plan_sha256=plan_sha256,
                by=_user() if by is None else by,
                state=State.CHARGED,
                share=share,
                known=known if share is None else known or Sums(),
            )

    def released(self, charge: str, statement_sha256: str) -> Charge:
        """Enter that what a charge paid for was released, with its certificate's digest."""
        with self._book() as book:
            return book.end(charge, State.RELEASED, statement_sha256=statement_sha256)

    def void(self, charge: str, because: str, *, by: str | None = None) -> Charge:
        """Enter that nothing of a charge was ever released, which gives its units back.

        Only its owner can know that. Where something had left after all, more was spent on these
        people than the budget says from now on.
        """
        with self._book() as book:
            return book.end(charge, State.VOID, because=because, by=_user() if by is None else by)

    def damage(self) -> tuple[str, ...]:
        """Sentences on what is broken in the file itself; none for a server."""
        with self._book() as book:
            return tuple(book.database.damage())

    @contextmanager
    def _book(self, *, make: bool = False) -> Iterator[Book]:
        if is_url(self.place):
            book = Book(_connector()(server_of(self.place), patience=self.patience))
        else:
            book = Book(open_file(self.place, make=make, patience=self.patience))
        try:
            yield book
        finally:
            book.database.close()

    @contextmanager
    def _reading(self) -> Iterator[Book]:
        with self._book() as book, book.reading():
            yield book


@functools.cache
def _connector() -> Callable[..., tables.Database]:
    """What connects to a server, from the guest that has registered it."""
    guest = guests("deniable.ledgers").get("postgresql")
    if guest is None:
        raise NotInstalled(
            "Expected what connects to postgresql, got none installed. Install the package that "
            "registers it under deniable.ledgers, or keep the ledger in a file."
        )
    connect: Callable[..., tables.Database] = guest.load()
    return connect


def _user() -> str:
    return line(user_name(), instead=user_number())
