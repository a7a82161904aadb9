"""The only door to OpenDP: the least scale that its own map certifies, and the noise itself."""

import math
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_gaussian, make_laplace, make_noisy_top_k
from opendp.measures import max_divergence, zero_concentrated_divergence
from opendp.metrics import l1_distance, l2_distance, linf_distance
from opendp.mod import Measurement, OpenDPException, enable_features

from deniable import _validate
from deniable._rounding import directed, least, upper
from deniable.errors import InvalidArgument
from deniable.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Mechanism,
    NoisyTopK,
    SelectionNoise,
)
from deniable.publish.parts import SelectionPart, VectorPart

enable_features("contrib")

NoisyPart: TypeAlias = VectorPart | SelectionPart

LEAST_SCALE = 2.0**-10
"""No scale is smaller: there noise differs from 0 with a probability below 1e-400."""

_SLACK = 2.0**-40
"""OpenDP rounds up at every step, the claim once; a wrong convention would show as a factor."""


def _epsilon(value: float | None) -> float | None:
    return None if value is None else _validate.positive(value, "epsilon")


def _rho(value: float | None) -> float | None:
    return None if value is None else _validate.positive(value, "rho")


@attrs.frozen
class Share:
    """One part's share of the budget: ε of pure DP or ρ of zero-concentrated DP.

    Parameters
    ----------
    epsilon, rho : float, optional
        Exactly one of them, finite and > 0.

    Raises
    ------
    InvalidArgument
        If there is none or both, or it is not a finite positive number.

    Examples
    --------
    >>> Share(rho=0.125)
    Share(epsilon=None, rho=0.125)
    """

    epsilon: float | None = attrs.field(default=None, converter=_epsilon)
    rho: float | None = attrs.field(default=None, converter=_rho)

    def __attrs_post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            raise InvalidArgument(
                f"Expected exactly one of epsilon and rho, got epsilon={self.epsilon}, "
                f"rho={self.rho}."
            )

    @property
    def amount(self) -> float:
        """The number that the loss may not pass."""
        return self.epsilon or self.rho or 0.0


def calibrated(part: NoisyPart, share: Share) -> Mechanism:
    """The mechanism with the least scale at which OpenDP's own map stays within the share.

    Discrete Laplace or exponential noise for ε, discrete Gaussian or Gumbel noise for ρ.

    Parameters
    ----------
    part : VectorPart or SelectionPart
        What gets noise; its sensitivity is public.
    share : Share
        The most that OpenDP's map may say.

    Returns
    -------
    Mechanism
        With a scale of `LEAST_SCALE` or more, also where nothing is sensitive.

    Raises
    ------
    InvalidArgument
        If the sensitivity leaves 64 bits or no finite scale is enough.

    Examples
    --------
    >>> part = VectorPart("count", 1.0, coordinates=1, l1=1, l2=1.0, moved=1)
    >>> calibrated(part, Share(epsilon=0.5))
    DiscreteLaplace(scale=2.0)
    """

    def holds(scale: float) -> bool:
        return _loss(_mechanism(part, share, scale), part) <= share.amount

    scale = _first_scale(part, share)
    while not holds(scale):
        scale = math.nextafter(scale, math.inf)
    if scale > LEAST_SCALE:
        scale = least(holds, max(scale * (1 - _SLACK), LEAST_SCALE), scale)
    return _mechanism(part, share, scale)


def release(mechanism: Mechanism, part: NoisyPart, exact: NDArray[np.int64]) -> NDArray[np.int64]:
    """One draw: the exact whole numbers with noise, or the chosen candidates' positions.

    Values that noise carries past 64 bits stay at the largest or least whole number.

    Parameters
    ----------
    mechanism : Mechanism
        What `calibrated` returned.
    part : VectorPart or SelectionPart
        The part that it was calibrated for.
    exact : array of int64
        Shape (coordinates,) for a vector; scores of shape (cells, candidates) for a selection.

    Returns
    -------
    array of int64
        Shape (coordinates,), or positions from 0, best first, of shape (cells, number).

    Raises
    ------
    InvalidArgument
        If mechanism, part and `exact` do not belong together.
    RuntimeError
        If OpenDP fails, or its map says more than the mechanism claims; nothing was drawn.
    """
    certified, claimed = _loss(mechanism, part), _claimed(mechanism, part)
    if not certified <= claimed * (1 + _SLACK):
        raise RuntimeError(
            f"Expected OpenDP to certify a loss of at most {claimed}, got {certified} at "
            f"{mechanism.name}."
        )
    shape = _shape(part)
    if exact.shape != shape or exact.dtype != np.int64:
        raise InvalidArgument(
            f"Expected int64 values of shape {shape}, got {exact.dtype} of shape {exact.shape}."
        )
    measurement, _ = _measurement(mechanism, part)
    if isinstance(part, VectorPart):
        return _drawn(measurement, exact)
    return np.stack([_drawn(measurement, scores) for scores in exact])


