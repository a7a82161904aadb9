"""Numbers of runs, guesses and right guesses, checked."""

import math

import attrs

from deniable.errors import InvalidArgument, validate


@attrs.frozen
class Counts:
    """Right guesses about independent fair bits.

    Parameters
    ----------
    runs : int
        Independent runs N in which a guess could have been made, at least 1.
    guesses : int
        Guesses r, at most one a run.
    right : int
        Guesses v that were right.

    Raises
    ------
    InvalidArgument
        Unless 0 <= right <= guesses <= runs and 1 <= runs.
    """

    runs: int
    guesses: int
    right: int

    def __attrs_post_init__(self) -> None:
        for name, least in (("runs", 1), ("guesses", 0), ("right", 0)):
            validate.integer(getattr(self, name), name, least=least)
        if not self.right <= self.guesses <= self.runs:
            raise InvalidArgument(
                f"Expected right <= guesses <= runs, got right={self.right}, "
                f"guesses={self.guesses}, runs={self.runs}."
            )


def delta(value: float) -> float:
    """A δ in [0, 1)."""
    checked = validate.probability(value, "delta")
    if checked == 1:
        raise InvalidArgument("Expected delta < 1, got delta=1.0.")
    return checked


def confidence(value: float) -> float:
    """A confidence in (0, 1)."""
    return validate.open_probability(value, "confidence")


def log_odds(probability: float) -> float:
    """ln(p/(1−p)); infinite at 0 and 1."""
    if probability in (0.0, 1.0):
        return math.copysign(math.inf, probability - 0.5)
    return math.log(probability) - math.log1p(-probability)
