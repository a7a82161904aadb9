"""Which engine answers a question: decided here and nowhere else.

What is released decides, and where two engines could answer, the number of operations that
they would take. An engine is a function of a question, the noise and the effort allowed.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.population import choices, real_sums, vector_sums, whole_sums
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.question import Question, Summands
from deniable.work.effort import Effort

Engine: TypeAlias = Callable[[Question[Any], Any, Effort], RecordBounds]

GAUSSIAN = ("auto", "fourier", "crowd", "pairwise")
"""Methods for a sum with Gaussian noise."""
CHOICE = ("auto", "enumerate", "sample")
"""Methods for the exponential mechanism."""
FEW_FOR_PAIRS = 5000
"""Records beyond which Proposition 12, over 1.25e7 pairs, is more work than the exact analysis."""


def of_sum(data: Summands, noise: type, method: object = "auto") -> tuple[str, Engine]:
    """The engine for a sum, and its name.

    Parameters
    ----------
    data : Summands
        What each record adds.
    noise : type
        Gaussian, Laplace, or a noise on whole numbers.
    method : str
        With Gaussian noise one of `GAUSSIAN`: inversion of the characteristic function is exact
        and for one column only; draws are for any number.
    """
    if noise is Laplace:
        return "fourier", real_sums.bracket
    if noise is not Gaussian:
        return "lattice", whole_sums.bracket
    chosen = _validate.one_of(method, GAUSSIAN, "method")
    if chosen == "auto":
        chosen = "fourier" if data.columns == 1 else "crowd"
    if chosen == "fourier":
        if data.columns > 1:
            raise InvalidArgument(
                f"Expected one column for the method fourier, got {data.columns}. Use crowd."
            )
        return chosen, real_sums.bracket
    return chosen, vector_sums.bracket if chosen == "crowd" else vector_sums.pairwise


def of_choice(
    question: Question[choices.Scores] | Question[choices.OwnLoss],
    epsilon: float,
    method: str,
    effort: Effort,
    times: int = 1,
) -> Engine:
    """The engine for the exponential mechanism.

    Parameters
    ----------
    question : Question
        About a table of scores, or a loss function.
    epsilon : float
        The largest ε it will be asked at; the work grows with it.
    method : str
        One of `CHOICE`.
    effort : Effort
        All samples are listed where the time limit allows it.
    times : int
        How often the engine will be asked.
    """
    if method == "auto":
        few = _few_samples(question, epsilon, effort, times)
        method = "enumerate" if few else "sample"
    return choices.by_enumeration if method == "enumerate" else choices.by_sampling


def _few_samples(
    question: Question[choices.Scores] | Question[choices.OwnLoss],
    epsilon: float,
    effort: Effort,
    times: int,
) -> bool:
    """Whether all samples can be looked at: by calls of a loss, by operations on a table."""
    if isinstance(question.data, choices.OwnLoss):
        return question.data.function.calls <= choices.MOST_CALLS
    operations = times * choices.enumeration_operations(question, epsilon)
    return operations <= choices.allowed(effort.time_limit)
