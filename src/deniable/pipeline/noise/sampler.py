"""The only use of OpenDP: its own map confirms what a mechanism claims, then it draws."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeGuard

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.pipeline.noise import DiscreteLaplace
from deniable.pipeline.noise.shares import (
    NoisyPart,
    SelectionPart,
    VectorPart,
    claimed_loss,
    mismatch,
)

if TYPE_CHECKING:
    from opendp import domains, measurements, measures, metrics, mod

    from deniable.pipeline import noise as mechanisms
    from deniable.pipeline.noise import Mechanism
else:
    mechanisms = late("deniable.pipeline.noise")
    domains, measurements, measures, metrics, mod = (
        late(f"opendp.{name}", extra="publish")
        for name in ("domains", "measurements", "measures", "metrics", "mod")
    )

Removed = Callable[[int], NDArray[np.integer]]
"""A function of a drawn position: the positions, itself among them, that are out now."""

_SLACK = 2.0**-40
"""OpenDP rounds up at every step, the claim once; a wrong convention would show as a factor."""

_KEPT = 256
"""Measurements that are kept between repeated draws: of some parts, of each number of runs."""
_BLOCK = 2**17
"""Numbers handed to OpenDP at once where it draws many times; it answers with lists: some 10 MB."""


def confirm(mechanism: Mechanism, part: NoisyPart) -> None:
    """Let OpenDP's own map say that the mechanism loses no more than it claims; draw nothing."""
    certified, claimed = _loss(mechanism, part), claimed_loss(mechanism, part)
    if not certified <= claimed * (1 + _SLACK):
        raise RuntimeError(
            f"Expected OpenDP to certify a loss of at most {claimed}, got {certified} at "
            f"{mechanism.name}."
        )


def release(
    mechanism: Mechanism, part: NoisyPart, exact: NDArray[np.int64], removed: Removed | None = None
) -> NDArray[np.int64]:
    """One draw: the exact whole numbers with noise, or the chosen candidates' positions.

    Values that noise carries past 64 bits stay at the largest or least whole number.

    `exact` has the shape (coordinates,) of the part, any length where these are unknown, or holds
    scores of shape (cells, candidates), of which positions come out, best first, (cells, number).
    With `removed`, by public rules alone, the rounds of a selection are drawn one by one.
    """
    confirm(mechanism, part)
    if isinstance(part, VectorPart) and part.unknown:
        if not len(exact):
            return np.empty(0, np.int64)
        part = attrs.evolve(part, coordinates=len(exact), unknown=False)
    _check_exact(part, exact)
    if _adds_up(mechanism, part):
        return _add_zero_sum(mechanism, exact, 1).reshape(-1)
    if removed is not None:
        return np.stack([_in_rounds(mechanism, part, scores, removed) for scores in exact])
    measurement, _ = _measurement(mechanism, part, _shape(part)[-1])
    if isinstance(part, VectorPart):
        return _draw(measurement, exact)
    return np.stack([_draw(measurement, scores) for scores in exact])


