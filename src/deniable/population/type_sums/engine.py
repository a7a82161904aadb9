"""The door of sums over few types: a question in, an interval a record out."""

import numpy as np

from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import OutOfTime, limited
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.question import Question, Selection, Summands, Types, as_integers
from deniable.population.type_sums import known_counts
from deniable.population.type_sums.counts import CountTables, Ints
from deniable.population.type_sums.ends import TypeBounds, certain_bounds, estimates, of_types
from deniable.population.type_sums.noise import ColumnNoise, Mechanism
from deniable.population.type_sums.selected import Selected

MOST_TYPES = 64
"""Distinct records at most: lists of counts of more types miss the truth too often to be of use."""


def bracket(
    question: Question[Summands] | Question[Types],
    noise: Mechanism | ColumnNoise,
    effort: Effort,
    selections: tuple[Selection, ...] = (),
) -> RecordBounds:
    """ε̃ of a sum of vectors of which few are distinct, plus noise on every number.

    Records of one type are exchangeable, so the work depends on how many types there are, and
    hardly on N. See docs/explanation/records-of-few-types.md. A record of `Types` is a row of
    its table.

    Parameters
    ----------
    question : Question
        About at most 64 distinct records; δ > 0, or δ = 0 with discrete Laplace noise on a
        histogram: whole numbers, each record in one cell.
    noise : Gaussian, DiscreteLaplace, DiscreteGaussian or ColumnNoise
        On every number of the sum; discrete noise wants whole numbers.
    effort : Effort
        Confidence, gap, time limit, seed and workers, where draws are needed.
    selections : tuple of Selection
        Released together with the sum, δ > 0, of rows of `Types` in the same order.

    Raises
    ------
    InvalidArgument
        If there are more types, or the question is about δ = 0 and another release.

    Examples
    --------
    >>> cells = Types(np.eye(3), [5_000_000, 3_000_000, 2_000_000])
    >>> found = bracket(Question(cells, 5_000_000, 1e-5), Gaussian(5.0), Effort())
    >>> found.evidence.word, found.worst(), found.maximum().upper < 0.01
    ('enclosure', 2, True)
    """
    each = ColumnNoise.of(noise, question.data.columns)
    if each.kind is not Gaussian:
        as_integers(question.data.values, each.name)
    types, places = _types(question, merged=not selections)
    records = _select_rows(question.records, places)
    with limited(effort.time_limit):
        try:
            bounds = of_types(
                types, question.size, question.delta, each, effort,
                worst=question.records == "worst", selections=selections,
            )  # fmt: skip
        except OutOfTime:
            none = np.zeros(len(types.counts))
            bounds = TypeBounds(none, none + np.inf, "none", ("none",) * len(none))
    effort.progress(1.0)
    return _of_records(bounds, records, places, worst=question.records == "worst")


def without_noise(question: Question[Summands] | Question[Types]) -> float:
    """An upper bound of ε̃ of every record that no noise can raise, δ in (0, 1)."""
    types, _ = _types(question)
    if types.constant:
        return 0.0
    return float(known_counts.of_each_type(types.counts, question.size, question.delta).max())


def certain_lower_bound(
    question: Question[Summands] | Question[Types], noise: Mechanism | ColumnNoise
) -> float:
    """What the largest ε̃ is at least, without a draw; δ in (0, 1)."""
    types, _ = _types(question)
    each = ColumnNoise.of(noise, types.columns)
    return float(certain_bounds(types, question.size, question.delta, each).lower.max())


def estimate(
    question: Question[Summands] | Question[Types],
    noise: Mechanism | ColumnNoise,
    selections: tuple[Selection, ...] = (),
) -> float:
    """The largest ε̃ as if everything were normal; no bound."""
    types, _ = _types(question, merged=not selections)
    rows = types.values - types.counts @ types.values / types.population
    tables = CountTables.of(types.counts, question.size)
    columns = Selected(selections).columns(rows, ColumnNoise.of(noise, types.columns))
    return float(estimates(tables, *columns, question.delta).max())


def _types(
    question: Question[Summands] | Question[Types], *, merged: bool = True
) -> tuple[Types, Ints]:
    """Distinct records and their counts, and which of them each record, or row, is."""
    data = question.data
    if isinstance(data, Types) and not merged:
        types, places = data, np.arange(len(data.counts))
    elif isinstance(data, Types):
        types, places = data.distinct(), data.places()
    else:
        rows, at, many = np.unique(data.values, axis=0, return_inverse=True, return_counts=True)
        types, places = Types(rows, many), at.ravel()
    if len(types.counts) > MOST_TYPES:
        raise InvalidArgument(
            f"Expected at most {MOST_TYPES} distinct records for the method types, got "
            f"{len(types.counts)}. Use another method."
        )
    return types, places


def _select_rows(records: object, places: Ints) -> Ints:
    if isinstance(records, str):
        return np.flatnonzero(places >= 0)
    rows = np.array(records, np.int64)
    if rows.max() >= len(places) or np.any(places[rows] < 0):
        raise InvalidArgument(
            f"Expected rows from 0 to {len(places) - 1} that some record has, got {rows.tolist()}."
        )
    return rows


def _of_records(bounds: TypeBounds, records: Ints, places: Ints, *, worst: bool) -> RecordBounds:
    kinds = places[records]
    lower, upper = bounds.lower[kinds], bounds.upper[kinds]
    if worst:  # one record stands for the maximum over all of them
        top = int(np.argmax(upper))
        records, kinds = records[[top]], kinds[[top]]
        lower, upper = lower.max(keepdims=True), upper.max(keepdims=True)
    drawn = bounds.effort
    return RecordBounds(
        records,
        lower,
        upper,
        Evidence.ENCLOSURE if drawn is None else Evidence.CONFIDENCE,
        confidence=None if drawn is None else drawn.confidence,
        draws=None if drawn is None else bounds.draws,
        seed=None if drawn is None else drawn.seed,
        lower_methods=[bounds.below] * len(kinds),
        upper_methods=[bounds.above[k] for k in kinds],
        estimate=bounds.estimate,
        candidates=None if drawn is None else bounds.longest,
    )
