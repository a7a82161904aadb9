"""Training with noisy gradients: its phases, and what no attack on it can do better than."""

from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import _fields
from deniable.notions._fields import Adjacency

_RAREST = 1e-12
"""Least sample rate: one record of a trillion in a step. Far below, squares of losses vanish."""


def _noise_multiplier(value: Any) -> float:
    return validate.positive(value, "noise_multiplier")


def _sample_rate(value: Any) -> float:
    result = validate.number(value, "sample_rate")
    if not 0 < result <= 1:
        remedy = " It is the batch size divided by the number of records." if result > 1 else ""
        raise InvalidArgument(f"Expected 0 < sample_rate <= 1, got sample_rate={result}.{remedy}")
    if result < _RAREST:
        raise InvalidArgument(f"Expected sample_rate >= {_RAREST:g}, got sample_rate={result}.")
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


def _then(value: Any) -> tuple[Phase, ...]:
    phases = validate.several(value, "then")
    if not all(isinstance(phase, Phase) for phase in phases):
        raise InvalidArgument(f"Expected phases, got {value!r}.")
    return phases


def _add_remove(value: Any) -> Adjacency:
    if Adjacency(value) is not Adjacency.ADD_REMOVE:
        raise InvalidArgument(
            f"Expected add-remove with Poisson sampling, got {value}. Derive approx-dp or zcdp "
            "from it, which lead on to replace-one."
        )
    return Adjacency.ADD_REMOVE


@attrs.frozen
class PrivacyCurve(_fields.Written):
    """A release as hard to attack as noisy training: Poisson samples, clipping, normal noise.

    Each step adds noise of `noise_multiplier` clipping norms to the sum over a sample, in which
    each record is with probability `sample_rate`, independently of all else. Between data of which
    one has one record more, δ is at every ε, in both directions, at most that of `steps` such
    steps, and of those in `then`, each of which may depend on all that came before.
    """

    FORM = "privacy-curve:sample_rate,noise_multiplier,steps"
    sample_rate: float = attrs.field(converter=_sample_rate)
    noise_multiplier: float = attrs.field(converter=_noise_multiplier)
    steps: int = attrs.field(converter=_steps)
    then: tuple[Phase, ...] = attrs.field(default=(), converter=_then)
    adjacency: Adjacency = attrs.field(default=Adjacency.ADD_REMOVE, converter=_add_remove)

    @property
    def schedule(self) -> tuple[Phase, ...]:
        """All phases."""
        return (Phase(self.noise_multiplier, self.sample_rate, self.steps), *self.then)
