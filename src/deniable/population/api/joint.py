"""`deniable.population.joint`, `.query`: several queries on one sample, or any function."""

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import Gaussian
from deniable.numerics.effort import Effort
from deniable.numerics.rounding import directed, lower
from deniable.population import vector_sums
from deniable.population.answer import NoiseParameter, PopulationAnswer, answer
from deniable.population.api.additive import QUERIES, in_reach
from deniable.population.api.gaussian import gaussian
from deniable.population.question import (
    Floats,
    Ints,
    Question,
    Records,
    SampleFunction,
    Types,
    numbers,
    sample_size,
    shift_columns,
)


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
    """Compute how private any function of a sample with Gaussian noise is, such as a median.

    By the crowd bound alone. The sensitivity of the query is not known, so no differential
    privacy stands beside it.

    Parameters
    ----------
    query : callable
        The sampled rows, in the order of the parent set, to d finite numbers.
    data : array_like, shape (n_records, ...)
        The parent set, a record a row.
    size, sigma, delta, effort
        As in `gaussian`.
    records : "worst", "all" or sequence of int
        Which records the answer is about; all of them, and positions, are listed.

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
    >>> answer = population.query(
    ...     lambda m: [np.median(m)], rows, 3, sigma=2.0, delta=0.05, records=[5],
    ...     effort=Effort(gap=1.0),
    ... )
    >>> answer.method, answer.population_epsilon.upper < 2
    ('crowd', True)
    """
    chance = validate.normal(validate.open_probability(delta, "delta"), "delta")
    question = Question(SampleFunction(query, data), size, chance, records)
    noise = Gaussian(validate.positive(sigma, "sigma"))
    work = effort or Effort()
    bounds = vector_sums.bracket(question, noise, work)
    return answer(question, NoiseParameter("sigma", noise.scale), bounds, work)


_LESS = 1 - 1e-12  # Noise, where 1 is meant, beside numbers whose last digits were rounded


@attrs.frozen(eq=False)
class LinearQuery:
    """One linear query on the sample, with independent Gaussian noise on each coordinate.

    Parameters
    ----------
    data : array_like, shape (n_records,) or (n_records, n_columns), or path of a CSV file
        What each record of the parent set adds; the same records in the same order in every
        query of a joint release.
    sigma : float
        Standard deviation of the noise on every coordinate of the query, > 0.
    query : {"mean", "sum"}
        Over the sample.
    """

    data: Floats = attrs.field(converter=numbers)
    sigma: float
    query: str = "mean"

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "sigma", validate.positive(self.sigma, "sigma"))
        validate.one_of(self.query, QUERIES, "query")

    def of_the_sum(self, size: int, counts: Ints | None = None) -> tuple[Floats, float]:
        """What each record, or row, adds to the sum, and the standard deviation of its noise."""
        values = shift_columns(self.data)
        present = values if counts is None else values[counts > 0]
        with directed() as r:
            total = lower(r(self.sigma) * (size if self.query == "mean" else 1))
        return values, in_reach(present, total)


def joint(
    queries: Sequence[LinearQuery],
    size: int,
    *,
    delta: float,
    method: str = "auto",
    counts: ArrayLike | None = None,
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    """Compute how private several noisy linear queries on one sample are together.

    Population guarantees do not add up: each query may hide who is in the sample while all of
    them together show it. The queries are stacked into one vector, each coordinate in units of
    its own noise; the answer's `sigma` is 1 in these units.

    Parameters
    ----------
    queries : sequence of LinearQuery
        At least one; all of the same parent set.
    counts : array_like of int, optional
        How many records have each row, the same for every query: then N may be 10^7 and more, for
        at most 64 distinct rows.
    size, delta, method, records, effort
        As in `gaussian`.

    Raises
    ------
    InvalidArgument
        If there is no query, or they are not of the same number of records.

    References
    ----------
    lowy-2024, Discussion (which says that the guarantee does not compose as ε does).

    Examples
    --------
    >>> from deniable import population
    >>> ages, visits = [20.0, 30.0, 45.0, 60.0], [1.0, 0.0, 3.0, 9.0]
    >>> both = [LinearQuery(ages, 20.0), LinearQuery(visits, 3.0)]
    >>> answer = population.joint(both, 2, delta=0.01, method="pairwise")
    >>> answer.population_epsilon.upper <= answer.epsilon_restricted_sensitivity
    True
    >>> sexes, regions = [[1, 0], [1, 0], [0, 1]], [[1, 0], [0, 1], [0, 1]]
    >>> tables = [LinearQuery(each, 5.0, "sum") for each in (sexes, regions)]
    >>> counts = [5_000_000, 1_000_000, 4_000_000]
    >>> answer = population.joint(tables, 2_000_000, delta=1e-6, counts=counts)
    >>> answer.method, answer.population_epsilon.upper < 0.02
    ('counts', True)
    """
    if not queries:
        raise InvalidArgument("Expected at least one query, got none.")
    rows = {len(query.data) for query in queries}
    if len(rows) > 1:
        raise InvalidArgument(
            f"Expected as many records in every query, got {', '.join(map(str, sorted(rows)))}. "
            "List the same parent set, in the same order, for each."
        )
    (each,) = rows
    many = None if counts is None else Types(np.zeros(each), counts).counts
    n = sample_size(size, each if many is None else int(many.sum()))
    sums = [query.of_the_sum(n, many) for query in queries]
    unit = sums[0][1]
    # Numbers with one noise stay as they are; quotients are rounded, and less noise pays for it.
    if any(total != unit for _, total in sums):
        sums, unit = [(values / total, _LESS) for values, total in sums], 1.0
    stacked = np.hstack([values for values, _ in sums])
    answer = gaussian(
        stacked if many is None else np.column_stack([stacked, many]),
        n,
        sigma=sums[0][1],
        delta=delta,
        query="sum",
        method=method,
        counts=many is not None,
        records=records,
        effort=effort,
    )
    # With noise of standard deviation 1, and distances in units of it.
    each_record = [
        attrs.evolve(one, distance=None if one.distance is None else one.distance / unit)
        for one in answer.records
    ]
    return attrs.evolve(answer, noise=NoiseParameter("sigma", 1.0), records=tuple(each_record))
