"""`deniable.population.gaussian`: Gaussian noise on the mean or sum of one or more columns."""

from functools import partial

import attrs
import numpy as np

from deniable import _validate
from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms.gaussian import Gaussian
from deniable.population.answer.answer import PopulationAnswer, Searched
from deniable.population.answer.bracket import Bracket
from deniable.population.answer.least_noise import Search, target_epsilon
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.answer.sampled_target import least_sampled_scale
from deniable.population.doors import parent_set as data
from deniable.population.doors.additive import Released, only_one
from deniable.population.real_sums.one_dimensional import one_dimensional
from deniable.population.vector_sums.vector import VectorSum
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import late, limited

_FEW_FOR_PAIRS = 5000
"""Beyond as many records Proposition 12 would take longer than the exact analysis."""
_ROUGHLY = 1e-3
"""Relative tolerance of a first guess, which no bound rests on."""
METHODS = ("auto", "fourier", "crowd", "pairwise")


def gaussian(
    records: data.Source,
    size: int,
    *,
    sigma: float | None = None,
    epsilon: float | None = None,
    target: float | None = None,
    delta: float,
    clip: float | None = None,
    query: str = "mean",
    method: str = "auto",
    records_asked: str = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""How private a mean or sum with Gaussian noise is, for one parent set.

    Exactly one of `sigma`, `epsilon` and `target` is given. One column is analysed by Fourier
    inversion with bounded errors. Of several columns the upper end is the smaller of the crowd
    bound and the pairwise bound, the lower end the larger of an exact projection and a
    thresholded ratio on fresh draws. The upper end holds for every record.

    Parameters
    ----------
    records : array_like, shape (n_records,) or (n_records, n_columns), or path of a CSV file
        The parent set, repeated records included; numbers at most 1e100 in size.
    size : int
        n of the uniform sample, 1 <= n < N.
    sigma : float, optional
        Standard deviation of the noise on every coordinate of the query, > 0.
    epsilon : float, optional
        With `clip`: σ is the least for (ε, δ)-DP at sensitivity 2·clip/n (mean), 2·clip (sum).
    target : float, optional
        ≥ 0: asks for the least σ whose certified upper end is at most this.
    delta : float
        In (0, 1).
    clip : float, optional
        Records are scaled to Euclidean norm <= clip first; gives the worst-case ε.
    query : {"mean", "sum"}
        Over the sample.
    method : {"auto", "fourier", "crowd", "pairwise"}
        "fourier" needs one column, and is what "auto" takes there; otherwise it takes "crowd".
    records_asked : {"worst", "all"}
        Whether to list every record.
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
    >>> found = population.gaussian([0.0, 1.0, 2.0, 5.0], 2, sigma=1.0, delta=0.01)
    >>> found.worst_record, found.method
    (3, 'fourier')
    >>> 0 < found.population_epsilon.upper <= found.pairwise_bound
    True
    """
    given, value = only_one(sigma=sigma, epsilon=epsilon, target=target)
    if given == "epsilon" and clip is None:
        raise InvalidArgument("Expected `clip` with `epsilon`, got none. Give both, or `sigma`.")
    released = Released.of(
        records,
        size,
        delta=_validate.open_probability(delta, "delta"),
        query=query,
        clip=clip,
        records_asked=records_asked,
    )
    how, work = _method(method, released.values.shape[1]), effort or Effort()
    with limited(work.time_limit):
        if given == "target":
            used, found = _least(released, how, target_epsilon(value), work)
        else:
            used = _sigma(given, value, released)
            found = _bracket(released, how, work, used)
    if how == "fourier":
        found = _with_what_is_cheaper(found, released, used)
    return released.answer(found, Gaussian, "sigma", used)


def _with_what_is_cheaper(found: Bracket, released: Released, sigma: float) -> Bracket:
    vectors, total = _vectors(released), released.on_the_sum(sigma)
    few = len(released.values) <= _FEW_FOR_PAIRS
    pairwise = vectors.pairwise_only(total) if few else None
    kept = found if pairwise is None else found.capped(pairwise, "pairwise")
    return attrs.evolve(kept, pairwise=pairwise, estimate=vectors.estimate(total))


def _bracket(released: Released, method: str, effort: Effort, sigma: float) -> Bracket:
    """ε̃ with noise σ on the query."""
    setting, total = released.setting, released.in_reach(released.on_the_sum(sigma))
    if not np.ptp(released.values, axis=0).any():
        none = np.zeros(len(released.values))
        return Bracket.by(method, RecordBounds(np.arange(len(none)), none, none, Evidence.EXACT))
    vectors = _vectors(released)
    if method != "fourier":
        return (
            vectors.pairwise(total, effort)
            if method == "pairwise"
            else vectors.crowd(total, effort)
        )
    found = one_dimensional(
        released.values[:, 0],
        setting.size,
        Gaussian(total),
        setting.delta,
        records=setting.asked,
        effort=effort,
    )
    return Bracket.by("fourier", found)


def _least(released: Released, method: str, target: float, effort: Effort) -> tuple[float, Bracket]:
    """The least noise on the query that keeps to a target, and its analysis."""
    if method == "fourier":
        return released.least(partial(_bracket, released, method, effort), target)
    vectors = _vectors(released)
    released.in_reach(max(1.0, float(np.ptp(released.values, axis=0).max())))
    sure = Search(vectors.pairwise_only, float, target).least(released.start(target))
    certain, best = sure.scale, None
    if method == "crowd":
        hoped = Search(vectors.estimate, float, target, _ROUGHLY).least(certain).scale
        best = least_sampled_scale(vectors.crowd, target, hoped, certain, effort)
    total, found = best or (certain, vectors.pairwise(certain, effort).capped(sure.found))
    missed = None if best or sure.missed is None else released.on_the_query(sure.missed)
    how = Searched(target, missed, complete=sure.complete and not late())
    return released.on_the_query(total), attrs.evolve(found, search=how)


def _vectors(released: Released) -> VectorSum:
    setting = released.setting
    return VectorSum(released.values, setting.size, setting.delta, setting.asked)


def _method(method: object, columns: int) -> str:
    chosen = _validate.one_of(method, METHODS, "method")
    if chosen == "fourier" and columns > 1:
        raise InvalidArgument(
            f"Expected one column for the method fourier, got {columns}. Use crowd."
        )
    return chosen if chosen != "auto" else "fourier" if columns == 1 else "crowd"


def _sigma(given: str, value: float, released: Released) -> float:
    if given == "sigma":
        return _validate.positive(value, "sigma")
    assert released.clip is not None
    change = 2 * released.clip
    total = Gaussian.for_approx_dp(
        _validate.positive(value, "epsilon"), released.setting.delta, change
    ).scale
    return released.on_the_query(total)
