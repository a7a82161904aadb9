"""`deniable.population.gaussian`, `.laplace`: real noise on a mean or sum."""

from functools import partial

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import Effort, limited
from deniable.population import answer, vector_sums
from deniable.population.answer import PopulationAnswer
from deniable.population.api import additive, engines
from deniable.population.bounds import estimates, pairwise_bounds
from deniable.population.question import Records, Source


def laplace(
    data: Source,
    size: int,
    *,
    scale: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    query: str = "mean",
    clip: float | None = None,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""Compute how private a mean or sum with Laplace noise is, for one parent set.

    Exactly one of `scale` and `target` is given, and the same is returned and refused as by
    `gaussian`. ε̃ at δ = 0 is the supremum of the ratio of the
    two densities over all outputs, in the tails and inside.

    Parameters
    ----------
    data : array_like, shape (n_records,) or (n_records, 1), or path of a CSV file
        The parent set, repeated records included; numbers at most 1e100 in size.
    scale : float, optional
        Of the noise, in units of the query, > 0.
    target : float, optional
        ≥ 0: asks for the least scale whose certified upper bound is at most this.
    delta : float
        In [0, 1).
    clip : float, optional
        Records are clipped to [−clip, clip] first; gives the worst-case ε.
    size, query, records
        As in `gaussian`.
    effort : Effort, optional
        Workers, checkpoint, progress.

    Returns
    -------
    PopulationAnswer

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> from deniable import population
    >>> answer = population.laplace([0.0, 1.0, 2.0, 5.0], 2, scale=1.0)
    >>> answer.worst_record, answer.epsilon_restricted_sensitivity
    (3, 2.5)
    >>> 0 < answer.population_epsilon.lower <= answer.population_epsilon.upper < 2.5
    True
    """
    work = effort or Effort()
    given, value = additive.only_one(scale=scale, target=target)
    released = additive.AdditiveQuery.of(
        data, size, delta=delta, query=query, clip=clip, records=records
    )
    _, engine = engines.of_sum(released.question.data, Laplace)
    analysis, search = partial(released.bracket, Laplace, engine, work), None
    with limited(work.time_limit):
        if given == "scale":
            used = validate.positive(value, "scale")
            bounds = analysis(used)
        else:
            used, bounds, search = released.least(analysis, value)
    return released.answer(bounds, Laplace, "scale", used, work, search)


def gaussian(
    data: Source,
    size: int,
    *,
    sigma: float | None = None,
    epsilon: float | None = None,
    target: float | None = None,
    delta: float,
    clip: float | None = None,
    query: str = "mean",
    method: str = "auto",
    counts: bool = False,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""Compute how private a mean or sum with Gaussian noise is, for one parent set.

    Exactly one of `sigma`, `epsilon` and `target` is given. One column is analysed by Fourier
    inversion with bounded errors. Where few records are distinct, the counts of each type decide,
    at any N: an enclosure in large populations, draws of counts elsewhere. Of other columns the
    upper bound is the smallest of the crowd bound, the pairwise bound and the mixture bound, the
    lower bound the larger of an exact projection and a thresholded ratio on fresh draws. The upper
    end holds for every record.

    Parameters
    ----------
    data : array_like, shape (n_records,) or (n_records, n_columns), or path of a CSV file
        The parent set, repeated records included; numbers at most 1e100 in size.
    size : int
        n of the uniform sample, 1 <= n < N.
    sigma : float, optional
        Standard deviation of the noise on every coordinate of the query, > 0.
    epsilon : float, optional
        With `clip`: σ is the least for (ε, δ)-DP at sensitivity 2·clip/n (mean), 2·clip (sum).
    target : float, optional
        ≥ 0: asks for the least σ whose certified upper bound is at most this.
    delta : float
        In (0, 1).
    clip : float, optional
        Records are scaled to Euclidean norm <= clip first; gives the worst-case ε.
    query : {"mean", "sum"}
        Over the sample.
    method : {"auto", "fourier", "crowd", "pairwise", "types"}
        "fourier" needs one column, and is what "auto" takes there. Of several columns it takes
        "types" for at most 8 distinct records among 100 or more, otherwise "crowd".
    counts : bool
        The last column of `data` says how many records have that row, so that N may be 10^7 and
        more: the method types, for at most 64 distinct rows.
    records : "worst", "all" or sequence of int
        All records and positions are listed, each with its interval; with `counts` a position is
        that of a row.
    effort : Effort, optional
        Confidence, seed, gap, time limit, workers, checkpoint.

    Returns
    -------
    PopulationAnswer

    Raises
    ------
    InvalidArgument, DataError
        If an argument or the data cannot be used.
    InfeasibleTarget
        If no noise meets the target.

    References
    ----------
    lowy-2024, Definition 2 and Proposition 12; balle-wang-2018, Theorem 8.

    Examples
    --------
    >>> from deniable import population
    >>> answer = population.gaussian([0.0, 1.0, 2.0, 5.0], 2, sigma=1.0, delta=0.01)
    >>> answer.worst_record, answer.method
    (3, 'fourier')
    >>> 0 < answer.population_epsilon.upper <= answer.pairwise_bound
    True
    >>> cells = [[1, 0, 0, 6_000_000], [0, 1, 0, 3_000_000], [0, 0, 1, 1_000_000]]
    >>> answer = population.gaussian(
    ...     cells, 5_000_000, sigma=5.0, delta=1e-5, query="sum", counts=True
    ... )
    >>> bound = answer.population_epsilon
    >>> answer.method, bound.evidence.word, bound.upper < 0.01
    ('counts', 'enclosure', True)
    """
    given, value = additive.only_one(sigma=sigma, epsilon=epsilon, target=target)
    if given == "epsilon" and clip is None:
        raise InvalidArgument("Expected `clip` with `epsilon`, got none. Give both, or `sigma`.")
    chance = validate.normal(validate.open_probability(delta, "delta"), "delta")
    released = additive.AdditiveQuery.of(
        data, size, delta=chance, query=query, clip=clip, records=records,
        counts=counts,
    )  # fmt: skip
    name, engine = engines.of_sum(released.question.data, Gaussian, method)
    work, search = effort or Effort(), None
    analysis = partial(released.bracket, Gaussian, engine, work)
    with limited(work.time_limit):
        if given == "target":
            wanted = answer.target_epsilon(value)
            if name == "fourier":
                used, bounds, search = released.least(analysis, wanted)
            elif name == "types":
                used, bounds, search = additive.least_of_types(released, Gaussian, wanted, work)
            else:
                used, bounds, search = _least(released, name, wanted, work)
        else:
            used = validate.positive(value, given)
            if given == "epsilon":
                assert released.clip is not None
                noise = Gaussian.for_approx_dp(used, chance, 2 * released.clip)
                used = released.on_the_query(noise.scale)
            bounds = analysis(used)
    if name == "fourier":  # beside the exact analysis what is cheaper
        total, pairs = released.on_the_sum(used), None
        if released.question.population <= engines.FEW_FOR_PAIRS:
            pairs = _pairwise(released, total)
            bounds = bounds.cap(pairs, "pairwise")
        bounds = attrs.evolve(bounds, pairwise=pairs, estimate=_estimate(released, total))
    return released.answer(bounds, Gaussian, "sigma", used, work, search)


def _least(
    released: additive.AdditiveQuery, name: str, target: float, effort: Effort
) -> tuple[float, answer.RecordBounds, answer.Searched]:
    """The least noise on the query that keeps to a target, where no draw is sure to.

    The pairwise bound gives a scale that is certain, and a lower one is hoped for by the estimate;
    draws look in between.
    """
    question = released.question

    def at(engine: engines.Engine, total: float, work: Effort) -> answer.RecordBounds:
        return engine(question, Gaussian(total), work)

    present = question.data.present
    additive.in_reach(present, max(1.0, float(np.ptp(present, axis=0).max())))
    sure = answer.Search(partial(_pairwise, released), float, target).least(released.start(target))
    certain, best = sure.scale, None
    if name == "crowd":
        estimate = partial(_estimate, released)
        hoped = answer.Search(estimate, float, target, additive.ROUGHLY).least(certain).scale
        crowd = partial(at, vector_sums.bracket)
        best = answer.least_sampled_scale(crowd, target, hoped, certain, effort)
    return released.least_of(
        best, sure, lambda total: at(vector_sums.pairwise, total, effort), target
    )


def _pairwise(released: additive.AdditiveQuery, total: float) -> float:
    question = released.question
    return float(pairwise_bounds(question.data.values, total, question.delta).max())


def _estimate(released: additive.AdditiveQuery, total: float) -> float:
    """The largest Gaussian estimate; no bound."""
    question = released.question
    return float(estimates(question.data.values, question.size, total, question.delta).max())