def draw_zero_sum(noise: mechanisms.ZeroSumNoise, times: int = 1) -> NDArray[np.int64]:
    """Independent draws of noise that adds up to zero; shape (times, cells).

    K − 1 discrete Laplace numbers have the probability that is claimed of them with the last number
    −S, S their sum, but for the factor α^|S|. So they are kept with this probability: where
    another such number, drawn again until it is not negative, reaches |S|, as that one is at least
    m with probability α^m. All is decided by whole numbers, and the number of tries, about √(πK),
    depends on no data.
    """
    part = VectorPart("noise", 1.0, 1, l1=1, l2=1.0, moved=1)

    def draw(size: int) -> NDArray[np.int64]:
        measurement, _ = _measurement(DiscreteLaplace(noise.scale), part, size)
        return _draw(measurement, np.zeros(size, np.int64))

    tries = math.isqrt(noise.cells) * times
    kept, count = list[NDArray[np.int64]](), 0
    while count < times:
        size = min(tries, max(_BLOCK // noise.cells, 1))
        drawn = draw(size * (noise.cells - 1)).reshape(size, -1)
        last = -drawn.sum(axis=1)
        reached = np.empty(0, np.int64)
        while len(reached) < size:
            more = draw(2 * size)
            reached = np.concatenate([reached, more[more >= 0]])
        accepted = np.abs(last) <= reached[:size]
        kept.append(np.column_stack([drawn[accepted], last[accepted]]))
        count += len(kept[-1])
    return np.concatenate(kept)[:times]


def _adds_up(mechanism: Mechanism, part: NoisyPart) -> TypeGuard[mechanisms.ZeroSumNoise]:
    """Whether the noise adds up to zero; what has no partition does not load the class."""
    has_total = isinstance(part, VectorPart) and part.partition > 0
    return has_total and isinstance(mechanism, mechanisms.ZeroSumNoise)


def _add_zero_sum(
    noise: mechanisms.ZeroSumNoise, exact: NDArray[np.int64], times: int
) -> NDArray[np.int64]:
    """Cells with noise, cut to 64 bits; those that are not published have the rest of it."""
    drawn = draw_zero_sum(noise, times)[:, : len(exact)]
    bits = np.iinfo(np.int64)
    return np.add(drawn, exact, dtype=object).clip(bits.min, bits.max).astype(np.int64)


def _in_rounds(
    mechanism: Mechanism, part: NoisyPart, scores: NDArray[np.int64], removed: Removed
) -> NDArray[np.int64]:
    """Rounds of one choice each, of the same noise, among the candidates that are left.

    What is left follows from public rules and from the rounds before, which are released. So the
    losses of the rounds add up, to no more than the mechanism claims for all of them.
    """
    if not isinstance(mechanism, mechanisms.NoisyTopK) or not isinstance(part, SelectionPart):
        raise mismatch(mechanism, part)
    once = attrs.evolve(mechanism, number=1)
    round_part = attrs.evolve(part, number=1)
    if mechanism.number * _loss(once, round_part) > claimed_loss(mechanism, part) * (1 + _SLACK):
        raise RuntimeError("Expected rounds to lose no more than all at once, got more.")
    left, positions = np.arange(len(scores)), list[int]()
    for _ in range(mechanism.number):
        if not len(left):
            raise InvalidArgument("Expected candidates in every round, got none left.")
        round_part = attrs.evolve(part, number=1, candidates=len(left))
        measurement, _ = _measurement(once, round_part, len(left))
        positions.append(int(left[_draw(measurement, scores[left])[0]]))
        left = left[~np.isin(left, removed(positions[-1]))]
    return np.array(positions, dtype=np.int64)


def repeat_draws(
    mechanism: Mechanism, part: NoisyPart, exact: NDArray[np.int64], times: int
) -> NDArray[np.int64]:
    """What `release` draws, `times` times over and independently; never for a release.

    Its shape is (times, coordinates), or of positions (times, cells, number).
    """
    _confirm_once(mechanism, part)
    _check_exact(part, exact)
    if isinstance(part, SelectionPart):
        measurement = _repeated(mechanism, part, part.candidates)
        drawn = [[_draw(measurement, scores) for scores in exact] for _ in range(times)]
        return np.array(drawn, dtype=np.int64).reshape(times, part.cells, part.number)
    if _adds_up(mechanism, part):
        return _add_zero_sum(mechanism, exact, times)
    most = max(_BLOCK // part.coordinates, 1)
    sizes = [min(most, times - start) for start in range(0, times, most)]
    blocks = [
        _draw(_repeated(mechanism, part, size * part.coordinates), np.tile(exact, size))
        for size in sizes
    ]
    return np.concatenate([np.empty(0, np.int64), *blocks]).reshape(times, part.coordinates)


_confirm_once = functools.lru_cache(_KEPT)(confirm)


@functools.lru_cache(_KEPT)
def _repeated(mechanism: Mechanism, part: NoisyPart, size: int) -> mod.Measurement:
    """A measurement that is invoked again and again: it has no state, and takes longer to make."""
    return _measurement(mechanism, part, size)[0]


def _check_exact(part: NoisyPart, exact: NDArray[np.int64]) -> None:
    shape = _shape(part)
    if exact.shape != shape or exact.dtype != np.int64:
        raise InvalidArgument(
            f"Expected int64 values of shape {shape}, got {exact.dtype} of shape {exact.shape}."
        )


def _draw(measurement: mod.Measurement, values: NDArray[np.int64]) -> NDArray[np.int64]:
    try:  # of our own: the library takes no array that may not be written to
        return np.asarray(measurement(np.array(values)), dtype=np.int64)
    except Exception:
        # Whatever went wrong, the library's text may quote the values.
        raise RuntimeError("Expected noise from OpenDP, got an error of the library.") from None


def _loss(mechanism: Mechanism, part: NoisyPart) -> float:
    """What OpenDP's own privacy map says."""
    measurement, distance = _measurement(mechanism, part, _shape(part)[-1])
    try:
        return float(measurement.map(distance))  # type: ignore[no-untyped-call]
    except (mod.OpenDPException, ValueError):
        raise InvalidArgument(
            f"Expected a sensitivity that OpenDP can take, got {distance} at {mechanism.name}."
        ) from None


def _measurement(
    mechanism: Mechanism, part: NoisyPart, size: int
) -> tuple[mod.Measurement, int | float]:
    """OpenDP's measurement of so many numbers, and the sensitivity in the unit of its metric."""
    mod.enable_features("contrib")
    domain = domains.vector_domain(domains.atom_domain(T="i64"), size=size)
    match mechanism, part:
        case DiscreteLaplace(), VectorPart():
            return measurements.make_laplace(
                domain, metrics.l1_distance(T="i64"), mechanism.scale
            ), part.l1
        case mechanisms.DiscreteGaussian(), VectorPart():
            return measurements.make_gaussian(
                domain, metrics.l2_distance(T="f64"), mechanism.scale
            ), float(part.l2)
        case mechanisms.ZeroSumNoise(), VectorPart() if mechanism.cells == part.partition:
            # What is drawn before it is kept or not; it loses as much (`noise.zero_sum`).
            return _measurement(DiscreteLaplace(mechanism.scale), part, size)
        case mechanisms.NoisyTopK(), SelectionPart() if (
            mechanism.number == part.number <= part.candidates
        ):
            gumbel = mechanism.noise is mechanisms.SelectionNoise.GUMBEL
            measure = (
                measures.zero_concentrated_divergence() if gumbel else measures.max_divergence()
            )
            metric = metrics.linf_distance(T="i64", monotonic=part.monotone)
            return (
                measurements.make_noisy_top_k(
                    domain, metric, measure, part.number, mechanism.scale
                ),
                part.sensitivity,
            )
    raise mismatch(mechanism, part)


def _shape(part: NoisyPart) -> tuple[int, ...]:
    match part:
        case VectorPart():
            return (max(part.coordinates, 1) if part.unknown else part.coordinates,)
        case SelectionPart():
            return (part.cells, part.candidates)
