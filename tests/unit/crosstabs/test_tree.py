import numpy as np
import pytest

from deniable.crosstabs.margins import Basis, TreeShape, tree_design
from deniable.crosstabs.tree import Tree
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK, SelectionNoise
from deniable.notions import Adjacency
from deniable.pipeline.release import SimulatedNumbers, rehearse_noise
from deniable.publish.query import Grouping, Protection
from tests.cases.refusals import refuses

SHAPE = TreeShape(((0, 0, 0), (0, 0, 1), (0, 0, 1, 2, 2, 2)))
LABELS = (("north", "south", "other"), ("General", "Mary", "Royal"), tuple("abcdef"))
GROUPING = Grouping(("ward",), (tuple("abcdef"),), ((0,),))
COUNTS = np.array([50, 0, 7, 31, 2, 900, 12])
NOISE = {"gaussian": DiscreteGaussian, "laplace": DiscreteLaplace, "public": DiscreteGaussian}
TRUTH = {
    (): 1002, ("north",): 57, ("other",): 12, ("north", "General"): 50, ("south", "Royal"): 933,
    ("north", "Mary", "c"): 7, ("north", "General", "b"): 0, ("south", "Royal", "f"): 900,
}  # fmt: skip


def tree(name, **more):
    basis = Basis.COUNTS if name == "laplace" else Basis.RESIDUALS
    design = tree_design(SHAPE, (4, 1, 1, 2), basis, public_total=name == "public")
    return Tree(("region", "hospital", "ward"), LABELS, design, **more)


def exact(statistic):
    return statistic.exact(COUNTS.reshape(-1, 1, 1), Protection(Adjacency.REPLACE_ONE, 1))


@pytest.mark.parametrize("name", NOISE)
def test_without_noise_rows_are_the_counts_and_the_measured_numbers_come_back(name):
    statistic = tree(name, whole_numbers=True)
    numbers = exact(statistic)
    mechanisms = (*[None] * (len(numbers) - 1), NOISE[name](3.0))
    rows = statistic.rows("q", GROUPING, numbers, mechanisms)
    assert len(rows) == statistic.published(GROUPING.cells, ()) == 1 + 3 + 3 + 6
    values = {tuple(row.groups.values()): row for row in rows}
    for path, count in TRUTH.items():
        assert values[path].value == count
        assert values[path].whole_number == count
    again = statistic.measured(rows)
    assert [each.tolist() for each in again] == [each.tolist() for each in numbers]
    largest = statistic.half_widths(mechanisms, GROUPING.cells)
    assert list(largest) == ["total", "region", "hospital", "ward"]
    for level, width in enumerate(largest.values()):
        assert width == max(row.half_width_95 for row in rows if len(row.groups) == level)


@pytest.mark.parametrize("name", NOISE)
def test_half_widths_cover_95_of_100_releases(name):
    """The production sampler, 2,000 releases; the bound is passed once in 10^9 runs a node."""
    statistic, runs = tree(name), 2000
    *public, vector = statistic.parts(Protection(Adjacency.REPLACE_ONE, 1), GROUPING.cells)
    *total, numbers = exact(statistic)
    mechanism = NOISE[name](3.0 * (vector.l1 if name == "laplace" else vector.l2))
    draws = rehearse_noise(SimulatedNumbers(mechanism, vector, numbers), runs)
    mechanisms = (*[None] * len(public), mechanism)
    covered = dict.fromkeys(TRUTH, 0)
    for draw in draws:
        rows = statistic.rows("q", GROUPING, [*total, draw], mechanisms)
        values = {tuple(row.groups.values()): row for row in rows}
        for path, count in TRUTH.items():
            covered[path] += abs(values[path].value - count) <= values[path].half_width_95
    if name == "public":
        assert covered.pop(()) == runs
    slack = 6 * (0.95 * 0.05 * runs) ** 0.5
    assert min(covered.values()) >= 0.95 * runs - slack
    assert max(covered.values()) <= 0.96 * runs + slack


def test_noise_that_is_none_is_refused():
    with refuses(InvalidArgument, "noise-on-numbers"):
        tree("gaussian").widths([NoisyTopK(1.0, 2, SelectionNoise.GUMBEL)])
