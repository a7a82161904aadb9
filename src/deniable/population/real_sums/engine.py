"""ε̃ of a sum of real numbers with Gaussian or Laplace noise, for any population and sample size."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import limited
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import gaussian_tails
from deniable.population.question import Question, Summands
from deniable.population.real_sums.approximate import approximate_epsilons
from deniable.population.real_sums.problem import Noise, Problem
from deniable.population.real_sums.pure_laplace import pure_laplace_epsilons

METHOD = "fourier"
Intervals: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


def bracket(question: Question[Summands], noise: Noise, effort: Effort) -> RecordBounds:
    r"""ε̃ of the sum of a uniform n-subset of N numbers plus noise.

    .. math:: \tilde\epsilon_x = \min\{\epsilon \ge 0 : D_{e^\epsilon}(P_{in}\|P_{out}) \le \delta,
              D_{e^\epsilon}(P_{out}\|P_{in}) \le \delta\}

    Parameters
    ----------
    question : Question
        About one column; any unit. δ = 0 asks for sup \|ln(p_in/p_out)\|, under Gaussian noise
        that is infinite for some record, and for every one that does not tie at both ends. Where
        the worst record is asked for, there is one interval for the maximum over *all* records,
        beside the position of one that attains it; the others were looked at and dismissed at
        the largest lower bound found.
    noise : Gaussian or Laplace
        Its scale in the unit of the *sum*: for a mean, n times the scale added to the mean.
    effort : Effort
        `gap` sets how finely Laplace noise is resolved; when `time_limit` is over, the records
        not reached get the bound of the noise alone.

    Returns
    -------
    RecordBounds
        With evidence `enclosure`; `exact` for constant data.

    Raises
    ------
    InvalidArgument
        If there is more than one column.

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> question = Question(Summands([0.0, 0.0, 1.0, 5.0]), 2, 0.01)
    >>> found = bracket(question, Gaussian(2.0), Effort())
    >>> found.worst(), round(found.maximum().lower, 5), round(found.maximum().upper, 5)
    (3, 7.34126, 7.34126)
    """
    problem = Problem.of(question, noise, effort)
    records = question.targets
    if question.data.constant:
        none = np.zeros(len(records))
        return RecordBounds(records, none, none, Evidence.EXACT).by(METHOD)
    targets, worst = np.unique(problem.index[records]), question.records == "worst"
    with limited(effort.time_limit):
        lower, upper = _bound_epsilons(problem, targets, worst=worst)
    if worst:
        record = int(np.argmax(problem.index == targets[np.argmax(upper)]))
        bounds = RecordBounds([record], [lower.max()], [upper.max()], Evidence.ENCLOSURE)
        return bounds.by(METHOD)
    order = np.searchsorted(targets, problem.index[records])
    return RecordBounds(records, lower[order], upper[order], Evidence.ENCLOSURE).by(METHOD)


def _bound_epsilons(problem: Problem, targets: NDArray[np.int64], *, worst: bool) -> Intervals:
    """Ends of ε̃ at some of the distinct values, by the method for this noise and δ."""
    if problem.delta > 0:
        return approximate_epsilons(problem, targets, worst=worst)
    if isinstance(problem.noise, Gaussian):
        return gaussian_tails(problem.counts, problem.size, targets)
    return pure_laplace_epsilons(problem, targets, worst=worst)