def _drawn(measurement: Measurement, values: NDArray[np.int64]) -> NDArray[np.int64]:
    try:
        return np.asarray(measurement(values.tolist()), dtype=np.int64)
    except Exception:
        # Whatever went wrong, the library's text may quote the values.
        raise RuntimeError("Expected noise from OpenDP, got an error of the library.") from None


def _loss(mechanism: Mechanism, part: NoisyPart) -> float:
    """What OpenDP's own privacy map says."""
    measurement, distance = _measurement(mechanism, part)
    try:
        return float(measurement.map(distance))  # type: ignore[no-untyped-call]
    except (OpenDPException, ValueError):
        raise InvalidArgument(
            f"Expected a sensitivity that OpenDP can take, got {distance} at {mechanism.name}."
        ) from None


def _claimed(mechanism: Mechanism, part: NoisyPart) -> float:
    match mechanism, part:
        case DiscreteLaplace(), VectorPart():
            return mechanism.epsilon(part.l1)
        case DiscreteGaussian(), VectorPart():
            return mechanism.rho(part.l2)
        case NoisyTopK(), SelectionPart():
            gumbel = mechanism.noise is SelectionNoise.GUMBEL
            claim = mechanism.rho if gumbel else mechanism.epsilon
            return claim(part.sensitivity, part.monotone)
    raise _mismatch(mechanism, part)


def _measurement(mechanism: Mechanism, part: NoisyPart) -> tuple[Measurement, int | float]:
    """OpenDP's measurement, and the sensitivity in the unit of its metric."""
    domain = vector_domain(atom_domain(T="i64"), size=_shape(part)[-1])
    match mechanism, part:
        case DiscreteLaplace(), VectorPart():
            return make_laplace(domain, l1_distance(T="i64"), mechanism.scale), part.l1
        case DiscreteGaussian(), VectorPart():
            return make_gaussian(domain, l2_distance(T="f64"), mechanism.scale), float(part.l2)
        case NoisyTopK(), SelectionPart() if mechanism.number == part.number <= part.candidates:
            gumbel = mechanism.noise is SelectionNoise.GUMBEL
            measure = zero_concentrated_divergence() if gumbel else max_divergence()
            metric = linf_distance(T="i64", monotonic=part.monotone)
            return (
                make_noisy_top_k(domain, metric, measure, part.number, mechanism.scale),
                part.sensitivity,
            )
    raise _mismatch(mechanism, part)


def _mismatch(mechanism: Mechanism, part: NoisyPart) -> InvalidArgument:
    return InvalidArgument(f"Expected a mechanism that fits the part, got {mechanism} for {part}.")


def _shape(part: NoisyPart) -> tuple[int, ...]:
    match part:
        case VectorPart():
            return (part.coordinates,)
        case SelectionPart():
            return (part.cells, part.candidates)


def _mechanism(part: NoisyPart, share: Share, scale: float) -> Mechanism:
    match part:
        case VectorPart():
            return DiscreteGaussian(scale) if share.epsilon is None else DiscreteLaplace(scale)
        case SelectionPart():
            noise = SelectionNoise.GUMBEL if share.epsilon is None else SelectionNoise.EXPONENTIAL
            return NoisyTopK(scale, part.number, noise)


def _first_scale(part: NoisyPart, share: Share) -> float:
    """The exact least scale, rounded up: ε falls with the scale, ρ with its square."""
    at_one = _claimed(_mechanism(part, share, 1.0), part)
    with directed() as r:
        ratio = r(at_one) / r(share.amount)
        scale = upper(r.sqrt(ratio) if share.epsilon is None else ratio)
    if not math.isfinite(scale):
        raise InvalidArgument(f"Expected a share that finite noise can keep to, got {share}.")
    return max(scale, LEAST_SCALE)
