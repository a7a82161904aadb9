"""Every statistic's claimed sensitivity: never passed, and attained.

By brute force over tiny tables, and on the engine itself over random neighbouring tables.
"""

import itertools
import math
import secrets
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deniable.notions import Adjacency
from deniable.pipeline.noise import VectorPart
from deniable.publish.query import Protection
from deniable.publish.statistics import Mean
from tests.cases import neighbours
from tests.cases.effort import one_in, usual
from tests.cases.neighbours import JUST_BELOW_ONE, SCALABLE, STATISTICS, named
from tests.cases.sources import SOURCES
from tests.oracles import bounded_tables as brute_force
from tests.oracles.bounded_tables import Row

KEYS = [None, ("a", "b"), ("a", "b", "c")]


def owned(statistic, keys, protection):
    """Every vector that one entity can add, once."""
    rows = neighbours.alphabet(statistic, keys)
    if protection.max_contribution is None:
        tables = brute_force.choices(rows, protection.rows)
        found = [brute_force.totals(statistic, table, keys) for table in tables]
    else:
        (part,) = statistic.parts(protection, 1)
        limit = math.floor(protection.max_contribution / part.step)
        tables = brute_force.choices(rows, 3)
        vectors = (brute_force.totals(statistic, table, keys) for table in tables)
        found = [brute_force.scaled(vector, limit) for vector in vectors]
    return list({vector.tobytes(): vector for vector in found}.values())


def pairs_of(vectors, adjacency):
    """What the protected entity adds before and after; nothing is added by leaving."""
    if adjacency is Adjacency.ADD_REMOVE:
        return [(vector, vector * 0) for vector in vectors]
    return list(itertools.combinations_with_replacement(vectors, 2))


def check_vectors(statistic, keys, protection):
    vectors = owned(statistic, keys, protection)
    pairs = pairs_of(vectors, protection.adjacency)
    for index, part in enumerate(statistic.parts(protection, len(keys or "1"))):
        moves = [
            brute_force.move(*(statistic.exact(side, protection)[index] for side in pair))
            for pair in pairs
        ]
        assert part.coordinates == statistic.exact(vectors[0], protection)[index].size
        assert part.l1 == max(move.l1 for move in moves)
        # Three rows of a scaled entity reach three coordinates; so does the other's.
        reach = math.inf if protection.rows else 3 * (1 + (protection.adjacency != "add-remove"))
        assert min(part.moved, reach) == max(move.moved for move in moves)
        squared = max(move.l2_squared for move in moves)
        assert Fraction(part.l2) ** 2 >= squared
        # Within one cell a variance has a bound, which no exchange need attain.
        one_cell = keys is None and protection.adjacency is Adjacency.REPLACE_ONE
        slack = 1.15 if one_cell and statistic.kind == "variance" else 1 + 1e-15
        assert part.l2 <= math.sqrt(squared) * slack


def check_selection(statistic, keys, protection):
    """Scores are not sums, so other entities' rows matter: as many as could, in every cell."""
    (part,) = statistic.parts(protection, len(keys or "1"))
    pairs = pairs_of(owned(statistic, keys, protection), protection.adjacency)
    most, monotone = 0, True
    ends = neighbours.alphabet(statistic, None)[:2]
    for counts in itertools.product(range(2 * protection.rows + 1), repeat=2):
        rows = [
            end._replace(entity="other", group=group)
            for group in keys or ("a",)
            for end, count in zip(ends, counts, strict=True)
            for _ in range(count)
        ]
        base = brute_force.totals(statistic, rows, keys)
        for before, after in pairs:
            (one,) = statistic.exact(base + before, protection)
            (other,) = statistic.exact(base + after, protection)
            assert one.shape == (part.cells, part.candidates)
            most = max(most, brute_force.score_move(one, other))
            monotone &= bool((one >= other).all() or (one <= other).all())
    assert part.sensitivity == most
    assert monotone or not part.monotone


# Of the twelve ways to protect each statistic others for each, so that all are taken.
@pytest.mark.parametrize(
    ("statistic", "rows", "adjacency", "keys"),
    one_in(5, [*itertools.product(STATISTICS, [1, 2], Adjacency, KEYS)]),
    ids=named,
)
def test_truncated_rows_attain_the_claim_on_tiny_tables(statistic, rows, adjacency, keys):
    if statistic.kind == "top" and keys is not None:
        return  # a plan has no groups there
    protection = Protection(adjacency, rows)
    if isinstance(statistic.parts(protection, 1)[0], VectorPart):
        check_vectors(statistic, keys, protection)
    else:
        check_selection(statistic, keys, protection)


