"""ε̃ of a sum of real numbers with Gaussian or Laplace noise, for any population and sample size."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable import _validate
from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.real_sums.approximate import approximate_epsilons
from deniable.population.real_sums.pure_gaussian import pure_gaussian_epsilons
from deniable.population.real_sums.pure_laplace import pure_laplace_epsilons
from deniable.population.real_sums.question import Intervals, Question
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import limited

Records: TypeAlias = Literal["worst", "all"] | Sequence[int]


def one_dimensional(
    values: ArrayLike,
    size: int,
    noise: Gaussian | Laplace,
    delta: float,
    *,
    records: Records = "worst",
    effort: Effort | None = None,
) -> RecordBounds:
    r"""ε̃ of the sum of a uniform n-subset of N numbers plus noise.

    .. math:: \tilde\epsilon_x = \min\{\epsilon \ge 0 : D_{e^\epsilon}(P_{in}\|P_{out}) \le \delta,
              D_{e^\epsilon}(P_{out}\|P_{in}) \le \delta\}

    Parameters
    ----------
    values : array_like of float, shape (n_records,)
        The numbers y_i, at least two, finite; any unit.
    size : int
        n, how many are summed, 1..N−1.
    noise : Gaussian or Laplace
        Its scale in the unit of the *sum*: for a mean, n times the scale added to the mean.
    delta : float
        In [0, 1); 0 asks for sup \|ln(p_in/p_out)\|, under Gaussian noise that is
        infinite for some record, and for every one that does not tie at both ends.
    records : "worst", "all" or sequence of int
        "all" and a sequence give one interval a record. "worst" gives one interval for the
        maximum over *all* records, beside the position of one that attains it; the others were
        looked at and dismissed at the largest lower end found.
    effort : Effort, optional
        `gap` sets how finely Laplace noise is resolved; when `time_limit` is over, the records
        not reached get the bound of the noise alone.

    Returns
    -------
    RecordBounds
        With evidence `enclosure`; `exact` for constant data.

    Raises
    ------
    InvalidArgument
        If values are not finite numbers, n is not in 1..N−1, δ not in [0, 1), or a record does
        not exist.

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> found = one_dimensional([0.0, 0.0, 1.0, 5.0], 2, Gaussian(2.0), 0.01)
    >>> found.worst(), round(found.maximum().lower, 5), round(found.maximum().upper, 5)
    (3, 7.34126, 7.34126)
    """
    numbers = _numbers(values)
    n = _size(size, len(numbers))
    question = Question(numbers, n, noise, _delta(delta), effort or Effort())
    wanted = _wanted(records, len(numbers))
    if question.constant:
        none = np.zeros(len(wanted))
        return RecordBounds(wanted, none, none, Evidence.EXACT)
    places = np.unique(question.place[wanted])
    with limited(question.effort.time_limit):
        found = _intervals(question, places, worst=isinstance(records, str) and records == "worst")
    if isinstance(records, str) and records == "worst":
        return _worst(question, found)
    order = np.searchsorted(found.places, question.place[wanted])
    return RecordBounds(wanted, found.lower[order], found.upper[order], Evidence.ENCLOSURE)


def _intervals(question: Question, places: NDArray[np.int64], *, worst: bool) -> Intervals:
    if question.delta > 0:
        return approximate_epsilons(question, places, worst=worst)
    if isinstance(question.noise, Gaussian):
        return pure_gaussian_epsilons(question, places)
    return pure_laplace_epsilons(question, places, worst=worst)


def _worst(question: Question, found: Intervals) -> RecordBounds:
    value = found.places[np.argmax(found.upper)]
    record = int(np.argmax(question.place == value))
    lower, upper = found.lower.max(), found.upper.max()
    return RecordBounds([record], [lower], [upper], Evidence.ENCLOSURE)


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument("Expected values to be numbers, got something else.") from None
    if numbers.ndim != 1 or len(numbers) < 2:
        raise InvalidArgument(
            f"Expected values of shape (n_records,), at least two, got {numbers.shape}."
        )
    if not np.all(np.isfinite(numbers)):
        bad = int(np.argmin(np.isfinite(numbers)))
        raise InvalidArgument(
            f"Expected finite values, got NaN or infinity at position {bad}. Clip or drop them."
        )
    return numbers


def _size(size: Any, records: int) -> int:
    n = _validate.integer(size, "size", least=1)
    if n >= records:
        raise InvalidArgument(
            f"Expected size < {records}, the number of records, got size={n}. "
            f"A sample that is everyone hides no one."
        )
    return n


def _delta(delta: Any) -> float:
    d = _validate.probability(delta, "delta")
    if d == 1:
        raise InvalidArgument("Expected 0 <= delta < 1, got delta=1.0.")
    return d


def _wanted(records: Records, many: int) -> NDArray[np.int64]:
    if isinstance(records, str):
        _validate.one_of(records, ("worst", "all"), "records")
        return np.arange(many)
    wanted = np.asarray([_validate.integer(each, "records", least=0) for each in records], np.int64)
    if not wanted.size or wanted.max() >= many:
        raise InvalidArgument(
            f"Expected record positions below {many}, at least one, got {wanted.tolist()}."
        )
    return wanted
