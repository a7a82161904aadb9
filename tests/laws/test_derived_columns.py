"""Derived columns are what a slow oracle makes of each row, to the last bit, from every source."""

import datetime

import attrs
import pyarrow as pa
import pytest

from deniable.publish.derived.calendar import PARTS
from deniable.publish.derived.columns import CalendarPart, Days
from deniable.publish.sources.table import open_table
from tests.cases.derived_columns import DERIVED, TABLE, expected_rows
from tests.cases.effort import one_in
from tests.cases.frames import in_memory
from tests.cases.sources import SOURCES, as_parquet

PLACES = {
    "parquet": as_parquet,
    **{each: SOURCES[each] for each in ("csv", "duckdb", "postgres", "spark", "pandas", "polars")},
}
"""Other frames reach the engine as these do, with the same values (test_sources.py).

As a rule all columns are of Parquet, and each other place has a third of them.
"""


def rows_of(source, names):
    with open_table(source, names, memory_limit="200MB") as data:
        return data.engine.rows(data.table).to_pylist()


def spelled(rows, names):
    """To the last bit: repr tells 0.0 from -0.0, and True from 1."""
    return sorted(repr([row[name] for name in names]) for row in rows)


@pytest.fixture(scope="module")
def expected():
    return expected_rows()


@pytest.mark.parametrize("place", PLACES)
def test_derived_columns_are_what_the_oracle_says_from_everywhere(
    place, expected, request, tmp_path
):
    source = PLACES[place](TABLE, tmp_path, request.getfixturevalue)
    number = [*PLACES].index(place)
    derived = [each.name for each in (one_in(3, DERIVED, number) if number else DERIVED)]
    names = [*TABLE.column_names, *derived]
    rows = rows_of(attrs.evolve(source, derived=DERIVED), names)
    if spelled(rows, names) != spelled(expected, names):
        alone = {each: spelled(rows, [each]) == spelled(expected, [each]) for each in derived}
        pytest.fail(f"{[each for each, same in alone.items() if not same] or names} differ")


def test_the_values_reach_what_can_be_computed_and_what_cannot(expected):
    for each in DERIVED:
        column = [row[each.name] for row in expected]
        assert None in column
        assert len(set(column)) > 1, each.name


def edges_of_years():
    """Days on which a year, a week of one, a month or a leap day begins or ends."""
    for year in range(1805, 2206):
        new_year = datetime.date(year, 1, 1).toordinal()
        yield from range(new_year - 7, new_year + 7)
        for month in range(2, 13):
            first = datetime.date(year, month, 1).toordinal()
            yield from (first - 1, first)


def test_all_years_of_a_cycle_have_their_parts():
    """The calendar repeats after 400 years, which are whole weeks."""
    days = [datetime.date.fromordinal(each) for each in edges_of_years()]
    table = pa.table({"d": pa.array(days, pa.date32())})
    derived = tuple(CalendarPart(word, "d", word) for word in PARTS if word != "hour")
    names = [each.name for each in derived]
    with open_table(attrs.evolve(in_memory(table), derived=derived), names) as data:
        read = data.engine.rows(data.table)
    wanted = expected_rows(pa.table({"d": read["d"]}), derived)
    for name in names:
        assert read[name].to_pylist() == [row[name] for row in wanted], name


FAR_DAYS = [2**31 - 1, -(2**31) + 1, 2**31 - 2, 2_932_897, -719_163, 3_000_000, 0]
"""Since 1970: the engine's infinities, and days beyond the years 1 to 9999; then one within."""
FAR_MOMENTS = [
    253_402_300_800_000_000, -62_135_596_800_000_001, 9 * 10**17, -9 * 10**17, 3 * 10**17,
    -(3 * 10**17), 3_600_000_000,
]  # fmt: skip
"""The same in microseconds."""
INFINITE = [2**63 - 1, -(2**63) + 1, *FAR_MOMENTS[2:]]
"""With the infinities, which the test's way into Spark cannot hold."""


def test_beyond_the_years_1_to_9999_spark_too_has_no_parts_and_no_days(spark):
    days = pa.array(FAR_DAYS, pa.int32()).cast(pa.date32())
    far, infinite = (
        pa.table({"d": days, "m": pa.array(moments, pa.timestamp("us"))})
        for moments in (FAR_MOMENTS, INFINITE)
    )
    derived = [CalendarPart(f"{word} {of}", of, word) for word in PARTS for of in "dm"]
    derived = [each for each in derived if each.name != "hour d"]
    derived += [Days(f"{one}{other}", one, other) for one, other in ("dd", "mm", "dm", "md")]
    there = ["1970", "1970", "1970-Q1", "1970-Q1", "1970-01", "1970-01", "1970-W01", "1970-W01",
             "4", "4", "01", 0, 0, 0, 0]  # fmt: skip
    names = [each.name for each in derived]
    for source in (in_memory(far), in_memory(infinite), spark.load(far)):
        with open_table(attrs.evolve(source, derived=tuple(derived)), names) as data:
            read = data.engine.rows(data.table.drop("d", "m")).to_pylist()
        filled = [row for row in read if any(each is not None for each in row.values())]
        assert [[row[name] for name in names] for row in filled] == [there]
        assert len(read) == len(FAR_DAYS)
