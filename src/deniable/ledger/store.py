"""What a ledger is kept in: one protocol, whatever file or server stands behind it."""

from typing import Protocol

from deniable.ledger.charge import Charge
from deniable.ledger.dataset import Dataset
from deniable.ledger.overview import Overview


class Store(Protocol):
    """Books that are added to and never changed, one a dataset.

    Every method is one transaction: what it returns is kept, whatever happens to the process or
    the machine afterwards, and what raises has not been written.
    """

    def create(self, dataset: Dataset) -> None:
        """Begin a book; `InvalidArgument` if there is one of that name."""

    def datasets(self) -> tuple[Dataset, ...]:
        """All datasets, in the order in which they were made."""

    def dataset(self, name: str) -> Dataset:
        """One of them; `InvalidArgument` if there is none of that name."""

    def entries(self, name: str) -> tuple[Charge, ...]:
        """All entries of a dataset's book, first to last."""

    def overview(self, name: str, newest: int) -> Overview:
        """All amounts of a dataset's book, and all of what is said of its newest charges."""

    def spent(self, name: str) -> int:
        """Units of all charges that are not void, added up in the database."""

    def charge(
        self, of: str | Dataset, units: int, *, what: str, plan_sha256: str | None = None, by: str
    ) -> Charge:
        """Spend so many units; nothing is written if fewer are left, or it is another dataset."""

    def released(self, charge: str, statement_sha256: str) -> Charge:
        """Enter that what a charge paid for was released, with its certificate's digest."""

    def void(self, charge: str, because: str, *, by: str) -> Charge:
        """Enter that a charge was never released, which gives its units back."""

    def close(self) -> None:
        """Let go of the file or server."""
