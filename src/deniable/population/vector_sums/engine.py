"""The doors of vector sums: a question in, an interval a record out."""

import attrs
import numpy as np

from deniable.bounds import Evidence
from deniable.mechanisms.gaussian import Gaussian
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.question import Question, SampleFunction, Summands
from deniable.population.vector_sums.function_query import crowd_bounds_of_query
from deniable.population.vector_sums.vector import VectorSum
from deniable.population.work.effort import Effort


def bracket(
    question: Question[Summands] | Question[SampleFunction], noise: Gaussian, effort: Effort
) -> RecordBounds:
    """ε̃ of a sum of vectors, or of any function of the sample, plus Gaussian noise; by the crowd.

    Parameters
    ----------
    question : Question
        δ in (0, 1).
    noise : Gaussian
        On every coordinate of the sum, or of what the function gives.
    effort : Effort
        Confidence that all intervals cover; gap, time limit, seed and workers.

    Examples
    --------
    >>> question = Question(Summands([[0.0, 1.0], [2.0, 0.5], [1.0, 1.0], [0.5, 3.0]]), 2, 0.1)
    >>> bracket(question, Gaussian(4.0), Effort(gap=0.9)).method in ("crowd", "pairwise")
    True
    """
    if isinstance(question.data, SampleFunction):
        return _of_function(question, question.data, noise, effort)
    if question.data.constant:
        return _nothing(question).by("crowd")
    return _vectors(question).crowd(noise.scale, effort).only(question.records)


def pairwise(question: Question[Summands], noise: Gaussian, effort: Effort) -> RecordBounds:
    """The same without draws: upper ends by Proposition 12, lower ends by projection."""
    if question.data.constant:
        return _nothing(question).by("pairwise")
    return _vectors(question).pairwise(noise.scale, effort).only(question.records)


def _vectors(question: Question[Summands]) -> VectorSum:
    worst = question.records == "worst"
    return VectorSum(
        question.data.values, question.size, question.delta, "worst" if worst else "all"
    )


def _nothing(question: Question[Summands]) -> RecordBounds:
    """Where all records are the same nothing can be learnt."""
    none = np.zeros(len(question.targets))
    return RecordBounds(question.targets, none, none, Evidence.EXACT)


def _of_function(
    question: Question[SampleFunction], data: SampleFunction, noise: Gaussian, effort: Effort
) -> RecordBounds:
    found = crowd_bounds_of_query(
        data.function,
        data.rows,
        question.size,
        noise.scale,
        question.delta,
        targets=question.targets.tolist(),
        effort=effort,
    )
    return attrs.evolve(found.bounds, candidates=found.candidates).by("crowd")
