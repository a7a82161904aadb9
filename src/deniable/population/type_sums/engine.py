"""The entry to sums over few types: a question in, an interval a record out."""

import contextlib
import math
from collections.abc import Sequence

import attrs
import numpy as np
from scipy.ndimage import correlate1d

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian
from deniable.numerics.bound import Evidence, pair_bounds
from deniable.numerics.effort import Effort, OutOfTime, check, limited
from deniable.population import integer_sums
from deniable.population.answer import RecordBounds
from deniable.population.bounds import epsilons
from deniable.population.integer_sums import least_epsilons, one_and_zero
from deniable.population.question import (
    Floats,
    Ints,
    Ones,
    Question,
    Selection,
    Summands,
    Types,
    as_integers,
)
from deniable.population.type_sums.counts import CountTables
from deniable.population.type_sums.noise import NOTHING_SELECTED, ColumnNoise, CommonNoise, Selected
from deniable.population.type_sums.projection import FINE, lower_bound, lower_bound_of_cell
from deniable.population.type_sums.search import NoisySum, upper_bounds

# --- Whole noise on small sums: every vector of counts and every output, one by one.

_CELLS = 10_000_000  # Outputs times laws that are held at most: 80 MB
_WIDE = 2000.0  # Scale of noise at most: it reaches some 10^5 outputs
_WORK = 3e9  # Multiplications at most: a few seconds
_SHARE = 1e-6  # The part of δ left out of the counts, and of the noise on all columns
_LARGEST = 600.0  # ε up to which e^ε is a float with room to spare
_UNITS = 1e-11  # Relative error of sums of up to 10^5 non-negative terms, rounded up


@attrs.frozen(eq=False)
class Laws:
    """Probabilities of the sums of counts, with a record of some types in and out."""

    centres: Ints  # (n_vectors, n_columns): sums without noise
    weights: Floats  # (2, n_kinds, n_vectors): of them
    missing: Floats  # (2, n_kinds): what was left out
    chances: Floats  # (n_choices, n_vectors): of what is chosen beside the sums


def enclose_lattice(
    tables: CountTables,
    values: Floats,
    noise: ColumnNoise,
    delta: float,
    selected: Selected = NOTHING_SELECTED,
) -> tuple[Floats, Floats] | None:
    """Lower and upper bounds of ε̃ for a record of each type; None where that is too much work.

    >>> tables = CountTables.of(np.array([2, 3]), 2)
    >>> noise = ColumnNoise(DiscreteLaplace, [1.0, 1.0])
    >>> low, high = enclose_lattice(tables, np.eye(2), noise, 0.01)
    >>> bool(np.all(high - low < 0.01))
    True
    """
    if noise.scales.max() > _WIDE:
        return None
    kernels = [_kernel(noise, k, delta) for k in range(len(noise.scales))]
    integers, kinds = np.rint(values).astype(np.int64), range(len(tables.counts))
    laws = _laws(tables, integers, kinds, delta, selected)
    return None if laws is None else _epsilon_bounds(laws, kernels, delta)


def lower_bound_of_cells(tables: CountTables, noise: ColumnNoise, kind: int, delta: float) -> float:
    """A lower bound of ε̃ in a histogram: the other cells are added up before one looks.

    Under Laplace noise that shows more than any straight line through the cells.
    """
    if noise.scales.max() > _WIDE:
        return 0.0
    many = tables.counts
    pair = CountTables.of(np.array([many[kind], many.sum() - many[kind]]), tables.size)
    laws = _laws(pair, np.eye(2, dtype=np.int64), [0], delta, NOTHING_SELECTED)
    if laws is None:
        return 0.0
    rest = np.ones(1)
    for k in range(len(many)):
        if k != kind:
            rest = np.convolve(rest, _kernel(noise, k, delta))
    bounds = _epsilon_bounds(laws, [_kernel(noise, kind, delta), rest], delta)
    return 0.0 if bounds is None else float(bounds[0][0])


def _kernel(noise: ColumnNoise, column: int, delta: float) -> Floats:
    """Probabilities of the noise from −r to r; less than a share of δ lies beyond."""
    scale, share = float(noise.scales[column]), _SHARE * delta / len(noise.scales)
    if noise.kind is DiscreteLaplace:
        # Pr[|Z| > r] <= 2 e^(−(r + 1)/b).
        r = max(math.ceil(scale * math.log(2 / share)), 1)
        k = np.abs(np.arange(-r, r + 1))
        return np.asarray(math.tanh(0.5 / scale) * np.exp(-k / scale))
    # Pr[|Z| > r] <= Pr[|Y| > r] <= e^(−r²/2σ²) of the normal law.
    r = max(math.ceil(scale * math.sqrt(2 * math.log(1 / share))), 1)
    return DiscreteGaussian(scale).pmf(np.arange(-r, r + 1))