@pytest.mark.parametrize("keys", KEYS, ids=named)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("limit", [0.9, 1, 2.5])
@pytest.mark.parametrize("statistic", SCALABLE, ids=named)
def test_scaled_contributions_attain_the_claim_on_tiny_tables(statistic, limit, adjacency, keys):
    if limit < 1 and statistic.kind != "sum":
        return  # less than a row
    check_vectors(statistic, keys, Protection(adjacency, None, float(limit)))


def test_a_mean_over_a_public_size_attains_the_claim():
    statistic = Mean("x", (0, JUST_BELOW_ONE), nulls=0.25, size_is_public=True)
    protection = Protection(Adjacency.REPLACE_ONE, 1)
    part, size = statistic.parts(protection, 1)
    assert size.label == "size"
    rows = [Row("e", None, value) for value in (*statistic.bounds, None, math.inf)]
    sides = [
        statistic.exact(brute_force.totals(statistic, [row], None), protection) for row in rows
    ]
    assert part.l1 == part.l2 == 2**24 - 1
    assert part.l1 == max(
        brute_force.move(one[0], other[0]).l1 for one, other in itertools.product(sides, repeat=2)
    )
    assert [number.tolist() for _, number in sides] == [[1]] * len(rows)


VALUES = [None, math.nan, math.inf, -math.inf, -5.0, -2.0, -1.0, 0.0, 0.3, 3.0, 4.0, 150.0, 200.0]
GROUPS = ["a", "b", "elsewhere", None]
CATEGORIES = ["m", "n", "o", "other", None]


@st.composite
def owned_rows(draw, entity, most):
    """An entity's rows: any groups, absent values, some left out by the filter."""
    row = st.builds(
        Row,
        st.just(entity),
        st.sampled_from(GROUPS),
        st.one_of(st.sampled_from(VALUES), st.floats()),
        st.sampled_from([True, True, True, False]),
        st.sampled_from(CATEGORIES),
    )
    return draw(st.lists(row, max_size=most))


@st.composite
def worlds(draw, most):
    """Tables without an entity, with it, and with another one or other rows in its place."""
    others = [draw(owned_rows(name, most)) for name in ("f", "g", None)]
    base = list(itertools.chain.from_iterable(others))
    before, after = draw(owned_rows("e", 6)), draw(owned_rows("e", 6))
    if draw(st.booleans()):
        after = [row._replace(entity="h") for row in after]
    return base, [*base, *before], [*base, *after]


def something_moves(triples):
    """Not the emptiest of examples, which comes first, and alone where one is enough."""
    return any(base != one != other for base, one, other in triples)


def check_move(statistic, protection, cells, one, other):
    """The engine's totals of neighbours lie no farther apart than claimed."""
    sides = [statistic.exact(totals, protection) for totals in (one, other)]
    for part, before, after in zip(statistic.parts(protection, cells), *sides, strict=True):
        if isinstance(part, VectorPart):
            assert before.shape == (part.coordinates,)
            moved = brute_force.move(before, after)
            assert moved.l1 <= part.l1
            assert moved.l2_squared <= Fraction(part.l2) ** 2
            assert moved.moved <= part.moved
        else:
            assert before.shape == (part.cells, part.candidates)
            assert brute_force.score_move(before, after) <= part.sensitivity
            assert not part.monotone or (before >= after).all() or (before <= after).all()


def protections(rows, limit):
    """Both kinds of bounding under both adjacencies, with what each can publish."""
    for adjacency, keys in itertools.product(Adjacency, (None, ("a", "b"))):
        for statistic in STATISTICS:
            if statistic.kind != "top" or keys is None:
                yield statistic, keys, Protection(adjacency, rows)
        for statistic in SCALABLE:
            yield statistic, keys, Protection(adjacency, None, limit)


def some(work, number):
    """So many pieces of work: the engine takes a query for each, and examples differ."""
    return st.permutations(work).map(lambda order: order[:number])


