"""`deniable.population.query`: any function of the sampled records, with Gaussian noise."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.population.answer.answer import Noise, PopulationAnswer
from deniable.population.answer.bracket import Bracket, Promise, Setting, answer
from deniable.population.doors import parent_set as data
from deniable.population.doors.additive import asked
from deniable.population.vector_sums import crowd_bounds_of_query
from deniable.population.work.effort import Effort


def query(
    query: Callable[[NDArray[Any]], ArrayLike],
    records: ArrayLike,
    size: int,
    *,
    sigma: float,
    delta: float,
    targets: Sequence[int] | None = None,
    records_asked: str = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    """How private any function of a sample is, a median say, with Gaussian noise.

    By the crowd bound alone. The sensitivity of the query is not known, so no differential
    privacy stands beside it.

    Parameters
    ----------
    query : callable
        The sampled rows, in the order of the parent set, to d finite numbers.
    records : array_like, shape (n_records, ...)
        The parent set, a record a row.
    size : int
        n of the uniform sample, 1 <= n < N.
    sigma : float
        Standard deviation of the noise on every coordinate of the query, > 0.
    delta : float
        In (0, 1).
    targets : sequence of int, optional
        The records that the answer is about; all of them where left out.
    records_asked : {"worst", "all"}
        Whether to list each of them.
    effort : Effort, optional
        Confidence, seed, gap, time limit, workers, checkpoint.

    Returns
    -------
    PopulationAnswer
        `population_epsilon` is the maximum over the targets.

    Raises
    ------
    InvalidArgument
        If an argument is out of its range, or the query gives no finite numbers.

    Examples
    --------
    >>> from deniable import population
    >>> rows = np.array([1.0, 1.5, 2.0, 4.0, 4.5, 9.0])
    >>> found = population.query(
    ...     lambda m: [np.median(m)], rows, 3, sigma=2.0, delta=0.05, targets=[5],
    ...     effort=Effort(gap=1.0),
    ... )
    >>> found.method, found.population_epsilon.upper < 2
    ('crowd', True)
    """
    rows = np.asarray(records)
    if rows.ndim == 0:
        raise InvalidArgument("Expected records, a row each, got a single number.")
    setting = Setting(
        data.sample_size(size, len(rows)),
        len(rows),
        _validate.open_probability(delta, "delta"),
        asked(records_asked),
    )
    spread = _validate.positive(sigma, "sigma")
    chosen = range(len(rows)) if targets is None else targets
    found = crowd_bounds_of_query(
        query, rows, setting.size, spread, setting.delta, targets=chosen, effort=effort or Effort()
    )
    bracket = Bracket.by("crowd", found.bounds, candidates=found.candidates)
    return answer(bracket, setting, Noise("sigma", spread), Promise(None, None, None))
