"""A simple random sample of a population, of stated sizes."""

import attrs

from deniable.errors import InvalidArgument, validate

SIMPLE_RANDOM = "simple-random"
"""The only design that there are intervals for."""
MOST_SAMPLED = 2**27
"""Units: a test then adds up some 80,000 probabilities, and an interval takes a tenth of a second.
"""
MOST_UNITS = 2**53
"""Of a population: whole numbers up to this are exact in float64."""
ERROR = 0.05
"""Probability that an interval does not hold the population's number, over samples and noise."""


@attrs.frozen
class SimpleRandomSample:
    """Every set of so many units of a population was equally likely to be drawn.

    Parameters
    ----------
    size : int
        Units drawn, 1 to 2^27: the entities of the table, or its rows where each is one.
    population : int
        Units that they were drawn from, `size` to 2^53.

    Raises
    ------
    InvalidArgument
        If a size leaves its range.
    """

    size: int
    population: int

    def __attrs_post_init__(self) -> None:
        size = validate.integer(self.size, "size", least=1)
        population = validate.integer(self.population, "population", least=1)
        if size > MOST_SAMPLED:
            raise InvalidArgument(f"Expected size <= 2^27, got size={size}.")
        if population > MOST_UNITS:
            raise InvalidArgument(f"Expected population <= 2^53, got population={population}.")
        if size > population:
            raise InvalidArgument(
                f"Expected a sample no larger than its population, got size={size}, "
                f"population={population}. State how many units it was drawn from."
            )
