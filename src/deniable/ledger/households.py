"""What a dataset's releases reveal of people who belong together, read once off their sum.

Each release is charged what it costs one entity, and these amounts add up. What follows for a
household does not: three releases can leak ln 36 of it where each leaks ln 3. So its beliefs follow
from the sum, after everything and so far, and the book holds none of them.
"""

from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.ledger.beliefs import Beliefs, after, beliefs_at, beliefs_in_the_end
from deniable.ledger.dataset import Dataset, Measure, check_household_size
from deniable.ledger.units import Spending
from deniable.notions import Adjacency
from deniable.numerics.rounding import directed, upper
from deniable.theorems.analysis import Households, households_of
from deniable.theorems.analysis.together import SIZES
from deniable.theorems.households import household_epsilon

_MEMBER = 2
"""Entities that a change within one household replaces: one goes, and another one comes."""


@attrs.frozen
class Read:
    """Beliefs in one person, after everything and so far."""

    everything: Beliefs
    so_far: Beliefs

    def as_json(self) -> dict[str, Any]:
        """Both, as a summary has them of one entity."""
        return {"everything": self.everything.as_json(), "so_far": self.so_far.as_json()}


def read_household(dataset: Dataset, spent: Spending, households: Households) -> Read:
    """Bound beliefs in one person of a household that is tied like this."""
    if dataset.by_household:
        raise InvalidArgument(
            f"Expected a dataset of persons, got {dataset.name!r}, whose entity is the household. "
            "Leave the household out: the answer says what follows for one member."
        )
    if not _is_read(dataset):
        raise InvalidArgument(
            f"Expected a dataset under add-remove and of listed keys, got {dataset.name!r}. Where "
            "the number of people is public, households of different sizes are many exchanges "
            "apart; and a key that nobody knew can show a whole household at once."
        )
    tied = _of_group(dataset, spent, households.size)
    if households.model is None:
        return tied
    alone = _of_group(dataset, spent, 1)

    def read(tied: Beliefs, alone: Beliefs) -> Beliefs:
        loss = min(tied.loss, _loss_of_model(dataset, alone.loss, households))
        return beliefs_at(dataset, loss, tied.exceedance)

    return Read(read(tied.everything, alone.everything), read(tied.so_far, alone.so_far))


def _loss_of_model(dataset: Dataset, loss: float, households: Households) -> float:
    """The loss about one person of a household from the loss of all releases about one alone."""
    if dataset.measure is Measure.EPSILON:
        return household_epsilon(loss, households)
    match households.model:
        case ["odds_ratio", psi]:
            # Under ρ the tie adds ln Ω to the loss, at the same exceedance (`explain_households`).
            with directed() as r:
                return upper(r(loss) + r.log(r(psi)) * (households.size - 1))
        case [name, _]:
            raise InvalidArgument(
                f"Expected a budget in epsilon with `{name}`, got one in rho. Give `odds_ratio`, "
                "or leave the model out."
            )
    raise AssertionError("a model has a name and a number")


def read_member(dataset: Dataset, spent: Spending) -> Read | None:
    """Bound beliefs in one member of a household that is the entity; None of a person.

    Another member may stay, or take that one's place within limits on rows, so that one household
    goes and another one comes: 2ε, or 4ρ, of the household.
    """
    if not dataset.by_household or dataset.exposure is not None:
        return None
    return _of_group(dataset, spent, _MEMBER)


def read_groups(dataset: Dataset, spent: Spending) -> tuple[tuple[int, Read], ...]:
    """Bound beliefs in one of 1, 2, 3, 5, 10 people, all in or all out, where anything does."""
    if dataset.by_household or not _is_read(dataset):
        return ()
    return tuple((k, _of_group(dataset, spent, k)) for k in SIZES)


def _of_group(dataset: Dataset, spent: Spending, together: int) -> Read:
    return Read(beliefs_in_the_end(dataset, together), after(dataset, spent, together))


def _is_read(dataset: Dataset) -> bool:
    return dataset.adjacency is Adjacency.ADD_REMOVE and dataset.exposure is None


def checked_households(size: int | None, **ties: float | None) -> Households | None:
    """Return the households of raw arguments, as small as a book allows; None where none are."""
    households = households_of(size, **ties)
    if households is not None:
        check_household_size(households.size)
    return households