def _laws(
    tables: CountTables, values: Ints, kinds: Sequence[int], delta: float, selected: Selected
) -> Laws | None:
    """Both laws of the sums, less the vectors of counts that hardly occur."""
    vectors, outcomes = tables.vectors(30_000), selected.outcomes()  # Vectors of counts at most
    if vectors is None or outcomes is None:
        return None
    logs = tables.log_weight(vectors)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    # Pr[C | in] = Pr[C] C_t/(N_t π), and so for the record out.
    share, rest = tables.shares
    each = np.array(kinds)
    many, inside = tables.counts[each, None], vectors[:, each].T
    weights = np.stack([inside / many / share, (many - inside) / many / rest]) * chances
    order = np.argsort(-chances, kind="stable")
    beyond = np.cumsum(weights[:, :, order][:, :, ::-1], axis=2)[:, :, ::-1].max(axis=(0, 1))
    kept = order[beyond > _SHARE * delta]
    lost = np.setdiff1d(np.arange(len(vectors)), kept)
    chances = np.atleast_2d(np.exp(selected.log_prob(vectors[kept][None], outcomes)))
    return Laws(
        vectors[kept] @ values,
        weights[:, :, kept],
        weights[:, :, lost].sum(axis=2),
        np.broadcast_to(chances, (len(chances), len(kept))),
    )


