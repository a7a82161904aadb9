"""`deniable.population.laplace`: Laplace noise on the mean or sum of one column."""

from functools import partial

from deniable.errors import validate
from deniable.mechanisms.laplace import Laplace
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import limited
from deniable.population.answer.answer import PopulationAnswer
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.api import engines
from deniable.population.api.additive import AdditiveQuery, only_one
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
    r"""How private a mean or sum with Laplace noise is, for one parent set.

    Exactly one of `scale` and `target` is given. ε̃ at δ = 0 is the supremum of the ratio of the
    two densities over all outputs, in the tails and inside.

    Parameters
    ----------
    data : array_like, shape (n_records,) or (n_records, 1), or path of a CSV file
        The parent set, repeated records included; numbers at most 1e100 in size.
    size : int
        n of the uniform sample, 1 <= n < N.
    scale : float, optional
        Of the noise, in units of the query, > 0.
    target : float, optional
        ≥ 0: asks for the least scale whose certified upper bound is at most this.
    delta : float
        In [0, 1).
    query : {"mean", "sum"}
        Over the sample.
    clip : float, optional
        Records are cut to [−clip, clip] first; gives the worst-case ε.
    records : "worst", "all" or sequence of int
        All records and positions are listed, each with its interval.
    effort : Effort, optional
        Workers, checkpoint, progress.

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
    lowy-2024, Definition 2.

    Examples
    --------
    >>> from deniable import population
    >>> found = population.laplace([0.0, 1.0, 2.0, 5.0], 2, scale=1.0)
    >>> found.worst_record, found.epsilon_restricted_sensitivity
    (3, 2.5)
    >>> 0 < found.population_epsilon.lower <= found.population_epsilon.upper < 2.5
    True
    """
    work = effort or Effort()
    given, value = only_one(scale=scale, target=target)
    released = AdditiveQuery.of(data, size, delta=delta, query=query, clip=clip, records=records)
    analysis = partial(_bracket, released, work)
    search = None
    with limited(work.time_limit):
        if given == "scale":
            used = validate.positive(value, "scale")
            bounds = analysis(used)
        else:
            used, bounds, search = released.least(analysis, value)
    return released.answer(bounds, Laplace, "scale", used, work, search)


def _bracket(released: AdditiveQuery, effort: Effort, scale: float) -> RecordBounds:
    """ε̃ with noise of this scale on the query."""
    noise = Laplace(released.in_reach(released.on_the_sum(scale)))
    _, engine = engines.of_sum(released.question.data, Laplace)
    return engine(released.question, noise, effort)
