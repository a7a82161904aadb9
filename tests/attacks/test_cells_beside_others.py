"""One person's cell decides how nobody else's are read, and whether there is a release.

The law of it runs over all sources in `tests/laws/test_cells_alone.py`. Here are the ways that were
not so, and what is read cell by cell against exact arithmetic that shares nothing with it.
"""

import datetime
import decimal
import fractions
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Protection, Query
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.pandas_frame import convert_values, count_filled
from deniable.publish.sources.table import Source, open_table
from deniable.publish.statistics import Count, Entities
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.cell_routes import VALID, taken
from tests.cases.effort import one_in
from tests.cases.frames import in_memory
from tests.cases.odd_values import KINDS, OBJECTS, of_bytes, of_numbers, ordinary

PEOPLE = 1_000
SECOND = datetime.timedelta(seconds=1)


def objects(cells):
    array = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        array[place] = cell
    return pd.Series(array, dtype=object)


def bits(array):
    """As Python's numbers; a float by its bits."""
    stored = {"date32[day]": pa.int32(), "timestamp[us]": pa.int64(), "double": pa.int64()}
    of = stored.get(str(array.type))
    return (array if of is None else array.view(of)).to_pylist()


def read(cells, kind):
    return bits(convert_values(objects(cells), Kind(kind)))


ALONE = {kind: [read([cell], kind)[0] for cell in OBJECTS] for kind in KINDS}
ROUTES = [0, 1.5, "a", True, None, datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1),
          2**64, "\ud800", decimal.Decimal("sNaN"), object(),
          datetime.datetime(1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
          datetime.datetime(9, 1, 1, tzinfo=datetime.timezone(SECOND / 2))]  # fmt: skip
