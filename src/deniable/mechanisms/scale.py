"""What mechanisms share: a scale that is checked, and the type of generators that simulate."""

from typing import TYPE_CHECKING

from deniable.errors import validate

if TYPE_CHECKING:
    from deniable.numerics.effort import Generator as Generator
else:  # a type; what a release draws needs nothing of simulations
    pass


def positive_scale(value: float) -> float:
    """The spread of some noise, finite and > 0."""
    return validate.positive(value, "scale")
