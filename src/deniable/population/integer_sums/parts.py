"""The work on one question in parts, the outermost records first, until time is over."""

import contextlib
from collections.abc import Generator
from contextlib import closing
from typing import cast

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.effort import Effort
from deniable.numerics.parallel import Arrays, blocks
from deniable.numerics.rounding import UNIT
from deniable.numerics.time_limit import OutOfTime, check, late, spend
from deniable.population.integer_sums import methods
from deniable.population.integer_sums.choice import Candidate
from deniable.population.integer_sums.laws import Floats
from deniable.population.integer_sums.methods import Method
from deniable.population.integer_sums.multiset import Ints
from deniable.population.integer_sums.reduced import Reduced


@attrs.frozen(eq=False)
class _Part:
    reduced: Reduced
    method: Method


@attrs.frozen(eq=False)
class Losses:
    """Enclosure of ε̃ of each target; what the noise alone gives where time did not reach.

    Parameters
    ----------
    lower, upper : float arrays, shape (n_targets,)
        The ends.
    reached : bool array, shape (n_targets,)
        Whether the laws of the sum were looked at.
    """

    lower: Floats
    upper: Floats
    reached: NDArray[np.bool_]

    @classmethod
    def unknown(cls, many: int) -> "Losses":
        """Of so many targets, none of them reached."""
        return cls(np.zeros(many), np.full(many, np.inf), np.zeros(many, bool))

    def narrow(self, at: Ints, lower: Floats, upper: Floats) -> None:
        """Intersect the ends of some targets with others, in place."""
        self.lower[at] = np.maximum(self.lower[at], lower)
        self.upper[at] = np.minimum(self.upper[at], upper)


def losses(reduced: Reduced, candidate: Candidate, effort: Effort) -> Losses:
    """By one method, for as many targets as time allows."""
    bounds = Losses.unknown(len(reduced.targets))
    with contextlib.suppress(OutOfTime):
        _in_parts(reduced, candidate, effort, bounds)
    rest = np.flatnonzero(~bounds.reached)
    if len(rest):
        bounds.narrow(rest, *reduced.only(rest).noise_alone())
        effort.progress(1.0)
    if isinstance(reduced.noise, DiscreteLaplace):
        # No output tells sums apart by more than their distance does.
        farthest = reduced.farthest() / reduced.noise.scale * (1 + 4 * UNIT)
        np.minimum(bounds.upper, farthest, out=bounds.upper)
    np.minimum(bounds.lower, bounds.upper, out=bounds.lower)
    return bounds


def _in_parts(reduced: Reduced, candidate: Candidate, effort: Effort, known: Losses) -> None:
    """Fill in the ends of the targets that time allows, the outermost first."""
    check(candidate.cost.before)
    farthest, method = reduced.farthest(), candidate.ready()
    targets = np.arange(len(reduced.targets))
    places = np.array_split(targets, candidate.cost.parts(len(targets)))
    # The outermost records first: of the others more is known if time runs out.
    places.sort(key=lambda at: -int(farthest[at].max()))
    parts = [_Part(reduced.only(at), method) for at in places]
    results = blocks(_part, parts, effort, name="whole-sums")
    with closing(cast("Generator[Arrays, None, None]", results)):
        for done, (at, bounds) in enumerate(zip(places, results, strict=True)):
            known.narrow(at, bounds["lower"], bounds["upper"])
            known.reached[at] = True
            spend(candidate.cost.part + candidate.cost.target * len(at))
            effort.progress((done + 1) / len(parts))
            if late():
                break


def _part(part: _Part) -> Arrays:
    lower, upper = methods.losses(part.method, part.reduced)
    return {"lower": lower, "upper": upper}