"""One cell of each way by which a column of objects is read."""


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_is_what_it_is_alone_beside_one_of_every_way(kind):
    plain = [ordinary(kind, number) for number in range(50)]
    for beside in (*([way] for way in ROUTES), plain, [*plain, *ROUTES], OBJECTS[::-1]):
        among = read([*OBJECTS, *beside], kind)
        assert among[: len(OBJECTS)] == ALONE[kind]
        assert among[len(OBJECTS) :] == read(beside, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_is_a_value_exactly_or_no_value(kind):
    """Against fractions: what is read equals what was there, and what could be read is."""
    for cell, found in zip(OBJECTS, ALONE[kind], strict=True):
        assert found == EXPECTED[kind](cell), repr(type(cell))


def _number(cell):
    """A number as a fraction, or None."""
    if isinstance(cell, bool | np.bool_ | np.timedelta64) or not isinstance(
        cell, int | float | np.integer | np.floating | decimal.Decimal
    ):
        return None
    if isinstance(cell, decimal.Decimal):
        return fractions.Fraction(cell) if cell.is_finite() else None
    if isinstance(cell, int | np.integer):
        return fractions.Fraction(int(cell))
    return fractions.Fraction(*cell.as_integer_ratio()) if math.isfinite(cell) else None


def _expected_integer(cell):
    number = _number(_real_part(cell))
    if isinstance(_real_part(cell), float | np.floating) and number is not None:
        number = number if abs(number) < 2**53 else None  # several may have become it
    is_one = number is not None and number.denominator == 1 and -(2**63) <= number < 2**63
    return int(number) if is_one else None


def _real_part(cell):
    """A complex number without an imaginary part as the float that it is."""
    is_complex = isinstance(cell, complex | np.complexfloating)
    return cell.real if is_complex and cell.imag == 0 else cell


def _expected_truth(cell):
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    return {0: False, 1: True}.get(_number(_real_part(cell)))


def _expected_number(cell):
    cell = _real_part(cell)
    if isinstance(cell, float | np.floating | decimal.Decimal) and not (
        isinstance(cell, decimal.Decimal) and cell.is_nan()
    ):
        real = float(cell)
        if math.isinf(real) and (not isinstance(cell, decimal.Decimal) or cell.is_infinite()):
            return _bits_of(real)
    number = _number(cell)
    if number is None or abs(number) > fractions.Fraction(1.7976931348623157e308):
        return None
    real = float(number)
    if isinstance(cell, decimal.Decimal):
        same = fractions.Fraction(repr(real)) == number
        real = math.copysign(real, -1 if cell.is_signed() else 1)
    else:
        same = fractions.Fraction(real) == number
        real = math.copysign(real, float(cell))
    return _bits_of(real) if same else None


def _bits_of(real):
    return int(np.float64(real).view(np.int64))


def _expected_text(cell):
    """A text, or what a number, a truth value or a day is written as."""
    if isinstance(cell, str):
        return None if any(0xD800 <= ord(letter) < 0xE000 for letter in cell) else "".join(cell)
    if isinstance(cell, bool | np.bool_):
        return "True" if cell else "False"
    if isinstance(cell, datetime.date) and not isinstance(cell, datetime.datetime):
        return f"{cell.year:04}-{cell.month:02}-{cell.day:02}"
    if (whole := _expected_integer(cell)) is not None:
        return str(whole)
    bits = _expected_number(cell)
    real = math.nan if bits is None else np.int64(bits).view(np.float64).item()
    return repr(real) if abs(real) < 2**53 else None


def _expected_day(cell):
    """A day; of a moment without a zone, midnight."""
    if isinstance(cell, datetime.datetime) and cell.tzinfo is not None:
        return None
    moment = _expected_moment(cell)
    return None if moment is None or moment % DAY_LENGTH else moment // DAY_LENGTH


DAY_LENGTH = 86_400 * 10**6
"""Microseconds."""


UNITS = {"D": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": "1e-3", "us": "1e-6", "ns": "1e-9",
         "ps": "1e-12"}  # fmt: skip


def _expected_moment(cell):
    if isinstance(cell, np.datetime64 | pd.Timestamp) and cell is not pd.NaT:
        raw = cell.to_datetime64() if isinstance(cell, pd.Timestamp) else cell
        unit, steps = np.datetime_data(raw.dtype)
        if np.isnat(raw) or unit not in UNITS:
            return None
        found = raw.view(np.int64).item() * steps * fractions.Fraction(UNITS[unit]) * 10**6
        is_one = found.denominator == 1 and -(2**63) <= found < 2**63
        return int(found) if is_one else None
    if not isinstance(cell, datetime.date) or cell is pd.NaT:
        return None
    if not isinstance(cell, datetime.datetime):
        return (datetime.date(*cell.timetuple()[:3]) - datetime.date(1970, 1, 1)).days * DAY_LENGTH
    try:
        offset = cell.utcoffset() or datetime.timedelta()
    except ValueError:
        return None
    since = cell.replace(tzinfo=None) - datetime.datetime(1970, 1, 1) - offset
    return (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds


EXPECTED = {
    "integer": _expected_integer,
    "number": _expected_number,
    "text": _expected_text,
    "boolean": _expected_truth,
    "date": _expected_day,
    "timestamp": _expected_moment,
}


def test_marks_of_no_value_are_counted_without_asking_an_object():
    for cell in OBJECTS:
        marks = cell is None or cell is pd.NA or cell is pd.NaT
        is_real = isinstance(cell, float | np.floating | decimal.Decimal)
        marks |= is_real and str(cell).lower().endswith("nan")
        marks |= isinstance(cell, np.datetime64) and bool(np.isnat(cell))
        assert count_filled(objects([cell])) == (not marks), type(cell)
    assert count_filled(objects([*OBJECTS])) == sum(count_filled(objects([c])) for c in OBJECTS)


def count(data, *, declared=None, where=(), entity=None):
    query = Query("q", Count() if entity is None else Entities(), where=where)
    work = [(query, Protection(Adjacency.ADD_REMOVE, 1))]
    (found,) = exact_totals(in_memory(data, declared), entity, work)
    return int(found.sum())


FAR = [
    datetime.datetime(1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
    datetime.datetime(9999, 12, 31, 23, 59, tzinfo=datetime.timezone(-5 * 3600 * SECOND)),
    datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(SECOND / 2)),
]


@pytest.mark.parametrize(
    ("moment", "other"), [(FAR[0], object()), (FAR[1], 5), (FAR[2], FAR[0]), (FAR[0], FAR[2])]
)
def test_one_person_moves_a_count_of_moments_by_one(moment, other):
    """A cell of another type made no values of a thousand people's, or entities of none."""
    cells = [moment] * PEOPLE
    later = (Condition("x", "!=", datetime.datetime(2000, 1, 1)),)
    declared = {"x": "timestamp"}
    without, beside = (pd.DataFrame({"x": objects(each)}) for each in (cells, [*cells, other]))
    before = count(without, declared=declared, where=later)
    assert before == PEOPLE
    assert count(beside, declared=declared, where=later) - before in (0, 1)
    people = count(without, declared=declared, entity="x")
    assert people == 1
    assert count(beside, declared=declared, entity="x") - people in (0, 1)


WORDS = ["a", "\ud800", "b", None]


@pytest.mark.parametrize("of", [object, "string[python]", "category", "category of strings"])
def test_half_of_a_surrogate_pair_is_no_value(of):
    column = objects(WORDS)
    if of in ("category", "category of strings"):
        dtype = object if of == "category" else "string[python]"
        categories = pd.Index(WORDS[:3], dtype=dtype)
        column = pd.Categorical.from_codes([0, 1, 2, -1], categories=categories)
    elif of is not object:
        column = column.astype(of)
    frame = pd.DataFrame({"x": column, "row": range(4)})
    declared = {"x": "text"} if of in (object, "category") else None
    with open_table(in_memory(frame, declared), ["row", "x"]) as data:
        found = data.engine.rows(data.table).sort_by("row")["x"].to_pylist()
    assert found == ["a", None, "b", None]


DAY = 86_400_000
PARTS = of_numbers(pa.date64(), [0, DAY + 5, 2 * DAY + 1, -2 * DAY - 1, 3 * DAY, None])


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (PARTS, 2),
        (PARTS.dictionary_encode(), 2),
        (of_numbers(pa.decimal128(4, 2), [1, 2**16 + 1, 2**32 + 1, 9999, 10_000, -1]), 3),
        (of_numbers(pa.decimal64(4, 2), [1, 2**16 + 1, 2**32 + 1, 9999, 10_000, -1]), 3),
        (
            pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 9]), ["a", "b", "c"], safe=False),
            3,
        ),
    ],
    ids=["days", "categories of days", "decimals", "short decimals", "places beyond a list"],
)
@pytest.mark.parametrize("made", ["table", "reader", "pandas"])
def test_what_is_none_of_its_type_names_nobody(stored, expected, made):
    """Parts of a day were dropped, and all but 16 bits of a decimal of four digits."""
    table = pa.table({"x": stored})
    if made == "pandas" and pa.types.is_dictionary(stored.type):
        pytest.skip("pandas has no such dtype")
    if made == "pandas":
        table = table.to_pandas(types_mapper=pd.ArrowDtype)
    assert count(table if made != "reader" else table.to_reader(2), entity="x") == expected


