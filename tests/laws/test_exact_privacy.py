"""The exact law of what is released stays within e^ε between neighbouring tables.

The production expression on the engine, the production scale, and exact probabilities, over
every pair of neighbours among small tables that hold the corners of what a row can add. What is
published is computed from these noisy numbers alone, so its law keeps the same bound.
"""

import functools
import itertools
import math

import numpy as np
import pytest

from deniable.mechanisms import NoisyTopK
from deniable.notions import Adjacency
from deniable.pipeline.noise import PublicPart, VectorPart
from deniable.pipeline.noise.shares import Share, calibrate_mechanism
from deniable.publish.query import Protection
from deniable.publish.statistics import Count, Mean
from tests.cases import neighbours
from tests.cases.effort import some_pairs, usual
from tests.cases.neighbours import SCALABLE, STATISTICS, named
from tests.oracles import bounded_tables as brute_force
from tests.oracles.bounded_tables import Row

EPSILON, RHO = 1.0, 0.5
ORDERS = (1.5, 2.0, 8.0)
ADD, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def bases(statistic, keys):
    """Other entities, none with more rows than bounding leaves."""
    rows = neighbours.alphabet(statistic, keys)[:2]
    low, high = rows[0], rows[-1]
    return [
        [],
        [low._replace(entity="f")],
        [row._replace(entity=f"f{i}") for i, row in enumerate([low, low, low, high])],
        [row._replace(entity=f"f{i}", group="b") for i, row in enumerate([low, high, high])],
    ]


FINE = [one for one in STATISTICS if getattr(one, "scaled", False)]