def check_neighbours(work, found):
    """`found` holds, for each piece of work, the totals of each table of each triple."""
    for (statistic, keys, protection), totals in zip(work, found, strict=True):
        for without, one, other in zip(totals[::3], totals[1::3], totals[2::3], strict=True):
            pairs = [(without, one), (without, other)]
            if protection.adjacency is Adjacency.REPLACE_ONE:
                pairs = [(one, other), (without, one)]
            for pair in pairs:
                check_move(statistic, protection, len(keys or "1"), *pair)


@settings(max_examples=usual(1, 3))
@given(data=st.data())
def test_exact_aggregates_move_by_at_most_the_claim(data, tmp_path_factory):
    """Many pairs in one call: a group of its own for each table, and entities of its own.

    What takes time is a query, so there are few examples, of many tables each.

    Other entities have no more rows than bounding leaves, because which rows it takes may depend
    on the group, so here on the table.
    """
    rows = data.draw(st.integers(1, 3))
    limit = data.draw(st.sampled_from([1.0, 2.5, 7.0]))
    triples = data.draw(st.lists(worlds(rows), min_size=14, max_size=14))
    assume(something_moves(triples))
    tables = list(itertools.chain.from_iterable(triples))
    source = neighbours.stored(tmp_path_factory.mktemp("law"), tables)
    work = data.draw(some(list(protections(rows, limit)), usual(18, 36)))
    found = neighbours.totals(source, len(tables), work)
    check_neighbours(work, found)
    for (statistic, keys, protection), totals in zip(work, found, strict=True):
        if protection.rows is not None:
            for base, computed in zip(tables[::3], totals[::3], strict=True):
                assert (computed == brute_force.totals(statistic, base, keys)).all()


WHERE = ["pandas", "polars", "reader", "csv", "postgres"]


@pytest.mark.parametrize("place", WHERE)
@settings(max_examples=usual(1, 2))
@given(data=st.data())
def test_the_claim_holds_wherever_the_rows_live(place, data, request, tmp_path_factory):
    """Every statistic, both kinds of bounding: the same law from frames, files and a server."""
    triples = data.draw(st.lists(worlds(2), min_size=6, max_size=6))
    assume(something_moves(triples))
    tables = list(itertools.chain.from_iterable(triples))
    folder = tmp_path_factory.mktemp("law")
    source = SOURCES[place](neighbours.together(tables), folder, request.getfixturevalue)
    every = list(protections(2, 2.5))
    step = usual(19, 4)  # each place takes others
    work = every[(2 * WHERE.index(place) + data.draw(st.integers(0, 1))) % step :: step]
    check_neighbours(work, neighbours.totals(source, len(tables), work))


@settings(max_examples=usual(1, 4))
@given(data=st.data())
def test_one_salt_takes_the_same_rows_of_everybody_else(data, tmp_path_factory):
    """Every table in a file of its own, so that other entities may have too many rows too."""
    rows = data.draw(st.integers(1, 2))
    truncated = [piece for piece in protections(rows, 2.5) if piece[2].rows is not None]
    work = data.draw(some(truncated, usual(6, 12)))
    salt = data.draw(st.sampled_from(["00", "5a" * 32]))
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", lambda *_: salt)
        triple = data.draw(worlds(4))
        assume(something_moves([triple]))
        for table in triple:
            source = neighbours.stored(tmp_path_factory.mktemp("law"), [table])
            found.append(neighbours.totals(source, 1, work))
    check_neighbours(work, [[table[0] for table in triple] for triple in zip(*found, strict=True)])


@settings(max_examples=usual(1, 3))
@given(data=st.data())
def test_without_an_entity_column_each_row_is_one(data, tmp_path_factory):
    """Neighbours differ in one row, whoever it names."""
    triples = data.draw(st.lists(worlds(3), min_size=7, max_size=7))
    assume(something_moves(triples))
    anything = Row(None, "a", 1.0)
    tables = [
        table
        for base, one, other in triples
        for table in (
            base,
            [*base, [*one, anything][len(base)]],
            [*base, [*other, anything][len(base)]],
        )
    ]
    source = neighbours.stored(tmp_path_factory.mktemp("law"), tables)
    truncated = [piece for piece in protections(1, 1.0) if piece[2].rows is not None]
    work = data.draw(some(truncated, usual(14, 30)))
    check_neighbours(work, neighbours.totals(source, len(tables), work, None))
