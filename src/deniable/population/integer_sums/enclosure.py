"""ε̃ of every record of a noisy sum of whole numbers, enclosed: by one method, then narrower."""

import contextlib

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import DiscreteGaussian
from deniable.numerics.effort import Effort
from deniable.numerics.memory import memory
from deniable.numerics.time_limit import OutOfTime, check, is_counted, late
from deniable.population.bounds import gaussian_tails
from deniable.population.integer_sums import choice
from deniable.population.integer_sums.multiset import Ints, Multiset
from deniable.population.integer_sums.parts import Losses, losses
from deniable.population.integer_sums.reduced import Reduced
from deniable.population.integer_sums.release import Noise

_MEMORY = 2.0**32
"""Bytes where the method may not depend on the machine: 4 GiB, which most have to spare."""
_WIDE = 1e-6
"""Share of ε̃ beyond which an interval is worth more work."""
_LEAST = 1e-3
"""An ε̃ below is as good as none: widths are measured against this."""


def enclose(problem: Multiset, targets: Ints, noise: Noise, delta: float, effort: Effort) -> Losses:
    """Enclosure of ε̃ of one record of each target value.

    Targets that time does not reach get what the noise alone gives.
    """
    reached = np.ones(len(targets), bool)
    if len(problem.values) == 1:  # the sum is no secret
        return Losses(np.zeros(len(targets)), np.zeros(len(targets)), reached)
    if isinstance(noise, DiscreteGaussian) and delta == 0:
        return Losses(*gaussian_tails(problem.counts, problem.size, targets), reached)
    reduced = Reduced(problem, targets, noise, delta)
    each = (_MEMORY if is_counted() else memory()) / effort.workers
    try:
        check()
        first = choice.best(reduced, each)
    except OutOfTime:
        return Losses(*reduced.noise_alone(), ~reached)
    bounds = losses(reduced, first, effort)
    with contextlib.suppress(OutOfTime):
        for method in (choice.farther_tilts, choice.exact):
            wide = np.flatnonzero(_is_wide(bounds) & bounds.reached)
            if first.exact or not len(wide) or late():
                break
            some = reduced.only(wide)
            again = method(some, each)
            if again is not None and choice.is_worth_it(again, some, first, reduced):
                narrower = losses(some, again, effort)
                bounds.narrow(wide, narrower.lower, narrower.upper)
    return bounds


def _is_wide(bounds: Losses) -> NDArray[np.bool_]:
    return np.asarray(bounds.upper - bounds.lower > _WIDE * np.maximum(bounds.lower, _LEAST))
