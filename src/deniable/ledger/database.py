"""What a book asks of the database that keeps it."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from deniable.errors import LedgerError
from deniable.ledger.tables import Row


class MaybeKept(LedgerError):
    """The connection ended between the end of a transaction and the answer to it."""


class Database(Protocol):
    """An open file or a session of a server; what goes wrong there is a `LedgerError`."""

    @property
    def place(self) -> str:
        """The file or server, as messages call it."""

    def installed(self) -> bool:
        """Whether it holds the tables of a ledger; `LedgerError` if they were changed."""

    def install(self) -> None:
        """Make the tables, within `writing`."""

    def reading(self) -> AbstractContextManager[None]:
        """A block that sees one state of all books."""

    def writing(self, dataset: str | None = None) -> AbstractContextManager[None]:
        """A block that is kept as a whole or not at all, while nobody else writes that book.

        Without a dataset nobody else makes one.
        """

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """What a statement answers; a question mark stands for each value."""

    def damage(self) -> Iterator[str]:
        """Sentences on what is broken in the file itself."""

    def close(self) -> None:
        """Let go of it."""
