"""Whom a release is about, and that they are the people of the dataset that pays for it."""

import attrs

from deniable.errors import InvalidArgument
from deniable.ledger.dataset import Dataset
from deniable.notions import Adjacency


@attrs.frozen
class People:
    """Whom a release is about: what a dataset fixes when it is made.

    Parameters
    ----------
    entity : str or None
        The column that names a person; None where each row is by itself.
    unit : str or None
        A word for one of them.
    adjacency : Adjacency
        What neighbouring tables are.
    """

    entity: str | None
    unit: str | None
    adjacency: Adjacency

    @classmethod
    def of_records(cls, word: str) -> "People":
        """Of a public number of records, of which one is replaced; the word says what one is."""
        return cls(None, word, Adjacency.REPLACE_ONE)

    def __str__(self) -> str:
        named = "each row by itself" if self.entity is None else f"entity {self.entity!r}"
        word = "" if self.unit is None else f", unit {self.unit!r}"
        return f"{named}{word}, {self.adjacency}"


def check_people(dataset: Dataset, people: People) -> None:
    """Refuse a release about other people than the dataset's, or under other neighbours.

    Raises
    ------
    InvalidArgument
        If they differ.
    """
    wanted = People(dataset.entity, dataset.unit, dataset.adjacency)
    if wanted != people:
        raise InvalidArgument(
            f"Expected a release about the people of {dataset.name!r} ({wanted}), got one about "
            f"others ({people}). Charge it to a dataset of its own."
        )
