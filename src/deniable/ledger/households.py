"""What a dataset's releases reveal of people who belong together, read once off their sum.

Each release is charged what it costs one entity, and these amounts add up. What follows for a
household does not: three releases can leak ln 36 of it where each leaks ln 3. So its beliefs follow
from the sum, after everything and so far, and the book holds none of them.
"""

from collections.abc import Callable
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.ledger.beliefs import Beliefs, after, beliefs_at, beliefs_in_the_end
from deniable.ledger.dataset import Dataset, Measure
from deniable.ledger.units import Spending
from deniable.notions import Adjacency
from deniable.numerics.rounding import directed, upper
from deniable.priors import Households
from deniable.theorems.analysis.together import SIZES
from deniable.theorems.households import household_epsilon

_MEMBER = 2
"""Entities that a change within one household replaces: one goes, and another one comes."""


@attrs.frozen
class Read:
    """What may be believed of one person, after everything and so far."""

    everything: Beliefs
    so_far: Beliefs

    def as_json(self) -> dict[str, Any]:
        """Both, as a summary has them of one entity."""
        return {"everything": self.everything.as_json(), "so_far": self.so_far.as_json()}


def read_household(dataset: Dataset, spent: Spending, households: Households) -> Read:
    """What may be believed of one person of a household that is tied like this.

    >>> from deniable.ledger.budget import budgeted
    >>> from deniable.priors import BoundedPriors
    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> people = {"adversary": BoundedPriors(), "adjacency": "add-remove"}
    >>> visits = budgeted("visits", EpsilonTarget(1.0), **people)
    >>> read_household(visits, Spending(0), Households(3)).everything.loss
    3.0
    """
    _check(dataset)

    def read(at: Callable[[int], Beliefs]) -> Beliefs:
        tied = at(households.size)
        if households.model is None:
            return tied
        loss = min(tied.loss, _loss_of_model(dataset, at(1).loss, households))
        return beliefs_at(dataset, loss, tied.exceedance)

    return _at_both(dataset, spent, read)


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
    """What may be believed of one member of a household that is the entity; None of a person.

    Another member may stay, or take that one's place within limits on rows, so that one household
    goes and another one comes: 2ε, or 4ρ, of the household.
    """
    if not dataset.by_household or dataset.exposure is not None:
        return None
    return _at_both(dataset, spent, lambda at: at(_MEMBER))


def read_groups(dataset: Dataset, spent: Spending) -> tuple[tuple[int, Read], ...]:
    """The same for 1, 2, 3, 5, 10 people, all in or all out; none where nothing bounds it."""
    if dataset.by_household or not _is_read(dataset):
        return ()
    return tuple((k, _at_both(dataset, spent, lambda at, k=k: at(k))) for k in SIZES)


def _at_both(
    dataset: Dataset, spent: Spending, read: Callable[[Callable[[int], Beliefs]], Beliefs]
) -> Read:
    return Read(
        read(lambda together: beliefs_in_the_end(dataset, together)),
        read(lambda together: after(dataset, spent, together)),
    )


def _is_read(dataset: Dataset) -> bool:
    return dataset.adjacency is Adjacency.ADD_REMOVE and dataset.exposure is None


def _check(dataset: Dataset) -> None:
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
