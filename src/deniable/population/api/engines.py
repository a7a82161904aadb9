"""Which engine answers a question: decided here and nowhere else.

What is released decides, and where two engines could answer, the number of operations that
they would take. An engine is a function of a question, the noise and the effort allowed.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import Effort
from deniable.population import choices, integer_sums, real_sums, type_sums, vector_sums
from deniable.population.answer import RecordBounds
from deniable.population.question import Question, Summands, Types

Engine: TypeAlias = Callable[[Question[Any], Any, Effort], RecordBounds]

GAUSSIAN = ("auto", "fourier", "crowd", "pairwise", "types")
"""Methods for a sum with Gaussian noise."""
INTEGER_NOISE = ("auto", "lattice", "types")  # Methods for a sum with discrete noise
FEW_TYPES = 8  # Distinct records up to which they are few: draws take about K times their number
ENOUGH_RECORDS = 100  # Among fewer the noise hides counts, and their draws take longer
CHOICE = ("auto", "enumerate", "sample")  # Methods for the exponential mechanism
FEW_FOR_PAIRS = 5000  # Beyond, Proposition 12, over 1.25e7 pairs, is more work than exactly


def of_sum(data: Summands | Types, noise: type, method: object = "auto") -> tuple[str, Engine]:
    """The engine for a sum, and its name.

    With Gaussian noise the method is one of `GAUSSIAN`: inversion of the characteristic function is
    exact and for one column only; draws are for any number. With discrete noise one of
    `INTEGER_NOISE`: sums are enclosed for one column only.
    """
    if noise is Laplace:
        return "fourier", real_sums.bracket
    name = validate.one_of(method, GAUSSIAN if noise is Gaussian else INTEGER_NOISE, "method")
    if name == "auto":  # of one column the exact method; of several the types, if they are few
        several = isinstance(data, Summands) and data.columns > 1
        if isinstance(data, Types) or (several and noise is not Gaussian):
            name = "types"
        elif several:
            many = data.population >= ENOUGH_RECORDS
            name = "types" if many and len(np.unique(data.values, axis=0)) <= FEW_TYPES else "crowd"
        else:
            name = "fourier" if noise is Gaussian else "lattice"
    if name == "types":
        return name, type_sums.bracket
    if isinstance(data, Types):
        raise InvalidArgument(
            f"Expected the method types for rows with counts, got {name}. Leave the method out."
        )
    if name in ("fourier", "lattice") and data.columns > 1:
        remedy = "Use crowd." if name == "fourier" else "Use types."
        raise InvalidArgument(
            f"Expected one column for the method {name}, got {data.columns}. {remedy}"
        )
    engines: dict[str, Engine] = {
        "fourier": real_sums.bracket,
        "lattice": integer_sums.bracket,
        "crowd": vector_sums.bracket,
        "pairwise": vector_sums.pairwise,
    }
    return name, engines[name]


def of_choice(
    question: Question[choices.Scores] | Question[choices.OwnLoss],
    epsilon: float,
    method: str,
    effort: Effort,
    times: int = 1,
) -> Engine:
    """The engine for the exponential mechanism.

    It will be asked so many `times`, at most at this ε, with which the work grows. The method is
    one of `CHOICE`; all samples are listed where the time limit allows it.
    """
    if method == "auto":
        # By calls of a loss, or by operations on a table.
        if isinstance(question.data, choices.OwnLoss):
            few = question.data.function.calls <= choices.MOST_CALLS
        else:
            operations = times * choices.enumeration_operations(question, epsilon)
            few = operations <= choices.allowed_operations(effort.time_limit)
        method = "enumerate" if few else "sample"
    return choices.by_enumeration if method == "enumerate" else choices.by_sampling
