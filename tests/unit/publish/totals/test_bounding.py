"""Truncation and scaling on the engine: never more than allowed, and nothing more removed."""

import datetime
import math
import random
from collections import Counter

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import example, given, settings

from deniable.publish.sources import DuckDB, engine
from deniable.publish.totals import LIMIT, clamped_sum, scale_contributions, truncate_rows
from deniable.publish.totals.row_arrays import RowArrays
from tests.cases.effort import some_pairs, usual

SALT = "00ff"


@pytest.fixture(scope="module")
def running():
    with engine("x", "200MB") as started:
        yield started


def table(running, columns):
    return running.keep("given", pa.table(columns))


def people(seed=0, rows=400, entities=12):
    """Rows of skewed owners; many are equal in every column."""
    draw = random.Random(seed)
    owners = [int(entities * draw.random() ** 2) for _ in range(rows)]
    return {
        "entity": pa.array(owners),
        "x": pa.array([draw.choice([None, 0.0, 1.5, math.inf]) for _ in owners]),
        "t": pa.array([draw.choice([None, "", "n", "1:n", "a;b", "é"]) for _ in owners]),
        "b": pa.array([draw.choice([None, True]) for _ in owners]),
        "d": pa.array([draw.choice([None, datetime.date(2024, 1, 31)]) for _ in owners]),
    }


def kept(running, columns, rows, salt=SALT):
    found = truncate_rows(running, table(running, columns), "entity", list(columns), rows, salt)
    assert set(found.columns) == set(columns)
    together = running.rows(found)
    return Counter(zip(*(together[name].to_pylist() for name in columns), strict=True))


def all_rows(columns):
    return Counter(zip(*(columns[name].to_pylist() for name in columns), strict=True))


def owned(rows):
    counts = Counter()
    for row, number in rows.items():
        counts[row[0]] += number
    return counts


@pytest.mark.parametrize("rows", [1, 3, 64, 10_000])
def test_an_entity_keeps_what_it_has_up_to_the_limit(running, rows):
    columns = people()
    before, after = all_rows(columns), kept(running, columns, rows)
    assert after <= before
    assert owned(after) == {entity: min(n, rows) for entity, n in owned(before).items()}


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_the_choice_depends_on_the_entity_s_own_rows_and_the_salt_alone(running, rows):
    columns = people(seed=2, rows=1000, entities=4)
    order = random.Random(3).sample(range(1000), 1000)
    shuffled = {name: values.take(pa.array(order)) for name, values in columns.items()}
    first = kept(running, columns, rows)
    assert kept(running, shuffled, rows) == first
    alone = [index for index, owner in enumerate(columns["entity"].to_pylist()) if owner == 2]
    own = {name: values.take(pa.array(alone)) for name, values in columns.items()}
    assert kept(running, own, rows) == Counter({r: n for r, n in first.items() if r[0] == 2})
    assert kept(running, columns, rows, salt="other") != first


@pytest.mark.parametrize("places", [1, 2])
def test_rows_whose_hashes_meet_are_chosen_by_their_values(running, monkeypatch, places):
    """Whoever finds values that meet under every salt moves nobody's rows, and keeps no more."""

    def meeting(_, table, columns, name, salt):
        assert salt
        assert "x" in columns
        return table.mutate(((table["x"].fill_null(0.0) > 1).cast("int64") % places).name(name))

    monkeypatch.setattr(DuckDB, "add_order", meeting)
    columns = people(seed=2, rows=1000, entities=4)
    order = random.Random(3).sample(range(1000), 1000)
    shuffled = {name: values.take(pa.array(order)) for name, values in columns.items()}
    for rows in (1, 3, 100):
        first = kept(running, columns, rows)
        assert kept(running, shuffled, rows) == first
        assert owned(first) == {e: min(n, rows) for e, n in owned(all_rows(columns)).items()}


def test_a_row_s_place_goes_by_its_values_whatever_stores_them(running):
    whole = {"entity": pa.array([1] * 6), "x": pa.array([0, 1, -5, 2**53, None, 7], pa.int64())}
    real = {**whole, "x": whole["x"].cast(pa.float64())}

    def places(columns):
        rows = table(running, columns)
        ordered = running.add_order(rows, ["entity", "x"], "place", SALT)
        return running.rows(ordered)["place"].to_pylist()

    assert places(whole) == places(real)
    assert len(set(places(whole))) == 6


def test_each_row_is_as_likely_as_any_other(running):
    """2,000 entities keep 1 of 4 rows; a count at 500 ± 120 has an exact tail below 1e-9."""
    columns = {
        "entity": pa.array([number for number in range(2000) for _ in range(4)]),
        "x": pa.array([float(x) for _ in range(2000) for x in range(4)]),
    }
    counts = Counter()
    for (_, x), number in kept(running, columns, 1).items():
        counts[x] += number
    assert sum(counts.values()) == 2000
    assert all(380 <= counts[float(x)] <= 620 for x in range(4))


