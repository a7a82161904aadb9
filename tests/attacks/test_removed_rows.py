"""What one entity moves in the numbers that truncation removed, by all tables of few rows.

Every table goes through the production path, every pair of neighbours is compared, and the claim
is neither passed nor larger than it needs to be. The rows removed of one entity have no end, so an
adversary would own a million.
"""

import itertools
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Protection, Query
from deniable.publish.sources.table import Source
from deniable.publish.statistics import Count, Removed
from deniable.publish.totals import passes
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import usual

MOST = usual(5, 6)
"""Rows of the victim, at most; each number is a table."""
OTHERS = ["a", "b", "b", "c", "c", "c", "c", None, None]


def stored(folder, people):
    x = [float(number % 2) for number in range(len(people))]
    table = pa.table({"p": pa.array(people, pa.string()), "x": pa.array(x)})
    pq.write_table(table, folder / "t.parquet")
    return Source("t.parquet", folder)


def statistics(limit):
    return [Removed(limit), *(Removed(limit, most) for most in range(limit + 1, MOST))]


def totals(folder, people, limit):
    """Both numbers of every statistic; a count stands among them as in a plan."""
    protection = Protection(Adjacency.ADD_REMOVE, limit)
    asked = [*statistics(limit), Count()]
    work = [(Query(str(number), each), protection) for number, each in enumerate(asked)]
    *found, _ = exact_totals(stored(folder, people), "p", work)
    return [
        tuple(each.exact(values, protection)[0].tolist())
        for each, values in zip(asked, found, strict=False)
    ]


def by_hand(people, statistic):
    """The same in plain Python."""
    kept = removed = 0
    for person in {each for each in people if each is not None}:
        rows = people.count(person)
        if statistic.most_rows is None:
            kept += rows <= statistic.rows_per_entity
            removed += rows > statistic.rows_per_entity
        else:
            first = [*range(rows)][: statistic.most_rows]
            kept += len(first[: statistic.rows_per_entity])
            removed += len(first[statistic.rows_per_entity :])
    return kept, removed


def apart(one, other):
    moves = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return sum(moves), sum(move * move for move in moves), sum(move > 0 for move in moves)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_neighbours_move_as_far_as_claimed_and_no_farther(limit, tmp_path):
    tables = [[*OTHERS, *(["victim"] * rows)] for rows in range(MOST + 1)]
    found = [totals(tmp_path, people, limit) for people in tables]
    for index, statistic in enumerate(statistics(limit)):
        own = [numbers[index] for numbers in found]
        assert own == [by_hand(people, statistic) for people in tables]
        pairs = {
            Adjacency.ADD_REMOVE: [(own[0], other) for other in own],
            Adjacency.REPLACE_ONE: list(itertools.combinations(own, 2)),
        }
        for adjacency, neighbours in pairs.items():
            (part,) = statistic.parts(Protection(adjacency, limit), 1)
            moves = itertools.starmap(apart, neighbours)
            l1, squared, moved = map(max, zip(*moves, strict=True))
            assert (l1, moved) == (part.l1, part.moved)
            assert squared <= part.l2**2 * (1 + 1e-15)
            assert math.isclose(squared, part.l2**2)


def test_an_entity_with_very_many_rows_moves_no_more(tmp_path):
    few, many = (totals(tmp_path, [*OTHERS, *(["v"] * rows)], 2) for rows in (MOST, 100_000))
    assert few == many


def test_no_entity_is_counted_twice_in_many_passes(tmp_path, monkeypatch):
    once = totals(tmp_path, OTHERS, 2)
    monkeypatch.setattr(passes, "passes_needed", lambda *_: 8)
    assert totals(tmp_path, OTHERS, 2) == once


def test_the_rows_of_nobody_are_not_counted(tmp_path):
    named = [person for person in OTHERS if person is not None]
    assert totals(tmp_path, OTHERS, 1) == totals(tmp_path, named, 1)
