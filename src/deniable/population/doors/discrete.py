"""`deniable.population.discrete_laplace`, `.discrete_gaussian`: whole noise on a whole sum."""

from collections.abc import Callable
from functools import partial

import attrs

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.mechanisms.discrete_gaussian import DiscreteGaussian
from deniable.mechanisms.discrete_laplace import DiscreteLaplace
from deniable.population.answer.answer import PopulationAnswer
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.doors import engines
from deniable.population.doors.additive import WHOLE, Released, only_one
from deniable.population.question import Records, Source
from deniable.work.effort import Effort
from deniable.work.time_limit import left, limited

_SHARE = 4
"""No scale of a search takes more than one in so many parts of the time that is left."""
_Mechanism = Callable[[float], DiscreteLaplace | DiscreteGaussian]


def discrete_laplace(
    data: Source,
    size: int,
    *,
    scale: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    query: str = "sum",
    clip: float | None = None,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    """How private a sum of whole numbers with discrete Laplace noise is, for one parent set.

    As `laplace`, of whole numbers: exactly one of `scale` and `target` is given, and the same is
    returned and refused.

    Parameters
    ----------
    data : array_like, shape (n_records,) or (n_records, 1), or path of a CSV file
        Whole numbers, at most 2^51 in size.
    query : {"sum"}
        A mean is no whole number.
    clip : float, optional
        A whole number; records are cut to [−clip, clip] first; gives the worst-case ε.
    size, scale, target, delta, records, effort
        As in `laplace`.

    Examples
    --------
    >>> from deniable import population
    >>> found = population.discrete_laplace([0, 0, 1, 1], 2, scale=1.0)
    >>> found.epsilon_restricted_sensitivity, found.population_epsilon.upper < 1
    (1.0, True)
    """
    released = _released(data, size, delta, query, clip, records)
    return _answer(released, DiscreteLaplace, scale, target, effort, monotone=True)


def discrete_gaussian(
    data: Source,
    size: int,
    *,
    scale: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    query: str = "sum",
    clip: float | None = None,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    """How private a sum of whole numbers with discrete Gaussian noise is, for one parent set.

    As `discrete_laplace`. More of this noise is not the same as this noise and more:
    with a target, larger scales are checked to meet it too.

    Parameters
    ----------
    data, query, clip
        As in `discrete_laplace`.
    scale : float, optional
        σ of the noise, > 0.
    size, target, delta, records, effort
        As in `laplace`; the least scale is the least σ.

    Examples
    --------
    >>> from deniable import population
    >>> found = population.discrete_gaussian([0, 0, 1, 1], 2, scale=2.0, delta=0.01)
    >>> found.population_epsilon.upper < found.epsilon_restricted_sensitivity
    True
    """
    released = _released(data, size, delta, query, clip, records)
    return _answer(released, DiscreteGaussian, scale, target, effort, monotone=False)


def _released(
    data: Source, size: int, delta: float, query: str, clip: float | None, records: Records
) -> Released:
    if query != "sum":
        raise InvalidArgument(f"Expected query to be sum for whole noise, got {query!r}.")
    if clip is not None:
        _validate.integer(clip, "clip", least=1)
    return Released.of(data, size, delta=delta, query=query, clip=clip, records=records)


def _answer(
    released: Released,
    mechanism: _Mechanism,
    scale: float | None,
    target: float | None,
    effort: Effort | None,
    *,
    monotone: bool,
) -> PopulationAnswer:
    given, value = only_one(scale=scale, target=target)
    work, search = effort or Effort(), None
    with limited(work.time_limit):
        if given == "scale":
            used = _validate.positive(value, "scale")
            bounds = _bracket(released, mechanism, work, used)
        else:
            analysis = partial(_in_a_search, released, mechanism, work)
            used, bounds, search = released.least(
                analysis, value, monotone=monotone, largest=WHOLE[1]
            )
            if bounds.method == "noise-alone":
                search = attrs.evolve(search, complete=False)
        return released.answer(bounds, mechanism, "scale", used, search)


def _in_a_search(
    released: Released, mechanism: _Mechanism, effort: Effort, scale: float
) -> RecordBounds:
    """As `_bracket`, in a share of the time that is left, so that one scale does not take all."""
    with limited(left() / _SHARE):
        return _bracket(released, mechanism, effort, scale)


def _bracket(
    released: Released, mechanism: _Mechanism, effort: Effort, scale: float
) -> RecordBounds:
    noise = mechanism(released.in_reach(scale, *WHOLE))
    _, engine = engines.of_sum(released.question.data, type(noise))
    return engine(released.question, noise, effort)