def scaled_rows(running, vectors, limit):
    """Bounded vectors by entity, from one row for each coordinate."""
    rows = [(e, c, v) for e, vector in enumerate(vectors) for c, v in enumerate(vector)]
    columns = dict(zip(("entity", "cell", "units"), zip(*rows, strict=True), strict=True))
    kinds = {name: pa.array(values, pa.int64()) for name, values in columns.items()}
    given = table(running, {**kinds, "entity_": kinds["entity"]})
    # `scaled` needs no entity in its answer; cells are made unique to see whose they are.
    given = given.mutate(cell=given["entity_"] * 1000 + given["cell"])
    found = running.rows(
        scale_contributions(running, given, "entity", "cell", "units", limit)
    ).to_pydict()
    by_cell = dict(zip(found["cell"], found["units"], strict=True))
    return [
        [by_cell[1000 * entity + index] for index in range(len(vector))]
        for entity, vector in enumerate(vectors)
    ]


SIZES = st.one_of(
    st.integers(-(2**62), 2**62),
    st.integers(0, 62).flatmap(lambda n: st.integers(2**n - 2, 2**n + 2)),
    st.integers(-100, 100),
)


@settings(max_examples=usual(20, 60))
@given(
    vectors=st.lists(st.lists(SIZES, min_size=1, max_size=9), min_size=1, max_size=6),
    limit=st.one_of(st.integers(1, 2**62), st.integers(1, 300)),
)
@example(vectors=[[2**62] * 9, [-(2**62)] * 9, [1] * 9, [2**62, 1]], limit=2**62)
@example(vectors=[[2**53 + 1, 2**53 - 1, 3]], limit=2**54 - 1)
@example(vectors=[[1, 1, 1], [3, 0], [1, 2**62]], limit=2)
def test_scaled_vectors_keep_to_the_limit_exactly(running, vectors, limit):
    for vector, bounded in zip(vectors, scaled_rows(running, vectors, limit), strict=True):
        clamped = [max(-LIMIT, min(LIMIT, v)) for v in vector]
        norm = sum(map(abs, clamped))
        if norm <= limit:
            assert bounded == clamped
            continue
        assert sum(map(abs, bounded)) <= limit
        for value, less in zip(clamped, bounded, strict=True):
            share = value * limit // norm if value >= 0 else -(-value * limit // norm)
            assert less * value >= 0
            assert abs(less) <= abs(share)
            assert abs(share) - abs(less) <= 1 + abs(share) * 2**-46


def added_up(rows, limit):
    """Totals by cell of (entity, cell, value), in Python's whole numbers and its own float64."""
    sums, totals = Counter(), Counter()
    for entity, cell, value in rows:
        sums[entity, cell] += value
    clamped = {place: max(-LIMIT, min(LIMIT, value)) for place, value in sums.items()}
    norms = Counter()
    for (entity, _), value in clamped.items():
        norms[entity] += abs(value)
    for (entity, cell), value in clamped.items():
        if norms[entity] > limit:
            factor = float(limit) / float(norms[entity]) * (1 - 2.0**-48)
            value = math.trunc(float(value) * factor)
        totals[cell] += value
    return totals


def scaled_of(running, rows, limit):
    columns = [pa.array([row[place] for row in rows], pa.int64()) for place in range(3)]
    given = table(running, dict(zip(("entity", "cell", "units"), columns, strict=True)))
    return scale_contributions(running, given, "entity", "cell", "units", limit)


def totals_of(running, rows, limit):
    """Totals by cell, in as many digits as they have."""
    scaled = scaled_of(running, rows, limit)
    exact = Counter()
    texts = scaled.select("cell", units=scaled["units"].cast("string"))
    for row in running.rows(texts).to_pylist():
        exact[row["cell"]] += int(row["units"])
    return exact


def rows_of_cases(draw):
    """Many small tables in one, of entities and cells of their own; sizes at every limit."""
    for case in range(150):
        largest = 2 ** draw.choice([1, 8, 20, 53, 61, 62, 63])
        ends = [0, 1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63)]
        for _ in range(draw.randint(1, 12)):
            value = draw.choice([draw.randrange(-largest, largest), draw.choice(ends)])
            yield 10 * case + draw.randrange(3), 10 * case + draw.randrange(3), value
    for other in range(20):  # the small together pass what a sum is clamped to
        yield 10**6 + other, 10**6, 2**61
    yield 10**6 + 20, 10**6, -5