def _epsilon_bounds(
    laws: Laws, kernels: Sequence[Floats], delta: float
) -> tuple[Floats, Floats] | None:
    """The laws with noise on a lattice, and the ε̃ between them."""
    reach = np.array([len(kernel) // 2 for kernel in kernels])
    first = laws.centres.min(axis=0) - reach
    shape = laws.centres.max(axis=0) + reach - first + 1
    both, kinds = laws.weights.shape[:2]
    choices, outputs = len(laws.chances), int(np.prod(shape))
    cells = math.prod(map(float, shape)) * both * kinds * choices
    if cells > _CELLS or cells * float(sum(map(len, kernels))) > _WORK:
        return None
    at = np.ravel_multi_index(tuple((laws.centres - first).T), tuple(shape))
    noisy = np.empty((both, kinds, choices, outputs))
    for place in np.ndindex(both, kinds, choices):
        weights = laws.weights[place[:2]] * laws.chances[place[2]]
        law = np.bincount(at, weights, outputs).reshape(shape)
        for axis, kernel in enumerate(kernels):
            check()
            law = correlate1d(law, kernel, axis=axis, mode="constant")
        noisy[place] = law.ravel()
    missing = laws.missing + _SHARE * delta + 1e-30
    law = noisy.reshape(both, kinds, -1)
    # Both ends of ε̃ of each kind. What is missing may lie anywhere. On the way up it belongs to
    # p. On the way down it belongs to q: p − e^ε (q + missing) > δ for ε up to the upper bound
    # where p − e^ε q > δ + e^upper missing.
    low = law * (1 - _UNITS)
    high = law * (1 + _UNITS)
    upper = least_epsilons(low, high, missing, delta)[1]
    lower = np.zeros(len(upper))
    for k, end in enumerate(upper):
        more = delta + math.exp(min(float(end), _LARGEST)) * float(missing[:, k].max())
        if more < 1:
            some = slice(k, k + 1)
            lower[k] = least_epsilons(low[:, some], high[:, some], missing[:, some], more)[0][0]
    return pair_bounds(lower, upper)


def of_each_type(counts: Ints, size: int, delta: float) -> Floats:
    """Upper bounds of ε̃ for a record of each type, δ in (0, 1); shape (n_types,)."""
    # The counts of all types say of a record of type t what C_t alone says.
    everyone = int(counts.sum())
    return np.array(
        [integer_sums.without_noise(Ones(int(k), everyone), size, delta)[1][0] for k in counts]
    )


def of_types(
    types: Types,
    size: int,
    delta: float,
    noise: ColumnNoise,
    effort: Effort,
    *,
    worst: bool,
    selections: tuple[Selection, ...] = (),
) -> RecordBounds:
    """Both ends of ε̃ for a record of each type: first without draws, then with them.

    Asked for the worst, no upper bound below the largest lower bound is of use.
    """
    kinds = len(types.counts)
    if delta == 0 or (types.constant and not selections):
        none = np.zeros((2, kinds))
        lower, upper = none if types.constant and not selections else pure(types, size, noise)
        return RecordBounds(np.arange(kinds), lower, upper, Evidence.ENCLOSURE).by("types")
    rows = types.values - types.counts @ types.values / types.population
    released = NoisySum(types.counts, rows, size, noise, delta, selections)
    guess = estimates(released.tables(0), *released.selected(0).columns(rows, noise), delta)
    bounds = _certain(types, released, effort.gap, worst=worst)
    bounds = attrs.evolve(bounds, estimate=float(guess.max()))
    alike = _alike(types, noise) if not selections else np.arange(kinds)
    least = np.full(kinds, bounds.lower.max()) if worst else bounds.lower
    wide = np.unique(alike[bounds.upper > least * (1 + effort.gap)])
    if not len(wide):
        return bounds
    wide = wide[np.argsort(-guess[wide], kind="stable")]
    drawn = upper_bounds(released, wide, least[wide], guess[wide], effort)
    limits = np.full(kinds, np.inf)
    limits[wide] = drawn.upper
    bounds = bounds.cap(limits[alike], "types")
    if "types" not in bounds.upper_methods:
        return bounds
    return attrs.evolve(
        bounds,
        evidence=Evidence.CONFIDENCE,
        confidence=effort.confidence,
        draws=drawn.draws,
        seed=effort.seed,
        candidates=drawn.candidates,
    )


def _certain(types: Types, released: NoisySum, gap: float, *, worst: bool) -> RecordBounds:
    """What holds without draws: projections, counts without noise, and small lattices."""
    tables, noise, delta = released.tables(0), released.noise, released.delta
    kinds, has_selections = len(types.counts), bool(released.selections)
    alike = np.arange(kinds) if has_selections else _alike(types, noise)
    lower = np.zeros(kinds)
    histogram = _is_histogram(types.values)
    fine = histogram and delta < FINE
    cells = histogram and (noise.kind is DiscreteLaplace or (fine and noise.kind is not Gaussian))
    upper = of_each_type(types.counts, released.size, delta)
    with contextlib.suppress(OutOfTime):  # what was not reached stays at 0
        for k in np.unique(alike) if not types.constant else ():
            check()
            lower[k] = lower_bound(tables, released.values, noise, int(k), delta)
            if cells:
                lower[k] = max(lower[k], lower_bound_of_cells(tables, noise, int(k), delta))
            elif fine:
                lower[k] = max(lower[k], lower_bound_of_cell(tables, noise, int(k), delta))
    lower = lower[alike]
    bounds = RecordBounds(
        np.arange(kinds),
        np.minimum(lower, upper),
        upper,
        Evidence.ENCLOSURE,
        lower_methods=("projection",) * kinds,
        upper_methods=("counts",) * kinds,
    )
    least = lower.max() if worst else lower
    if noise.kind is Gaussian or not np.any(upper > least * (1 + gap)):
        return bounds
    exact = None
    with contextlib.suppress(OutOfTime):
        exact = enclose_lattice(tables, types.values, noise, delta, released.selected(0))
    if exact is None:
        return bounds
    lower = np.minimum(exact[0], np.minimum(exact[1], upper))
    methods = ("lattice",) * kinds
    return attrs.evolve(bounds, lower=lower, lower_methods=methods).cap(exact[1], "lattice")


def _alike(types: Types, noise: ColumnNoise) -> Ints:
    """Return for each type the first with the same ε̃: histogram cells with equal counts."""
    if np.ptp(noise.scales) or not _is_histogram(types.values):
        return np.arange(len(types.counts))
    _, first, at = np.unique(types.counts, return_index=True, return_inverse=True)
    return np.asarray(first[at.ravel()])


def _is_histogram(values: Floats) -> bool:
    """Whether each row is 1 in a column of its own, and 0 elsewhere."""
    ones = (values == 1).sum(axis=0)
    zeros_and_ones = np.all((values == 0) | (values == 1))
    return bool(zeros_and_ones and np.all(values.sum(axis=1) == 1) and np.all(ones <= 1))


def estimates(tables: CountTables, rows: Floats, noise: ColumnNoise, delta: float) -> Floats:
    """ε̃ of each type as if everything were normal; no bound."""
    many = tables.population
    release_covariance = rows.T @ tables.covariance() @ rows + np.diag(noise.variances)
    moved = rows * many / (many - 1)
    squares = np.einsum("ij,ij->i", moved, np.linalg.solve(release_covariance, moved.T).T)
    # The record itself is not among those that hide it.
    share = tables.size / many
    own = share * (1 - share) * np.minimum(squares, 0.99 / (share * (1 - share)))
    return epsilons(np.sqrt(squares / (1 - own)), delta)


def pure(types: Types, size: int, noise: ColumnNoise) -> tuple[Floats, Floats]:
    """δ = 0: discrete Laplace noise on a histogram: docs/explanation/records-of-few-types.md.

    The ratio is extreme where y_t is far out on one side and all others on the other: there
    Pr[C | y] ∝ Pr[C] e^{±2 C_t/b}, a count whose noise has half the scale.
    """
    alike = noise.kind is DiscreteLaplace and np.ptp(noise.scales) == 0
    if not (alike and _is_histogram(types.values)):
        raise InvalidArgument(
            "Expected delta > 0, or discrete Laplace noise on a histogram of 0 and 1 with each "
            "record in one cell and noise of one scale, for the method types, got delta=0."
        )
    half = DiscreteLaplace(float(noise.scales[0]) / 2)
    bounds = [
        one_and_zero(Ones(int(many), types.population), size, half, 0.0) for many in types.counts
    ]
    return np.array([low[0] for low, _ in bounds]), np.array([high[0] for _, high in bounds])


MOST_TYPES = 64  # Lists of counts of more distinct records miss the truth too often


def bracket(
    question: Question[Summands] | Question[Types],
    noise: CommonNoise | ColumnNoise,
    effort: Effort,
    selections: tuple[Selection, ...] = (),
) -> RecordBounds:
    """ε̃ of a sum of vectors of which few are distinct, at most 64, plus noise on every number.

    Records of one type are exchangeable, so the work hardly depends on N: see
    docs/explanation/records-of-few-types.md. A record of `Types` is a row of its table. δ > 0, or δ
    = 0 with discrete Laplace noise on a histogram, each record in one cell. Discrete noise wants
    whole numbers. Selections are released together with the sum, δ > 0, of rows of `Types` in the
    same order. Raises `InvalidArgument` if there are more types, or δ = 0 and another release.

    >>> cells = Types(np.eye(3), [5_000_000, 3_000_000, 2_000_000])
    >>> answer = bracket(Question(cells, 5_000_000, 1e-5), Gaussian(5.0), Effort())
    >>> answer.evidence.word, answer.worst(), answer.maximum().upper < 0.01
    ('enclosure', 2, True)
    """
    each = ColumnNoise.of(noise, question.data.columns)
    if each.kind is not Gaussian:
        as_integers(question.data.values, each.name)
    types, places = _types(question, merged=not selections)
    if isinstance(question.records, str):
        records = np.flatnonzero(places >= 0)
    else:
        records = np.array(question.records, np.int64)
        if records.max() >= len(places) or np.any(places[records] < 0):
            raise InvalidArgument(
                f"Expected rows from 0 to {len(places) - 1} that some record has, got "
                f"{records.tolist()}."
            )
    with limited(effort.time_limit):
        try:
            bounds = of_types(
                types, question.size, question.delta, each, effort,
                worst=question.records == "worst", selections=selections,
            )  # fmt: skip
        except OutOfTime:
            none = np.zeros(len(types.counts))
            every, methods = np.arange(len(none)), ("none",) * len(none)
            bounds = RecordBounds(
                every, none, none + np.inf, Evidence.ENCLOSURE,
                lower_methods=methods, upper_methods=methods,
            )  # fmt: skip
    effort.progress(1.0)
    bounds = attrs.evolve(bounds.only(places[records].tolist()), records=records)
    return bounds.of_worst() if question.records == "worst" else bounds


def without_noise(question: Question[Summands] | Question[Types]) -> float:
    """An upper bound of ε̃ of every record that no noise can raise, δ in (0, 1)."""
    types, _ = _types(question)
    if types.constant:
        return 0.0
    return float(of_each_type(types.counts, question.size, question.delta).max())


def certain_lower_bound(
    question: Question[Summands] | Question[Types], noise: CommonNoise | ColumnNoise
) -> float:
    """What the largest ε̃ is at least, without a draw; δ in (0, 1)."""
    types, _ = _types(question)
    if types.constant:
        return 0.0
    rows = types.values - types.counts @ types.values / types.population
    each = ColumnNoise.of(noise, types.columns)
    released = NoisySum(types.counts, rows, question.size, each, question.delta)
    return float(_certain(types, released, 0.0, worst=True).lower.max())


def estimate(
    question: Question[Summands] | Question[Types],
    noise: CommonNoise | ColumnNoise,
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
