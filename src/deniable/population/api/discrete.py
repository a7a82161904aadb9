"""`deniable.population.discrete_laplace`, `.discrete_gaussian`, `.count`: discrete noise."""

import math
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
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
from deniable.population.api.additive import (
    INTEGER_SCALES,
    AdditiveQuery,
    in_reach,
    least_of_types,
    only_one,
)
from deniable.population.bounds import epsilon_at
from deniable.population.question import Ones, Question, Records, Source


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
    r"""Compute how private a count with discrete Laplace noise is, for a parent set of 0s and 1s.

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

    def analysis(scale: float) -> RecordBounds:
        least, most = INTEGER_SCALES
        if not least <= scale <= most:
            message = f"Expected a scale from {least:g} to {most:g}, got scale={scale}."
            raise InvalidArgument(message)
        return integer_sums.bracket(question, DiscreteLaplace(scale), work)

    with limited(work.time_limit):
        if given == "target":
            wanted = target_epsilon(value)
            if question.data.constant:
                raise InvalidArgument(
                    "Expected zeros and ones for `target`, got one of them only. "
                    "Every noise meets every target."
                )
            upper, most = RecordBounds.guaranteed_upper, INTEGER_SCALES[1]
            best = Search(analysis, upper, wanted, most=most).least(1 / max(wanted, 0.05))
            used, bounds = best.scale, best.result
            search = Searched(wanted, best.missed, best.complete)
        else:
            used = validate.positive(value, given)
            if given == "epsilon":
                most, used = used, 1 / used
                while DiscreteLaplace(used).epsilon(1) > most:
                    used = math.nextafter(used, math.inf)
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


_SHARE = 4  # No scale of a search takes more than one in so many parts of the time that is left


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
    """Compute how private sums of whole numbers with discrete Laplace noise are.

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
        A whole number, of one column; records are clipped to [−clip, clip] first; gives the
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
    options = {"delta": delta, "query": query, "clip": clip, "records": records, "counts": counts}
    return _of_integers(DiscreteLaplace, scale, target, method, effort, data, size, **options)


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
    """Compute how private sums of whole numbers with discrete Gaussian noise are.

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
    options = {"delta": delta, "query": query, "clip": clip, "records": records, "counts": counts}
    return _of_integers(DiscreteGaussian, scale, target, method, effort, data, size, **options)


def _of_integers(
    mechanism: type[DiscreteLaplace] | type[DiscreteGaussian],
    scale: float | None,
    target: float | None,
    method: str,
    effort: Effort | None,
    data: Source,
    size: int,
    **options: Any,
) -> PopulationAnswer:
    """Return this mechanism's function, with query, clip, records and counts as options."""
    clip, query = options["clip"], options["query"]
    if query != "sum":
        raise InvalidArgument(f"Expected query to be sum for whole noise, got {query!r}.")
    if clip is not None:
        validate.integer(clip, "clip", least=1)
    released = AdditiveQuery.of(data, size, **options)
    if clip is not None and released.question.data.columns > 1:
        raise InvalidArgument(
            "Expected no clip with several columns of whole numbers, got one. Cut them beforehand."
        )
    given, value = only_one(scale=scale, target=target)
    work, search = effort or Effort(), None
    name, engine = engines.of_sum(released.question.data, mechanism, method)

    def bracket(scale: float) -> RecordBounds:
        noise = mechanism(in_reach(released.question.data.present, scale, *INTEGER_SCALES))
        return engine(released.question, noise, work)

    def in_a_search(scale: float) -> RecordBounds:
        with limited(left() / _SHARE):
            return bracket(scale)

    with limited(work.time_limit):
        if given == "scale":
            used = validate.positive(value, "scale")
            bounds = bracket(used)
        elif name == "types":
            used, bounds, search = least_of_types(released, mechanism, target_epsilon(value), work)
        else:
            monotone, most = mechanism is DiscreteLaplace, INTEGER_SCALES[1]
            used, bounds, search = released.least(
                in_a_search, value, monotone=monotone, largest=most
            )
            if bounds.method == "noise-alone":
                search = attrs.evolve(search, complete=False)
        return released.answer(bounds, mechanism, "scale", used, work, search)