@pytest.mark.parametrize(
    "limit", [1, 300, 2**21, 2**53 - 1, 2**53, 2**61, 2**62 - 1, 2**62, 2**63 - 1]
)
def test_the_small_are_added_up_as_if_each_had_been_scaled(running, limit):
    """Whose rows they are is lost of whoever is within the limit by their sizes alone."""
    rows = list(rows_of_cases(random.Random(limit)))
    for number, sizes in enumerate(([limit - 1, 1], [limit, 1], [1] * 5 + [limit - 5, 1])):
        rows += [(10**7 + number, 10**7 + number, size) for size in sizes]  # at it, or just above
    scaled = scaled_of(running, rows, limit)
    exact = totals_of(running, rows, limit)
    assert exact == added_up(rows, limit)
    sums = running.rows(scaled.group_by("cell").agg(units=clamped_sum(scaled["units"])))
    for row in sums.to_pylist():
        assert row["units"] == max(-LIMIT, min(LIMIT, exact[row["cell"]]))


@pytest.fixture(params=["in arrays", "sizes in arrays", "by the engine"])
def one_way(request, running, monkeypatch):
    """An engine where sums are in arrays, or only sizes are, or neither; and what was."""
    ways = []
    for name in ("rank", "scaled"):
        true = getattr(RowArrays, name)
        monkeypatch.setattr(
            RowArrays, name, lambda *given, true=true, name=name: ways.append(name) or true(*given)
        )
    if request.param == "by the engine":
        monkeypatch.setattr(RowArrays, "add", lambda *_: False)
    if request.param == "sizes in arrays":
        monkeypatch.setattr(RowArrays, "holds", lambda *_: False)
    yield running
    wanted = {"in arrays": ["rank", "scaled"], "sizes in arrays": ["rank"], "by the engine": []}
    assert ways == wanted[request.param]


@pytest.mark.parametrize(
    ("limit", "first"),
    some_pairs([1, 300, 2**21, 2**40, 2**62], [0, -(2**63), 2**63 - 2000]),
)
def test_it_makes_no_difference_what_holds_the_rows(one_way, limit, first):
    draw = random.Random(limit)
    owners = [first + int(1999 * draw.random() ** 2) for _ in range(4000)]
    size = 2 ** draw.choice([3, 8, 22, 39])
    rows = [(each, draw.randrange(30), draw.randrange(-size, 3 * size)) for each in owners]
    rows += [(first + 1999, 31, each) for each in (limit % 2**50, -5, 5 - limit % 2**50)]
    assert totals_of(one_way, rows, limit) == added_up(rows, limit)


@pytest.mark.parametrize("rows", [[], [(7, 0, 5)], [(7, 40, 0)], [(-7, 3, -5), (-7, 3, 5)]])
def test_few_rows_are_added_up(running, rows):
    assert totals_of(running, rows, 3) == added_up(rows, 3)


FAR = [
    [(0, 0, 1), (2**40, 0, 2)],  # entities far apart
    [(-(2**63), 0, 1), (2**63 - 1, 0, 2)],
    [(0, 0, 2**52), (0, 1, 2**52), (1, 1, 1)],  # sums that float64 may not have
    [(1, -1, 5), (2, 4, 5)],  # no place of a cell
    [(1, 0, 5), (2, 2**40, 5)],
    [(None, 3, 5), (1, 3, 9)],  # all of them together are nobody
]


@pytest.mark.parametrize("rows", FAR)
def test_what_is_not_held_in_arrays_is_added_up_by_the_engine(running, monkeypatch, rows):
    monkeypatch.delattr(RowArrays, "rank")
    known = [row for row in rows if row[0] is not None]
    expected = added_up(known, 4) + Counter({c: v for e, c, v in rows if e is None})
    assert totals_of(running, rows, 4) == expected


def test_little_memory_holds_few_rows():
    piece = pa.table({name: pa.array(range(1000)) for name in ("entity", "cell", "units")})
    assert RowArrays(2**24, 2**53).add(piece)
    for memory, most in ((2**24, 499_500), (2**14, 2**53)):
        assert not RowArrays(memory, most).add(piece)


def test_equal_shares_keep_to_the_limit_where_rounding_is_worst(running):
    """Every number of equal coordinates up to 200, which float64 divides unevenly."""
    vectors = [[7**5] * n for n in range(1, 201)]
    for limit in (1, 99, 10**6 - 1, 3 * 7**5):
        for bounded in scaled_rows(running, vectors, limit):
            assert sum(bounded) <= limit


def test_sums_are_exact_and_clamped(running):
    for values, total in (
        ([2**62] * 40, LIMIT),
        ([-(2**63)] * 40, -LIMIT),
        ([2**62] * 20 + [-(2**62)] * 20 + [5], 5),
        ([], 0),
    ):
        given = table(running, {"v": pa.array(values, pa.int64())})
        found = running.rows(given.aggregate(total=clamped_sum(given["v"])))
        assert found["total"].to_pylist() == [total]
