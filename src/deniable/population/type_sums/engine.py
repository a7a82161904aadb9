"""The door of sums over few types: a question in, an interval a record out."""

import attrs
import numpy as np

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace, Gaussian
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import epsilons
from deniable.population.question import (
    Floats,
    Ones,
    Question,
    Summands,
    Types,
    whole_numbers,
)
from deniable.population.type_sums import known_counts
from deniable.population.type_sums.counts import CountTables, Ints
from deniable.population.type_sums.posterior import Noise, variance
from deniable.population.type_sums.projection import lower_end
from deniable.population.type_sums.search import Released, upper_ends
from deniable.population.whole_sums import one_and_zero
from deniable.work.effort import Effort
from deniable.work.time_limit import OutOfTime, check, limited

MOST_TYPES = 64
"""Distinct records at most: lists of counts of more types miss the truth too often to be of use."""


def bracket(
    question: Question[Summands] | Question[Types], noise: Noise, effort: Effort
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
    noise : Gaussian, DiscreteLaplace or DiscreteGaussian
        On every number of the sum; discrete noise wants whole numbers.
    effort : Effort
        Confidence, gap, time limit, seed and workers, where draws are needed.

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
    if not isinstance(noise, Gaussian):
        whole_numbers(question.data.values, noise.name)
    types, places = _types(question)
    records = _asked(question.records, places)
    with limited(effort.time_limit):
        try:
            found = _of_types(types, question, noise, effort)
        except OutOfTime:
            found = _nothing_known(len(types.counts))
    effort.progress(1.0)
    return _of_records(found, records, places, worst=question.records == "worst")


def without_noise(question: Question[Summands] | Question[Types]) -> float:
    """An upper end of ε̃ of every record that no noise can raise, δ in (0, 1)."""
    types, _ = _types(question)
    if types.constant:
        return 0.0
    return float(known_counts.of_each_type(types.counts, question.size, question.delta).max())


def estimate(question: Question[Summands] | Question[Types], noise: Noise) -> float:
    """The largest ε̃ as if everything were normal; no bound."""
    types, _ = _types(question)
    rows = types.values - types.counts @ types.values / types.population
    tables = CountTables.of(types.counts, question.size)
    return float(_estimates(tables, rows, noise, question.delta).max())


def _types(question: Question[Summands] | Question[Types]) -> tuple[Types, Ints]:
    """Distinct records and their counts, and which of them each record, or row, is."""
    data = question.data
    if isinstance(data, Types):
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


def _asked(records: object, places: Ints) -> Ints:
    if isinstance(records, str):
        return np.flatnonzero(places >= 0)
    asked = np.array(records, np.int64)
    if asked.max() >= len(places) or np.any(places[asked] < 0):
        raise InvalidArgument(
            f"Expected rows from 0 to {len(places) - 1} that some record has, got {asked.tolist()}."
        )
    return asked


@attrs.frozen(eq=False)
class _Ends:
    """What was found of each type."""

    lower: Floats
    upper: Floats
    below: tuple[str, ...]
    above: tuple[str, ...]
    estimate: float | None = None
    draws: int = 0
    effort: Effort | None = None


def _nothing_known(kinds: int) -> _Ends:
    none = np.zeros(kinds)
    return _Ends(none, none + np.inf, kinds * ("none",), kinds * ("none",))


def _of_types(
    types: Types,
    question: Question[Summands] | Question[Types],
    noise: Noise,
    effort: Effort,
) -> _Ends:
    names = len(types.counts) * ("types",)
    if types.constant:
        none = np.zeros(len(types.counts))
        return _Ends(none, none, names, names)
    if question.delta == 0:
        return _Ends(*_pure(types, question.size, noise), names, names)
    rows = types.values - types.counts @ types.values / types.population
    released = Released(types.counts, rows, question.size, noise, question.delta)
    tables = released.tables(0)
    guess = _estimates(tables, rows, noise, question.delta)
    lower, upper = np.zeros(len(names)), np.full(len(names), np.inf)
    alike = _alike(types)
    for k in np.unique(alike):
        check()
        lower[k] = lower_end(tables, rows, noise, int(k), question.delta)
    lower = lower[alike]
    upper = known_counts.of_each_type(types.counts, question.size, question.delta)
    above = ["counts"] * len(names)
    best = float(lower.max())
    # Asked for the worst, no limit below the largest lower end is of use.
    least = np.full(len(names), best) if question.records == "worst" else lower
    wide = np.unique(alike[upper > least * (1 + effort.gap)])
    wide = wide[np.argsort(-guess[wide], kind="stable")]
    drawn = None
    if len(wide):
        drawn = upper_ends(released, wide, least[wide], guess[wide], effort)
        limits = np.full(len(names), np.inf)
        limits[wide] = drawn.upper
        for k in np.flatnonzero(limits[alike] < upper):
            upper[k], above[k] = limits[alike[k]], "types"
    # A lower end passes an upper one only where one of them fails, as the confidence allows.
    return _Ends(
        np.minimum(lower, upper),
        upper,
        len(names) * ("projection",),
        tuple(above),
        float(guess.max()),
        drawn.draws if drawn else 0,
        effort if "types" in above else None,
    )


def _alike(types: Types) -> Ints:
    """For each type the first whose ε̃ is the same: cells of a histogram with equal counts."""
    if not _is_histogram(types.values):
        return np.arange(len(types.counts))
    _, first, at = np.unique(types.counts, return_index=True, return_inverse=True)
    return np.asarray(first[at.ravel()])


def _is_histogram(values: Floats) -> bool:
    """Whether each row is 1 in a column of its own, and 0 elsewhere."""
    ones = (values == 1).sum(axis=0)
    zeros_and_ones = np.all((values == 0) | (values == 1))
    return bool(zeros_and_ones and np.all(values.sum(axis=1) == 1) and np.all(ones <= 1))


def _estimates(tables: CountTables, rows: Floats, noise: Noise, delta: float) -> Floats:
    """ε̃ of each type as if everything were normal; no bound."""
    many = tables.population
    shown = rows.T @ tables.covariance() @ rows + variance(noise) * np.eye(rows.shape[1])
    moved = rows * many / (many - 1)
    squares = np.einsum("ij,ij->i", moved, np.linalg.solve(shown, moved.T).T)
    # The record itself is not among those that hide it.
    share = tables.size / many
    own = share * (1 - share) * np.minimum(squares, 0.99 / (share * (1 - share)))
    return epsilons(np.sqrt(squares / (1 - own)), delta)


def _pure(types: Types, size: int, noise: Noise) -> tuple[Floats, Floats]:
    r"""δ = 0: discrete Laplace noise on a histogram, exactly.

    E[C_t | y] rises with y_t and falls with all others: the counts are independent log-concave
    weights given their sum (efron-1965). So the ratio is extreme where y_t is far out on one
    side and all others on the other: there Pr[C | y] ∝ Pr[C] e^{±(C_t − Σ others)/b}, that is
    ∝ Pr[C] e^{±2 C_t/b}, a count whose noise has half the scale.
    """
    if not (isinstance(noise, DiscreteLaplace) and _is_histogram(types.values)):
        raise InvalidArgument(
            "Expected delta > 0, or discrete Laplace noise on a histogram of 0 and 1 with each "
            "record in one cell, for the method types, got delta=0."
        )
    half = DiscreteLaplace(noise.scale / 2)
    ends = [
        one_and_zero(Ones(int(many), types.population), size, half, 0.0) for many in types.counts
    ]
    return np.array([low[0] for low, _ in ends]), np.array([high[0] for _, high in ends])


def _of_records(found: _Ends, records: Ints, places: Ints, *, worst: bool) -> RecordBounds:
    kinds = places[records]
    lower, upper = found.lower[kinds], found.upper[kinds]
    if worst:  # one record stands for the maximum over all of them
        top = int(np.argmax(upper))
        records, kinds = records[[top]], kinds[[top]]
        lower, upper = lower.max(keepdims=True), upper.max(keepdims=True)
    drawn = found.effort
    return RecordBounds(
        records,
        lower,
        upper,
        Evidence.ENCLOSURE if drawn is None else Evidence.CONFIDENCE,
        confidence=None if drawn is None else drawn.confidence,
        draws=None if drawn is None else found.draws,
        seed=None if drawn is None else drawn.seed,
        lower_methods=[found.below[k] for k in kinds],
        upper_methods=[found.above[k] for k in kinds],
        estimate=found.estimate,
    )
