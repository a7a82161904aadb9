"""`deniable.population.discrete_laplace`, `.discrete_gaussian`, `.count`: discrete noise."""

import math
from functools import partial

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.gaussian import DiscreteGaussian
from deniable.mechanisms.laplace import DiscreteLaplace
from deniable.numerics.effort import Effort, left, limited
from deniable.population import integer_sums
from deniable.population.answer import (
    NoiseParameter,
    PopulationAnswer,
    RecordBounds,
    Search,
    Searched,
    answer,
    target_epsilon,
)
from deniable.population.api import engines
from deniable.population.api.additive import INTEGER_SCALES, AdditiveQuery, least_of_types, only_one
from deniable.population.bounds import epsilon_at
from deniable.population.question import Ones, Question, Records, Source

# --- `deniable.population.count`: discrete Laplace noise on the number of ones in a sample.


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
    >>> answer = population.count(3, 6, 3, scale=1.0)
    >>> answer.epsilon, 0 < answer.population_epsilon.upper < 1
    (1.0, True)
    """
    given, value = only_one(scale=scale, epsilon=epsilon, target=target)
    question = Question(Ones(ones, population), size, delta, records)
    work, search = effort or Effort(), None
    analysis = partial(_bracket_count, question, work)
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
        question, NoiseParameter("scale", used), bounds, work,
        epsilon=worst, restricted=here, adjacent=here, search=search,
    )  # fmt: skip
    each = said.records
    if question.records == "all":  # one that counts, if any, at 0; one that does not after all ones
        many = {0: ones or population} | ({ones: population - ones} if ones else {})
        each = tuple(attrs.evolve(one, count=many[one.record]) for one in each)
    return attrs.evolve(said, worst_record=None, records=each)


def _bracket_count(question: Question[Ones], effort: Effort, scale: float) -> RecordBounds:
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


# --- `deniable.population.discrete_laplace`, `.discrete_gaussian`: whole noise on a whole sum.


_SHARE = 4
"""No scale of a search takes more than one in so many parts of the time that is left."""
_Mechanism = type[DiscreteLaplace] | type[DiscreteGaussian]


def discrete_laplace(
    data: Source,
    size: int,
    *,
    scale: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    query: str = "sum",
    clip: float | None = None,
    method: str = "auto",
    counts: bool = False,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    """How private sums of whole numbers with discrete Laplace noise are, for one parent set.

    As `laplace`, of whole numbers: exactly one of `scale` and `target` is given, and the same is
    returned and refused. Of several columns, a histogram say, at most 64 distinct records may
    be given, and every column has noise of its own.

    Parameters
    ----------
    data : array_like, shape (n_records,) or (n_records, n_columns), or path of a CSV file
        Whole numbers, at most 2^51 in size.
    query : {"sum"}
        A mean is no whole number.
    clip : float, optional
        A whole number, of one column; records are cut to [−clip, clip] first; gives the
        worst-case ε.
    method : {"auto", "lattice", "types"}
        One column is enclosed by "lattice"; for few distinct records "types" goes by their counts.
        δ = 0 has "types" for histograms only, with each record in one cell.
    counts : bool
        The last column of `data` says how many records have that row: the method types.
    size, scale, target, delta, records, effort
        As in `laplace`.

    Examples
    --------
    >>> from deniable import population
    >>> answer = population.discrete_laplace([0, 0, 1, 1], 2, scale=1.0)
    >>> answer.epsilon_restricted_sensitivity, answer.population_epsilon.upper < 1
    (1.0, True)
    >>> cells = [[1, 0, 6_000_000], [0, 1, 4_000_000]]
    >>> answer = population.discrete_laplace(cells, 5_000_000, scale=2.0, counts=True)
    >>> answer.epsilon_restricted_sensitivity, round(answer.population_epsilon.upper, 3)
    (1.0, 0.604)
    """
    released = _build_release(data, size, delta, query, clip, records, counts)
    return _answer(released, DiscreteLaplace, scale, target, method, effort, monotone=True)


def discrete_gaussian(
    data: Source,
    size: int,
    *,
    scale: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    query: str = "sum",
    clip: float | None = None,
    method: str = "auto",
    counts: bool = False,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    """How private sums of whole numbers with discrete Gaussian noise are, for one parent set.

    As `discrete_laplace`. More of this noise is not the same as this noise and more:
    with a target, larger scales are checked to meet it too.

    Parameters
    ----------
    data, query, clip, method, counts
        As in `discrete_laplace`.
    scale : float, optional
        σ of the noise, > 0.
    size, target, delta, records, effort
        As in `laplace`; the least scale is the least σ.

    Examples
    --------
    >>> from deniable import population
    >>> answer = population.discrete_gaussian([0, 0, 1, 1], 2, scale=2.0, delta=0.01)
    >>> answer.population_epsilon.upper < answer.epsilon_restricted_sensitivity
    True
    """
    released = _build_release(data, size, delta, query, clip, records, counts)
    return _answer(released, DiscreteGaussian, scale, target, method, effort, monotone=False)


def _build_release(
    data: Source,
    size: int,
    delta: float,
    query: str,
    clip: float | None,
    records: Records,
    counts: bool,
) -> AdditiveQuery:
    if query != "sum":
        raise InvalidArgument(f"Expected query to be sum for whole noise, got {query!r}.")
    if clip is not None:
        validate.integer(clip, "clip", least=1)
    released = AdditiveQuery.of(
        data, size, delta=delta, query=query, clip=clip, records=records, counts=counts
    )
    if clip is not None and released.question.data.columns > 1:
        raise InvalidArgument(
            "Expected no clip with several columns of whole numbers, got one. Cut them beforehand."
        )
    return released


def _answer(
    released: AdditiveQuery,
    mechanism: _Mechanism,
    scale: float | None,
    target: float | None,
    method: str,
    effort: Effort | None,
    *,
    monotone: bool,
) -> PopulationAnswer:
    given, value = only_one(scale=scale, target=target)
    work, search = effort or Effort(), None
    name, engine = engines.of_sum(released.question.data, mechanism, method)
    with limited(work.time_limit):
        if given == "scale":
            used = validate.positive(value, "scale")
            bounds = _bracket(released, mechanism, engine, work, used)
        elif name == "types":
            used, bounds, search = least_of_types(
                released, mechanism, target_epsilon(value), work, monotone=monotone
            )
        else:
            analysis = partial(_in_a_search, released, mechanism, engine, work)
            used, bounds, search = released.least(
                analysis, value, monotone=monotone, largest=INTEGER_SCALES[1]
            )
            if bounds.method == "noise-alone":
                search = attrs.evolve(search, complete=False)
        return released.answer(bounds, mechanism, "scale", used, work, search)


def _in_a_search(
    released: AdditiveQuery,
    mechanism: _Mechanism,
    engine: engines.Engine,
    effort: Effort,
    scale: float,
) -> RecordBounds:
    """As `_bracket`, in a share of the time that is left, so that one scale does not take all."""
    with limited(left() / _SHARE):
        return _bracket(released, mechanism, engine, effort, scale)


def _bracket(
    released: AdditiveQuery,
    mechanism: _Mechanism,
    engine: engines.Engine,
    effort: Effort,
    scale: float,
) -> RecordBounds:
    noise = mechanism(released.in_reach(scale, *INTEGER_SCALES))
    return engine(released.question, noise, effort)