def blocks(statistic, keys, rows):
    """What the protected entity may own, more rows than bounding leaves included."""
    choices = list(brute_force.choices(neighbours.alphabet(statistic, keys), rows))
    return [*choices, choices[-1] * 2, choices[len(choices) // 2] * 3]


def pairs(number, adjacency):
    """Positions of neighbours within the tables of one base; position 0 owns nothing."""
    if adjacency is ADD:
        return [(0, other) for other in range(1, number)]
    return list(itertools.combinations(range(number), 2))


@functools.cache
def law_of(mechanism, *scores):
    """The law of a selection from these scores, which many pairs of tables share."""
    return mechanism.law(scores)


def apart(part, mechanism, one, other):
    """The largest log-ratio of the two laws' probabilities.

    Coordinates and cells are independent, so their largest ratios multiply. The ratio of two
    discrete Laplace laws is monotone between their centres and constant beyond them.
    """
    if isinstance(part, VectorPart):
        ends = np.stack([one, other, one - 1, other + 1, (one + other) // 2])
        return float(
            np.abs(mechanism.log_pmf(ends - one) - mechanism.log_pmf(ends - other)).max(0).sum()
        )
    total = 0.0
    for before, after in zip(one, other, strict=True):
        laws = law_of(mechanism, *before.tolist()), law_of(mechanism, *after.tolist())
        total += max(abs(math.log(laws[0][choice] / laws[1][choice])) for choice in laws[0])
    return total


def divergence(part, mechanism, one, other, order):
    """The larger Rényi divergence of the two laws, by sums over all that has probability."""
    total = [0.0, 0.0]
    for before, after in zip(one, other, strict=True):
        if isinstance(part, VectorPart):
            reach = math.ceil(14 * mechanism.scale * order)
            k = np.arange(min(before, after) - reach, max(before, after) + reach + 1)
            logs = mechanism.log_pmf(k - before), mechanism.log_pmf(k - after)
        else:
            laws = mechanism.law(before), mechanism.law(after)
            logs = tuple(np.log([law[choice] for choice in laws[0]]) for law in laws)
        for side in (0, 1):
            p, q = logs[side], logs[1 - side]
            total[side] += math.log(np.exp(order * p + (1 - order) * q).sum()) / (order - 1)
    return max(total)


def released(tmp_path, statistic, keys, protections, rows):
    """For each protection, the parts and, for each base, each table's exact numbers."""
    owned = blocks(statistic, keys, rows)
    tables = [[*base, *block] for base in bases(statistic, keys) for block in owned]
    source = neighbours.stored(tmp_path, tables)
    work = [(statistic, keys, protection) for protection in protections]
    for protection, found in zip(
        protections, neighbours.totals(source, len(tables), work), strict=True
    ):
        exact = [statistic.exact(values, protection) for values in found]
        grouped = [exact[at : at + len(owned)] for at in range(0, len(exact), len(owned))]
        yield protection, statistic.parts(protection, len(keys or "1")), grouped


def worst(parts, grouped, adjacency, measure):
    """The largest sum over the parts of a measure, between neighbours."""
    losses = {}
    for tables in grouped:
        names = [b"".join(array.tobytes() for array in table) for table in tables]
        for one, other in pairs(len(tables), adjacency):
            sides, key = (tables[one], tables[other]), (names[one], names[other])
            if key not in losses:
                losses[key] = sum(
                    measure(part, index, sides[0][index], sides[1][index])
                    for index, part in enumerate(parts)
                )
    return max(losses.values())


def check(parts, grouped, adjacency):
    """Pure privacy, and that no noise is wasted where neighbours can attain the bound."""
    mechanisms = [calibrate_mechanism(part, Share(epsilon=EPSILON / len(parts))) for part in parts]
    loss = worst(
        parts,
        grouped,
        adjacency,
        lambda part, index, one, other: apart(part, mechanisms[index], one, other),
    )
    assert loss <= EPSILON * (1 + 1e-9)
    if len(parts) == 1 and isinstance(parts[0], VectorPart):
        # Scaling rounds each cell towards 0, by less than one step of 2^-21 or finer.
        assert loss >= EPSILON * (1 - 1e-5)
    assert loss >= EPSILON / 4


FEWER = usual(
    [STATISTICS[at] for at in (0, 1, 2, 4, 6, 8, 11, 12, 14, 16, 17, 18, 20, 21)], STATISTICS
)
"""As a rule one or two of each kind, with different bounds."""
GROUPED = [(2, ("a", "b")), (1, None), (1, ("a", "b")), (2, None)]
"""Rows of each entity, and groups; in this order the most frequent values have no groups."""


@pytest.mark.parametrize(
    ("statistic", "rows", "keys"),
    [(one, *grouped) for one, grouped in some_pairs(FEWER, GROUPED)],
    ids=named,
)
def test_truncated_tables_keep_to_epsilon(tmp_path, statistic, rows, keys):
    if statistic.kind == "top" and keys is not None:
        return  # a plan has no groups there
    protections = [Protection(adjacency, rows) for adjacency in Adjacency]
    for protection, parts, grouped in released(tmp_path, statistic, keys, protections, rows):
        check(parts, grouped, protection.adjacency)


@pytest.mark.parametrize(("statistic", "keys"), some_pairs(SCALABLE, [None, ("a", "b")]), ids=named)
def test_scaled_tables_keep_to_epsilon(tmp_path, statistic, keys):
    protections = [Protection(adjacency, None, 2.5) for adjacency in Adjacency]
    for protection, parts, grouped in released(tmp_path, statistic, keys, protections, 3):
        check(parts, grouped, protection.adjacency)


# The fine grids of sums, means, variances and scaled counts are beyond summation; their law is
# the same.
SUMS = ("sum", "mean", "variance", "geometric mean")
COARSE = [one for one in STATISTICS if one.kind not in SUMS and one not in FINE]


@pytest.mark.parametrize(("statistic", "keys"), some_pairs(COARSE, [("a", "b"), None]), ids=named)
def test_gaussian_and_gumbel_noise_keep_to_rho(tmp_path, statistic, keys):
    if statistic.kind == "top" and keys is not None:
        return
    protections = [Protection(adjacency, 1) for adjacency in Adjacency]
    for protection, parts, grouped in released(tmp_path, statistic, keys, protections, 1):
        mechanisms = [calibrate_mechanism(part, Share(rho=RHO / len(parts))) for part in parts]
        for order in ORDERS:
            loss = worst(
                parts,
                grouped,
                protection.adjacency,
                lambda part, index, one, other, m=mechanisms, a=order: divergence(
                    part, m[index], one, other, a
                ),
            )
            assert loss <= order * RHO * (1 + 1e-9)


def test_a_mean_over_a_public_size_keeps_to_epsilon(tmp_path):
    statistic = Mean("x", (-2, 3), nulls=1, size_is_public=True)
    protection = Protection(REPLACE, 1)
    values = [-2.0, 3.0, None, math.nan, math.inf, -math.inf, 0.1]
    rows = [Row(None, None, value) for value in values]
    tables = [[Row(None, None, 3.0), Row(None, None, None), row] for row in rows]
    source = neighbours.stored(tmp_path, tables)
    (found,) = neighbours.totals(source, len(tables), [(statistic, None, protection)], None)
    part, size = statistic.parts(protection, 1)
    assert size == PublicPart("size")
    mechanism = calibrate_mechanism(part, Share(epsilon=EPSILON))
    exact = [statistic.exact(table, protection) for table in found]
    assert all(table[1].tolist() == [3] for table in exact)
    losses = [
        apart(part, mechanism, one[0], other[0]) for one, other in itertools.product(exact, exact)
    ]
    assert EPSILON * (1 - 1e-9) <= max(losses) <= EPSILON * (1 + 1e-9)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_law_fails_for_noise_that_is_too_small(tmp_path, adjacency):
    """What the tests above would say of a scale that is 1 % short."""
    protections = [Protection(adjacency, 2)]
    ((_protection, parts, grouped),) = released(tmp_path, Count(), ("a", "b"), protections, 2)
    short = calibrate_mechanism(parts[0], Share(epsilon=EPSILON * 1.01))
    assert not isinstance(short, NoisyTopK)
    loss = worst(
        parts, grouped, adjacency, lambda part, _, one, other: apart(part, short, one, other)
    )
    assert loss > EPSILON
