"""The work on one question: the cheapest way, in parts, until time is over."""

import contextlib
import hashlib
import math
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from typing import cast

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import DiscreteLaplace
from deniable.population.bounds.sensitivity import epsilon_at
from deniable.population.whole_sums import counts as _counts
from deniable.population.whole_sums import far as _far
from deniable.population.whole_sums import recursion as _recursion
from deniable.population.whole_sums import tilted as _tilted
from deniable.population.whole_sums import ways as _ways
from deniable.population.whole_sums.laws import UNIT, Floats
from deniable.population.whole_sums.multiset import Ints, Multiset
from deniable.population.whole_sums.release import Noise
from deniable.population.whole_sums.tilt import Tilt
from deniable.population.whole_sums.ways import Cost, Way
from deniable.population.work.effort import Effort
from deniable.population.work.parallel import Arrays, blocks
from deniable.population.work.time_limit import OutOfTime, check, late

_QUICK = 1.0
"""Seconds within which no other way is looked for."""


@attrs.frozen(eq=False)
class Asked:
    """ε̃ of one record of each target value (positions in `problem.values`, ascending)."""

    problem: Multiset
    targets: Ints
    noise: Noise
    delta: float

    def farthest(self) -> Ints:
        """How far each target is from the farthest other value, in units of the data."""
        values = self.problem.values
        own = values[self.targets]
        return np.asarray(np.maximum(own, values[-1] - own) * self.problem.step)

    def key(self, *how: object) -> str:
        """Names the question, and how it is answered."""
        digest = hashlib.sha256()
        for part in (self.problem.values, self.problem.counts, self.targets):
            digest.update(part.tobytes())
        numbers = (self.problem.size, self.problem.step, self.noise, self.delta, how)
        digest.update(repr(numbers).encode())
        return f"lattice-{digest.hexdigest()[:32]}"


@attrs.frozen(eq=False)
class Work:
    """A way with its cost; `way` makes ready what all parts share."""

    cost: Cost
    way: Callable[[], Way]


@attrs.frozen(eq=False)
class _Part:
    asked: Asked
    way: Way


def best_work(asked: Asked, within: float = math.inf) -> Work:
    """The cheapest method; of infinite cost where none is feasible.

    Of ways that take longer than so many seconds, only a lower end of them is found.
    """
    problem, noise, delta = asked.problem, asked.noise, asked.delta
    found = []
    if _counts.fits(problem):
        found.append(Work(_ways.counted(problem, noise, delta), _ways.Counted))
    if _recursion.fits(problem):
        cost = _ways.added(problem, asked.targets, noise, delta)
        found.append(Work(cost, _ways.Added))
    quick = [work for work in found if work.cost.total(len(asked.targets)) <= _QUICK]
    if quick:
        return quick[0]
    parts = _far.split(problem)
    if parts is not None:
        found.append(_conditioned(asked, parts))
    best = min((work.cost.total(len(asked.targets)) for work in found), default=math.inf)
    if parts is None or best > within or math.isinf(best):
        chosen = _tilted.tilts(problem, _ways.likely_tilt(problem, noise, delta))
        found.append(_inverted(asked, chosen, min(best, within)))
    return min(found, key=lambda work: work.cost.total(len(asked.targets)))


def farther_work(asked: Asked, work: Work) -> Work | None:
    """The same work with tilts for the tail that only outlying records reach, if it has none."""
    if asked.delta == 0 or not _is_inversion(work):
        return None
    chosen = _tilted.tilts(asked.problem, _ways.farthest_tilt(asked.problem, asked.noise))
    again = _inverted(asked, chosen)
    fits = again.cost.columns * asked.problem.step <= _ways.MOST_COLUMNS
    return again if chosen and fits else None


def losses(asked: Asked, work: Work, effort: Effort) -> tuple[Floats, Floats]:
    """Enclosure of ε̃ for each target; those not reached get what the noise alone gives."""
    lower, upper = np.zeros(len(asked.targets)), np.full(len(asked.targets), np.inf)
    reached = np.zeros(len(asked.targets), bool)
    with contextlib.suppress(OutOfTime):
        _in_parts(asked, work, effort, lower, upper, reached)
    if not reached.all():
        rest = noise_alone(attrs.evolve(asked, targets=asked.targets[~reached]))
        lower[~reached], upper[~reached] = rest
        effort.progress(1.0)
    if isinstance(asked.noise, DiscreteLaplace):
        upper = np.minimum(upper, asked.farthest() / asked.noise.scale * (1 + 4 * UNIT))
    return np.minimum(lower, upper), upper


def noise_alone(asked: Asked) -> tuple[Floats, Floats]:
    """What holds without any work: 0, and the ε of exchanging the farthest of these records."""
    most = epsilon_at(asked.noise, float(asked.farthest().max()), asked.delta)
    return np.zeros(len(asked.targets)), np.full(len(asked.targets), most)


def _in_parts(
    asked: Asked,
    work: Work,
    effort: Effort,
    lower: Floats,
    upper: Floats,
    reached: NDArray[np.bool_],
) -> None:
    """Fill in the ends of the targets that time allows, the outermost first."""
    check()
    farthest, way = asked.farthest(), work.way()
    places = np.array_split(np.arange(len(asked.targets)), work.cost.parts(len(asked.targets)))
    # The outermost records first: of the others more is known if time runs out.
    places.sort(key=lambda at: -int(farthest[at].max()))
    parts = [_Part(attrs.evolve(asked, targets=asked.targets[at]), way) for at in places]
    found = blocks(_part, parts, effort, key=asked.key(type(way).__name__, work.cost))
    with closing(cast("Generator[Arrays, None, None]", found)):
        for done, (at, ends) in enumerate(zip(places, found, strict=True)):
            lower[at], upper[at], reached[at] = ends["lower"], ends["upper"], True
            effort.progress((done + 1) / len(parts))
            if late():
                break


def _part(part: _Part) -> Arrays:
    asked = part.asked
    lower, upper = part.way.losses(asked.problem, asked.targets, asked.noise, asked.delta)
    return {"lower": lower, "upper": upper}


def _inverted(asked: Asked, chosen: list[Tilt], within: float = math.inf) -> Work:
    n_targets = len(asked.targets)
    cost = _ways.inverted(asked.problem, chosen, n_targets, asked.noise, asked.delta, within)
    return Work(cost, partial(_inversion, asked, chosen))


def _inversion(asked: Asked, chosen: list[Tilt]) -> Way:
    return _ways.Inverted(_tilted.plan(asked.problem, asked.targets, chosen))


def _is_inversion(work: Work) -> bool:
    return isinstance(work.way, partial) and work.way.func is _inversion


def _conditioned(asked: Asked, parts: _far.Split) -> Work:
    farthest = _ways.farthest_tilt(asked.problem, asked.noise)
    chosen = _tilted.tilts(parts.near, farthest)
    cost = _ways.conditioned(asked.problem, parts, chosen, asked.noise, asked.delta)
    return Work(cost, partial(_condition, asked, parts, farthest))


def _condition(asked: Asked, parts: _far.Split, farthest: float) -> Way:
    return _ways.Conditioned(_far.plan(parts, asked.targets, farthest))
