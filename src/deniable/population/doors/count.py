"""`deniable.population.count`: discrete Laplace noise on the number of ones in a sample."""

import math
from functools import partial

import attrs

from deniable import _validate
from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms.discrete_laplace import DiscreteLaplace
from deniable.population.answer.answer import Noise, PopulationAnswer, Searched
from deniable.population.answer.bracket import Bracket, Promise, Setting, answer
from deniable.population.answer.least_noise import Search, target_epsilon
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds.sensitivity import epsilon_at
from deniable.population.doors.additive import WHOLE, asked, only_one, pure_or_approximate
from deniable.population.doors.parent_set import sample_size
from deniable.population.whole_sums import counting
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime, limited


def count(
    ones: int,
    population: int,
    size: int,
    *,
    scale: float | None = None,
    epsilon: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    records_asked: str = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""How private a count with discrete Laplace noise is, for a parent set of zeros and ones.

    Exactly one of `scale`, `epsilon` and `target` is given. The number of ones among the others
    in the sample is hypergeometric, so no record is looked at.

    Parameters
    ----------
    ones, population : int
        K of the N records count, 0 <= K <= N.
    size : int
        n of the uniform sample, 1 <= n < N.
    scale : float, optional
        Of the noise, > 0.
    epsilon : float, optional
        Worst-case ε of the count: scale 1/ε, rounded up.
    target : float, optional
        ≥ 0: asks for the least scale whose certified upper end is at most this.
    delta : float
        In [0, 1).
    records_asked : {"worst", "all"}
        Whether to list the two kinds of records.
    effort : Effort, optional
        Its time limit holds for the search of a target.

    Returns
    -------
    PopulationAnswer
        `worst_record` is None: a record is known by its value only.

    Raises
    ------
    InvalidArgument
        If a number is out of its range.
    InfeasibleTarget
        If no noise meets the target.

    Examples
    --------
    >>> from deniable import population
    >>> found = population.count(3, 6, 3, scale=1.0)
    >>> found.epsilon, 0 < found.population_epsilon.upper < 1
    (1.0, True)
    """
    everyone = _validate.integer(population, "population", least=2)
    counted = _validate.integer(ones, "ones", least=0)
    if counted > everyone:
        raise InvalidArgument(
            f"Expected 0 <= ones <= {everyone}, the population, got ones={counted}."
        )
    given, value = only_one(scale=scale, epsilon=epsilon, target=target)
    setting = Setting(
        sample_size(size, everyone), everyone, pure_or_approximate(delta), asked(records_asked)
    )
    constant = counted in (0, everyone)
    analysis = partial(_bracket, counted, setting)
    work = effort or Effort()
    with limited(work.time_limit):
        if given == "target":
            used, found = _least(analysis, target_epsilon(value), constant)
        else:
            used = _scale(given, value)
            found = analysis(used)
    worst = epsilon_at(DiscreteLaplace(used), 1, setting.delta)
    here = 0.0 if constant else worst
    work.progress(1.0)
    said = answer(found, setting, Noise("scale", used), Promise(worst, here, here))
    return attrs.evolve(said, worst_record=None)


def _bracket(ones: int, setting: Setting, scale: float) -> Bracket:
    if not WHOLE[0] <= scale <= WHOLE[1]:
        raise InvalidArgument(
            f"Expected a scale from {WHOLE[0]:g} to {WHOLE[1]:g}, got scale={scale}."
        )
    noise = DiscreteLaplace(scale)
    try:
        found = counting.count(ones, setting.population, setting.size, noise, setting.delta)
    except OutOfTime:
        most = epsilon_at(noise, 1, setting.delta)
        kinds = [0] if ones in (0, setting.population) else [0, ones]
        ends = [0.0] * len(kinds), [most] * len(kinds)
        found = RecordBounds(kinds, *ends, Evidence.ENCLOSURE)
    return Bracket.by("hypergeometric", found)


def _least(analysis: partial[Bracket], target: float, constant: bool) -> tuple[float, Bracket]:
    if constant:
        raise InvalidArgument(
            "Expected zeros and ones for `target`, got one of them only. "
            "Every noise meets every target."
        )
    best = Search(analysis, Bracket.upper, target, most=WHOLE[1]).least(1 / max(target, 0.05))
    how = Searched(target, best.missed, best.complete)
    return best.scale, attrs.evolve(best.found, search=how)


def _scale(given: str, value: float) -> float:
    used = _validate.positive(value, given)
    if given == "scale":
        return used
    scale = 1 / used
    while DiscreteLaplace(scale).epsilon(1) > used:
        scale = math.nextafter(scale, math.inf)
    return scale
