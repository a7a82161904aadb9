"""Training with noisy gradients: its phases, and what no attack on it can do better than."""

from typing import Any

import attrs

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.notions import _fields


def _noise_multiplier(value: Any) -> float:
    return _validate.positive(value, "noise_multiplier")


def _sample_rate(value: Any) -> float:
    result = _validate.probability(value, "sample_rate")
    if result == 0:
        raise InvalidArgument("Expected 0 < sample_rate <= 1, got sample_rate=0.0.")
    return result


def _steps(value: Any) -> int:
    return _fields.count(value, "steps")


@attrs.frozen
class Phase:
    """Steps of one kind: each adds noise to the sum of a Poisson sample's clipped gradients.

    Parameters
    ----------
    noise_multiplier : float
        σ > 0, the standard deviation of the noise in each coordinate divided by the clipping norm.
    sample_rate : float
        q in (0, 1], with which each record enters a step, independently of all else.
    steps : int
        How many steps, at least 1.

    Raises
    ------
    InvalidArgument
        If a number is out of range.

    Examples
    --------
    >>> Phase(noise_multiplier=1.0, sample_rate=0.01, steps=1000).steps
    1000
    """

    noise_multiplier: float = attrs.field(converter=_noise_multiplier)
    sample_rate: float = attrs.field(converter=_sample_rate)
    steps: int = attrs.field(converter=_steps)
