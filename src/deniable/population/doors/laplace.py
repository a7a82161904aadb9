"""`deniable.population.laplace`: Laplace noise on the mean or sum of one column."""

from functools import partial

from deniable import _validate
from deniable.mechanisms.laplace import Laplace
from deniable.population.answer.answer import PopulationAnswer
from deniable.population.answer.bracket import Bracket
from deniable.population.doors import parent_set as data
from deniable.population.doors.additive import Released, only_one, pure_or_approximate
from deniable.population.real_sums.one_dimensional import one_dimensional
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import limited


def laplace(
    records: data.Source,
    size: int,
    *,
    scale: float | None = None,
    target: float | None = None,
    delta: float = 0.0,
    query: str = "mean",
    clip: float | None = None,
    records_asked: str = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""How private a mean or sum with Laplace noise is, for one parent set.

    Exactly one of `scale` and `target` is given. ε̃ at δ = 0 is the supremum of the ratio of the
    two densities over all outputs, in the tails and inside.

    Parameters
    ----------
    records : array_like, shape (n_records,) or (n_records, 1), or path of a CSV file
        The parent set, repeated records included; numbers at most 1e100 in size.
    size : int
        n of the uniform sample, 1 <= n < N.
    scale : float, optional
        Of the noise, in units of the query, > 0.
    target : float, optional
        ≥ 0: asks for the least scale whose certified upper end is at most this.
    delta : float
        In [0, 1).
    query : {"mean", "sum"}
        Over the sample.
    clip : float, optional
        Records are cut to [−clip, clip] first; gives the worst-case ε.
    records_asked : {"worst", "all"}
        Whether to list every record.
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
    released = Released.of(
        records,
        size,
        delta=pure_or_approximate(delta),
        query=query,
        clip=clip,
        records_asked=records_asked,
    )
    analysis = partial(_bracket, released, work)
    with limited(work.time_limit):
        if given == "scale":
            used = _validate.positive(value, "scale")
            found = analysis(used)
        else:
            used, found = released.least(analysis, value)
    return released.answer(found, Laplace, "scale", used)


def _bracket(released: Released, effort: Effort, scale: float) -> Bracket:
    found = one_dimensional(
        data.column(released.values, "Laplace"),
        released.setting.size,
        Laplace(released.in_reach(released.on_the_sum(scale))),
        released.setting.delta,
        records=released.setting.asked,
        effort=effort,
    )
    return Bracket.by("fourier", found)
