"""`deniable.population.count`: discrete Laplace noise on the number of ones in a sample."""

import math
from functools import partial

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.discrete_laplace import DiscreteLaplace
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import limited
from deniable.population import integer_sums
from deniable.population.answer.answer import Noise, PopulationAnswer, Searched, answer
from deniable.population.answer.least_noise import Search, target_epsilon
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.api.additive import INTEGER_SCALES, only_one
from deniable.population.bounds import epsilon_at
from deniable.population.question import Ones, Question, Records


def count(
    ones: int,
    population: int,
    size: int,
    *,
    scale: float | None = None,
    epsilon: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    records: Records = "worst",
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
        ≥ 0: asks for the least scale whose certified upper bound is at most this.
    delta : float
        In [0, 1).
    records : "worst", "all" or sequence of int
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
    given, value = only_one(scale=scale, epsilon=epsilon, target=target)
    question = Question(Ones(ones, population), size, delta, records)
    work, search = effort or Effort(), None
    analysis = partial(_bracket, question, work)
    with limited(work.time_limit):
        if given == "target":
            used, bounds, search = _least(analysis, target_epsilon(value), question)
        else:
            used = _scale(given, value)
            bounds = analysis(used)
    worst = epsilon_at(DiscreteLaplace(used), 1, question.delta)
    here = 0.0 if question.data.constant else worst
    work.progress(1.0)
    said = answer(
        question, Noise("scale", used), bounds, work,
        epsilon=worst, restricted=here, adjacent=here, search=search,
    )  # fmt: skip
    each = said.records
    if question.records == "all":  # one that counts, if any, at 0; one that does not after all ones
        many = {0: ones or population} | ({ones: population - ones} if ones else {})
        each = tuple(attrs.evolve(one, count=many[one.record]) for one in each)
    return attrs.evolve(said, worst_record=None, records=each)


def _bracket(question: Question[Ones], effort: Effort, scale: float) -> RecordBounds:
    least, most = INTEGER_SCALES
    if not least <= scale <= most:
        raise InvalidArgument(f"Expected a scale from {least:g} to {most:g}, got scale={scale}.")
    return integer_sums.bracket(question, DiscreteLaplace(scale), effort)


def _least(
    analysis: partial[RecordBounds], target: float, question: Question[Ones]
) -> tuple[float, RecordBounds, Searched]:
    if question.data.constant:
        raise InvalidArgument(
            "Expected zeros and ones for `target`, got one of them only. "
            "Every noise meets every target."
        )
    search = Search(analysis, RecordBounds.guaranteed_upper, target, most=INTEGER_SCALES[1])
    best = search.least(1 / max(target, 0.05))
    return best.scale, best.result, Searched(target, best.missed, best.complete)


def _scale(given: str, value: float) -> float:
    used = validate.positive(value, given)
    if given == "scale":
        return used
    scale = 1 / used
    while DiscreteLaplace(scale).epsilon(1) > used:
        scale = math.nextafter(scale, math.inf)
    return scale
