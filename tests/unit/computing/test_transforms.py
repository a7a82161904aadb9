"""Transforms beside sums in long double, and lengths of which nothing is proved."""

import math

import numpy as np
import pytest

from deniable.computing.transforms import (
    inverse_transform,
    transform,
    transform_error,
    transform_length,
)
from deniable.errors import InvalidArgument
from tests.cases.effort import one_in
from tests.cases.refusals import refuses

SMOOTH = sorted(
    2**a * 3**b * 5**c
    for a in range(13)
    for b in range(8)
    for c in range(6)
    if 2**a * 3**b * 5**c <= 4096
)
LONG = np.longdouble
SUMMED = 600
"""Up to this length sums of n² terms are compared, beyond it the library's long double."""


def roots(length):
    """e^(−2πik/n) in long double: 64 bits, so that its own errors are 2,000 times smaller."""
    angles = 2 * np.arccos(LONG(-1)) * np.arange(length) / length
    return np.cos(angles) - 1j * np.sin(angles)


def exact(values):
    """All n coefficients, as sums."""
    length = len(values)
    turns = roots(length)[np.outer(np.arange(length), np.arange(length)) % length]
    return turns @ values.astype(LONG)


def sequences(length):
    rng = np.random.default_rng(length)
    yield rng.standard_normal(length)
    yield np.eye(1, length, 1 % length)[0]
    yield np.exp(-0.3 * np.arange(length)) * rng.choice([-1, 1], length)
    spiked = rng.random(length) * 1e-9
    spiked[rng.integers(length)] = 1.0
    yield spiked


def norm(values):
    return math.sqrt(float((np.abs(values) ** 2).sum()))


def full(half, length):
    """All coefficients of a real sequence."""
    return np.concatenate([half, half[1 : (length + 1) // 2][::-1].conj()])


@pytest.mark.parametrize("lengths", [SMOOTH[::2], SMOOTH[1::2]], ids=["even places", "odd places"])
def test_the_rounding_of_a_transform_is_within_its_bound_there_and_back(lengths):
    for length in one_in(2, lengths):
        bound = transform_error(length)
        for values in sequences(length):
            there = transform(values)
            if length <= SUMMED:
                truth = exact(values)
            else:
                truth = full(np.fft.rfft(values.astype(LONG)), length)
            assert norm(full(there, length) - truth) <= bound * norm(truth)
            back = inverse_transform(there, length)
            given = full(there.astype(np.clongdouble), length)
            if length <= SUMMED:
                again = (
                    np.conj(roots(length)[np.outer(np.arange(length), np.arange(length)) % length])
                    @ given
                ).real / length
            else:
                again = np.fft.irfft(there.astype(np.clongdouble), length)
            assert norm(back - again) <= bound * norm(again)


def test_the_bound_would_not_hold_for_a_hundredth_of_it():
    """What is tested is within sight of what happens: the bound is no empty one."""
    worst = max(
        norm(full(transform(values), length) - exact(values))
        / norm(values)
        / math.sqrt(length)
        / transform_error(length)
        for length in (27, 125, 480, 512)
        for values in sequences(length)
    )
    assert 0.005 < worst < 0.5


@pytest.mark.parametrize("length", [7, 11, 49, 97, 1021, 2 * 4093, 65537])
def test_a_length_with_a_larger_prime_factor_is_refused(length):
    with refuses(InvalidArgument, "whose-prime-factors-are-2"):
        transform(np.zeros(length))
    with refuses(InvalidArgument, f"got-length-whose-prime-factors: {length}"):
        inverse_transform(np.zeros(length // 2 + 1, complex), length)
    assert transform_error(transform_length(length)) > 0


def test_the_next_length_is_the_least_one():
    for least in range(1, 4096):
        assert transform_length(least) == next(each for each in SMOOTH if each >= least)
