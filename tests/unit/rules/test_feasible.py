"""What hidden and rounded counts may be, against going through all counts."""

import itertools
import random
from fractions import Fraction

import pytest

from deniable.rules import judge
from deniable.rules.feasible import Proof, feasible
from deniable.rules.relations import Relations, Sum, sure
from deniable.rules.tree import Contradiction
from tests.cases.effort import one_in
from tests.oracles import suppression


@pytest.mark.parametrize("seed", one_in(3, range(60)))
def test_hidden_cells_with_margins_equal_a_brute_force(seed, tmp_path):
    draw = random.Random(seed)
    rows, columns = draw.choice([(2, 3), (3, 3), (3, 4)])
    grid = [[draw.choice([0, 2, 3, 6, 7, 9, 11]) for _ in range(columns)] for _ in range(rows)]
    sizes = [[max(count, 1) + draw.choice([0, 2, 15]) for count in row] for row in grid]
    hidden = suppression.suppressed(grid, 4)
    names = [[f"{i}:{j}" for j in range(columns)] for i in range(rows)]
    lines = [",".join(["", *map(str, range(columns)), "total"])]
    for i, row in enumerate(grid):
        shown = ["*" if (i, j) in hidden else str(count) for j, count in enumerate(row)]
        lines.append(",".join([f"row {i}", *shown, str(sum(row))]))
    totals = [sum(row[j] for row in grid) for j in range(columns)]
    lines.append(",".join(["total", *map(str, totals), str(sum(totals))]))
    (tmp_path / "grid.csv").write_text("\n".join(lines), encoding="utf-8")
    everything = [name for row in names for name in row]
    rules = {
        "list": [
            {"name": names[i][j], "size": sizes[i][j]} for i in range(rows) for j in range(columns)
        ],
        "table": [{"lists": everything, "total": "exact", "secondary": True}],
        "rule": {"steps": [{"hide": [1, 4]}]},
    }
    answer = judge(rules, tmp_path / "grid.csv")
    expected = suppression.intervals(grid, hidden, sizes)
    intervals = {
        (i, j): next(
            (each.interval.lower, each.interval.upper)
            for each in answer.feasible
            if each.cell.name == names[i][j]
        )
        for i, j in hidden
    }
    assert intervals == expected
    assert all(each.interval.proof is not Proof.OUTWARD for each in answer.feasible)


def every_count(relations, wanted):
    """The least and the largest value of each sum, from all counts there are."""
    values = [[] for _ in wanted]
    for counts in itertools.product(*(range(size + 1) for size in relations.sizes)):
        if all(
            any(low <= sum(counts[a] for a in each.atoms) <= high for low, high, _ in each.runs)
            for each in relations.sums
        ):
            for atoms, some in zip(wanted, values, strict=True):
                some.append(sum(counts[a] for a in atoms))
    return [(min(some), max(some)) if some else None for some in values]


@pytest.mark.parametrize("seed", one_in(3, range(150)))
def test_any_sums_with_gaps_equal_all_counts(seed):
    draw = random.Random(seed)
    sizes = tuple(draw.randint(1, 5) for _ in range(draw.randint(1, 5)))
    atoms = range(len(sizes))
    sums = {}
    for _ in range(draw.randint(1, 5)):
        chosen = tuple(sorted(draw.sample(atoms, draw.randint(1, len(sizes)))))
        most = sum(sizes[a] for a in chosen)
        cuts = sorted(draw.choices(range(most + 1), k=4))
        runs = [(cuts[0], cuts[1], Fraction(1))]
        if cuts[2] > cuts[1] + 1:
            runs.append((cuts[2], cuts[3], Fraction(1, 2)))
        sums[chosen] = Sum(chosen, tuple(runs))
    relations = Relations(sizes, tuple(sums.values()))
    wanted = [tuple(sorted(draw.sample(atoms, draw.randint(1, len(sizes))))) for _ in range(6)]
    expected = every_count(relations, wanted)
    if None in expected:
        with pytest.raises(Contradiction):
            feasible(relations, wanted)
        return
    intervals = feasible(relations, wanted)
    assert [(each.lower, each.upper) for each in intervals] == expected


def test_large_counts_are_bounded_to_the_last_person():
    """HiGHS stops at a gap of 10⁻⁴ by default: a hundred people of a million."""
    million = 10**6
    crossing = [
        Sum((0, 1), sure(million + 3, million + 3)),
        Sum((1, 2), sure(million - 1, million + 7)),
        Sum((0, 2), sure(million + 1, million + 1)),
    ]
    relations = Relations((million,) * 3, tuple(crossing))
    # 2 x₀ = (x₀ + x₁) + (x₀ + x₂) − (x₁ + x₂).
    (interval,) = feasible(relations, [(0,)])
    least, most = (2 * million + 4 - (million + 7)), (2 * million + 4 - (million - 1))
    assert (interval.lower, interval.upper) == (-(-least // 2), most // 2)


def test_a_contradiction_names_sums_that_cannot_stand_together():
    relations = Relations(
        (5, 5, 5, 5),
        (
            Sum((0, 1), sure(4, 4)),
            Sum((2, 3), sure(6, 6)),
            Sum((0, 2), sure(3, 3)),
            Sum((1, 3), sure(8, 8)),
            Sum((0, 1, 2), sure(0, 15)),
        ),
    )
    with pytest.raises(Contradiction) as error:
        feasible(relations, [])
    assert set(error.value.sums) == {0, 1, 2, 3}
