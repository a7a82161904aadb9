"""`deniable.population.query`: any function of the sampled records, with Gaussian noise."""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.effort import Effort
from deniable.population import vector_sums
from deniable.population.answer.answer import Noise, PopulationAnswer, answer
from deniable.population.question import Question, Records, SampleFunction


def query(
    query: Callable[[NDArray[Any]], ArrayLike],
    data: ArrayLike,
    size: int,
    *,
    sigma: float,
    delta: float,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    """How private any function of a sample is, a median say, with Gaussian noise.

    By the crowd bound alone. The sensitivity of the query is not known, so no differential
    privacy stands beside it.

    Parameters
    ----------
    query : callable
        The sampled rows, in the order of the parent set, to d finite numbers.
    data : array_like, shape (n_records, ...)
        The parent set, a record a row.
    size : int
        n of the uniform sample, 1 <= n < N.
    sigma : float
        Standard deviation of the noise on every coordinate of the query, > 0.
    delta : float
        In (0, 1).
    records : "worst", "all" or sequence of int
        Which records the answer is about; all of them, and positions, are listed.
    effort : Effort, optional
        Confidence, seed, gap, time limit, workers, checkpoint.

    Returns
    -------
    PopulationAnswer
        `population_epsilon` is the maximum over these records.

    Raises
    ------
    InvalidArgument
        If an argument is out of its range, or the query gives no finite numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from deniable import population
    >>> rows = np.array([1.0, 1.5, 2.0, 4.0, 4.5, 9.0])
    >>> found = population.query(
    ...     lambda m: [np.median(m)], rows, 3, sigma=2.0, delta=0.05, records=[5],
    ...     effort=Effort(gap=1.0),
    ... )
    >>> found.method, found.population_epsilon.upper < 2
    ('crowd', True)
    """
    chance = validate.normal(validate.open_probability(delta, "delta"), "delta")
    question = Question(SampleFunction(query, data), size, chance, records)
    noise = Gaussian(validate.positive(sigma, "sigma"))
    work = effort or Effort()
    bounds = vector_sums.bracket(question, noise, work)
    return answer(question, Noise("sigma", noise.scale), bounds, work)