@pytest.mark.parametrize(
    "name", one_in(3, [n for n in VALID if n not in ("halffloat", "decimal128(5, -2)")])
)
def test_both_readers_of_parquet_give_the_same(tmp_path, name):
    """One text that is none, in a column beside, has all be read by the other reader."""
    cells = VALID[name]
    places = range(cells.odd)
    held = {"x": taken(cells.cells, places), "row": places}
    found = []
    for number, octets in enumerate((b"a", b"\xff")):
        beside = of_bytes(pa.string(), [octets, *[b"b"] * (cells.odd - 1)])
        try:
            pq.write_table(
                pa.table(held | {"beside": beside}),
                tmp_path / f"{number}.parquet",
                store_schema=False,
            )
        except pa.ArrowInvalid:
            pytest.skip("no Parquet of such moments")
        with open_table(Source(f"{number}.parquet", tmp_path), ["row", "x", "beside"]) as data:
            rows = data.engine.rows(data.table).sort_by("row")
            assert rows["beside"].null_count == number
            found.append(bits(rows["x"].combine_chunks()))
    assert found[0] == found[1]


TEXTS = ["294247-01-10 04:00:54.775806", "290309-12-22 (BC) 00:00:00+01:00",
         "290309-12-22 (BC) 00:00:00 Europe/Berlin"]  # fmt: skip


@pytest.mark.parametrize("entity", [None, "x"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_moment_at_the_end_of_the_range_ends_no_release(tmp_path, text, entity):
    (tmp_path / "x.csv").write_text(f"x\n2024-01-31\n{text}\n", encoding="utf-8")
    source = Source("x.csv", tmp_path, {"x": "timestamp"})
    with open_table(source, ["x"], entity=entity) as data:
        assert data.engine.rows(data.table).num_rows == 2


BARE = ["2024-01-31 12:00:00", "2024-01-31", "2024-01-31T12:00:00.5", "2024-07-31 12:00"]
NAMED = ["2024-01-31 12:00:00 Europe/Berlin", "2024-01-31 12:00:00 PST",
         "2024-01-31 12:00 +05:30", "2024-01-31 12:00:00 Nowhere/There",
         "290309-12-22 (BC) 00:00:00 Europe/Berlin"]  # fmt: skip


def moments(folder, texts):
    lines = [f"{row},{text}" for row, text in enumerate(texts)]
    (folder / "x.csv").write_text("\n".join(["row,x", *lines, ""]), encoding="utf-8")
    with open_table(
        Source("x.csv", folder, {"row": "integer", "x": "timestamp"}), ["row", "x"]
    ) as data:
        return bits(data.engine.rows(data.table).sort_by("row")["x"].combine_chunks())


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Each moment as it is read where no other one stands."""
    folder = tmp_path_factory.mktemp("alone")
    return [moments(folder, [text])[0] for text in BARE]


@pytest.mark.parametrize("named", NAMED)
def test_the_zone_that_one_person_names_is_nobody_elses(tmp_path, alone, named):
    """The engine read all that stand behind it in that zone: one row moved 2,000 by an hour."""
    assert None not in alone
    assert moments(tmp_path, [named, *BARE])[1:] == alone
    assert moments(tmp_path, [*BARE, named, *BARE[::-1]])[5:] == alone[::-1]
