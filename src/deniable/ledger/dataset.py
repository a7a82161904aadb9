"""A dataset: the people whose privacy is spent, and what may be believed of them after all."""

from enum import StrEnum
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.ledger import units
from deniable.ledger.words import optional_word, word
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.target import Target


class Measure(StrEnum):
    """What adds up over the releases of a dataset."""

    EPSILON = "epsilon"
    RHO = "rho"


def _name(value: Any) -> str:
    return word(value, "the dataset's name")


def _entity(value: Any) -> str | None:
    return optional_word(value, "the entity")


def _unit(value: Any) -> str | None:
    return optional_word(value, "the word for one entity")


def _exceedance(value: Any) -> float:
    return validate.open_probability(value, "delta") if value else 0.0


@attrs.frozen
class Dataset:
    """The same people in all tables that hold them, and the budget that their releases share.

    All of it is fixed when the dataset is made. A plan with another entity, word or adjacency is
    about other people, or protects them otherwise.

    Parameters
    ----------
    name : str
        How plans and certificates call it; published.
    entity : str or None
        The column that names a person; None where one row is one.
    unit : str or None
        A word for one of them, such as "patient".
    adjacency : Adjacency
        Which tables are neighbours.
    adversary : BoundedPriors
        What somebody may believe before the first release.
    target : Target
        What they may believe at most after the last.
    exceedance : float
        Probability in [0, 1) of outputs that may move a belief further; 0 for pure releases only.
    measure : Measure
        "epsilon" where the exceedance is 0, otherwise "rho".
    budget : int
        All that may be spent, in units of 2⁻⁴⁰ of the measure.

    Raises
    ------
    InvalidArgument
        If a word cannot be shown, or the measure does not belong to the exceedance.
    """

    name: str = attrs.field(converter=_name)
    entity: str | None = attrs.field(converter=_entity)
    unit: str | None = attrs.field(converter=_unit)
    adjacency: Adjacency = attrs.field(converter=Adjacency)
    adversary: BoundedPriors
    target: Target
    exceedance: float = attrs.field(converter=_exceedance)
    measure: Measure = attrs.field(converter=Measure)
    budget: int = attrs.field(converter=units.check_units)

    def __attrs_post_init__(self) -> None:
        """Check what concerns several fields."""
        if (self.measure is Measure.RHO) != bool(self.exceedance):
            raise InvalidArgument(
                "Expected a budget in rho with an exceedance and in epsilon without, got "
                f"measure={self.measure}, exceedance={self.exceedance}."
            )
        if not 0 < self.budget <= units.MOST:
            raise InvalidArgument(
                f"Expected the budget to be 1 to {units.MOST} units, got {self.budget}."
            )

    def as_json(self) -> dict[str, Any]:
        """Every field under its name; what the chain of entries begins with."""
        return {
            "name": self.name,
            "entity": self.entity,
            "unit": self.unit,
            "adjacency": str(self.adjacency),
            "prior": [self.adversary.low, self.adversary.high],
            "target": self.target.as_json(),
            "exceedance": self.exceedance,
            "measure": str(self.measure),
            "budget": self.budget,
        }
