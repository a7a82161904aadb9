import itertools
import math
import random
from fractions import Fraction

import ibis
import pytest

from deniable.errors import InvalidArgument
from deniable.publish.query import Grid, Span, bounds
from deniable.publish.statistics import Sum
from tests.cases.refusals import refuses

SPANS = [(0.0, 50.0), (100.0, 200.0), (-5.0, -1.0), (-0.1, 0.3), (-1e300, 1e301), (0.0, 1e-300)]
ODD = [math.inf, -math.inf, 1.7e308, -1.7e308, 5e-324, -5e-324, 0.0, -0.0, 2.0**63, -(2.0**80)]


def around(value):
    return value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)


def test_the_span_knows_its_ends_in_steps():
    span = Span.of((-5.0, -1.0))
    assert (span.low, span.high) == (-5 * 2**21, -(2**21))
    assert span.width == 4 * 2**21
    assert span.middle == -3 * 2**21


def test_the_middle_of_an_odd_span_is_rounded_down():
    span = Span.of((0.0, 1 - 2.0**-24))
    assert (span.width, span.middle) == (2**24 - 1, 2**23 - 1)


@pytest.mark.parametrize("ends", SPANS)
def test_the_engine_computes_the_grids_units_over_random_values_and_ties(on_engine, ends):
    low, high = ends
    span, draw = Span.of(ends), random.Random(7)
    inside = [low + draw.random() * (high / 2 - low / 2) * 2 for _ in range(4000)]
    outside = [value * draw.choice([-3.0, 3.0, 1e-9]) for value in inside[:500]]
    steps = [draw.randint(span.low, span.high) for _ in range(4000)]
    ties = [(step + 0.5) * span.grid.step for step in steps]
    values = [*itertools.chain.from_iterable(map(around, ties)), *inside, *outside, *ODD, *ends]
    expected = [span.grid.units(min(max(value, low), high)) for value in values]
    assert on_engine(Sum("x", ends), values) == [(0, (units,)) for units in expected]
    assert all(span.low <= units <= span.high for units in expected)


def test_rounding_is_to_nearest():
    span, draw = Span.of((-3.0, 10.0)), random.Random(8)
    for _ in range(2000):
        value = draw.uniform(-3, 10)
        off = Fraction(span.grid.value(span.grid.units(value))) - Fraction(value)
        assert abs(off) <= Fraction(span.grid.step) / 2


def computed(engine, kind, texts, ends):
    """Units and presence of values that the engine reads from text, in order of units."""
    table = ibis.table({"x": kind}, name="given")
    row = Sum("x", ends).row_values(table)
    rows = ", ".join(f"({text})" for text in texts)
    engine.con.execute(f"CREATE OR REPLACE TEMP VIEW given AS SELECT * FROM (VALUES {rows}) t(x)")
    return engine.con.execute(
        ibis.to_sql(table.select(v=row.values[0], p=row.present).order_by("v"))
    ).fetchall()


def test_an_absent_value_is_some_whole_number_within_the_span(engine):
    span = Span.of((100.0, 200.0))
    found = computed(engine, "float64", ["CAST(NULL AS DOUBLE)", "'nan'"], (100, 200))
    assert [present for _, present in found] == [False, False]
    assert all(span.low <= units <= span.high for units, _ in found)


@pytest.mark.parametrize(
    ("kind", "engines"),
    [
        ("decimal(38, 0)", "HUGEINT"),
        ("uint64", "UBIGINT"),
        ("decimal(38, 2)", "DECIMAL(38, 2)"),
        ("int8", "TINYINT"),
        ("float32", "FLOAT"),
    ],
)
def test_every_numeric_type_is_clipped_before_it_is_made_whole(engine, kind, engines):
    texts = [f"CAST({text} AS {engines})" for text in ("0", "3", "100", "NULL")]
    step = Grid.of(1, 50).step
    found = [units * step for units, here in computed(engine, kind, texts, (1, 50)) if here]
    assert found == [1.0, 3.0, 50.0]


def test_whole_numbers_past_64_bits_are_clipped(engine):
    texts = [f"CAST({number} AS HUGEINT)" for number in (2**126, -(2**126))]
    found = computed(engine, "decimal(38, 0)", texts, (-5, 50))
    grid = Grid.of(-5, 50)
    assert found == [(grid.units(-5), True), (grid.units(50), True)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((1, 1), "low-below-high-bounds-put: 1.0 | 1.0"),
        ((2, 1), "low-below-high-bounds-put"),
        ((0, math.inf), "not-finite: bounds | bounds=inf"),
        ((math.nan, 1), "not-a-number: bounds | nan"),
        ((0, "1"), "not-a-number: bounds | '1'"),
        ((0, 1, 2), "bounds-to-two-numbers: (0, 1, 2)"),
        ("01", "bounds-to-two-numbers: '01'"),
        (3, "bounds-to-two-numbers: 3"),
        ((1e9, 1e9 + 1), "at-least-one-grid-step-64"),
    ],
)
def test_bad_bounds_are_refused(value, message):
    with refuses(InvalidArgument, message):
        bounds(value)


def test_bounds_become_two_floats():
    assert bounds([0, 3]) == (0.0, 3.0)
