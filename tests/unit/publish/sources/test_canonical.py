"""Values after the door: equal ones share their bits, and rows are spelled unambiguously."""

import datetime
import decimal
import itertools
import math
import struct

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import example, given, settings

from deniable.publish.sources import Kind, encoding, engine, identity, kind_of, value
from tests.cases.effort import usual

SALT = "00ff"


@pytest.fixture(scope="module")
def running():
    with engine("x", "200MB") as started:
        yield started


def of(running, function, query):
    """What becomes of the column x of a query; its kind is told from its type."""
    running.execute(f"CREATE OR REPLACE TEMP TABLE given AS {query}")
    given = running.table("given")
    (described,) = running.backend.con.execute("SELECT typeof(x) FROM given").fetchone()
    kind = Kind.TEXT if described.startswith("ENUM") else kind_of(described)
    return running.rows(given.select(x=function(given["x"], kind)))["x"].to_pylist()


def bits(number):
    return None if number is None else struct.pack(">d", number)


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_numbers_have_one_zero_and_no_nan(running, kind):
    written = ["0", "-0.0", "nan", "-nan", "inf", "-inf", "1.5", "-1e-40"]
    values = ", ".join(f"('{text}'::{kind})" for text in written)
    found = of(running, value, f"SELECT x FROM (VALUES {values}) AS t(x)")
    tiny = -1e-40 if kind == "DOUBLE" else struct.unpack("f", struct.pack("f", -1e-40))[0]
    wanted = [0.0, 0.0, None, None, math.inf, -math.inf, 1.5, tiny]
    assert list(map(bits, found)) == list(map(bits, wanted))


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NFC", "NOCASE.NOACCENT", "de"])
def test_text_is_compared_by_its_bytes(running, collation):
    words = ["e", "E", "\u00e9", "e\u0301", "\u00c9", "e ", "e\0", "", "\u00df", "ss"]
    running.execute(f"CREATE OR REPLACE TEMP TABLE given (x VARCHAR COLLATE {collation})")
    running.backend.con.executemany("INSERT INTO given VALUES (?)", [[word] for word in words])
    given = running.table("given")
    held = given.select(x=value(given["x"], Kind.TEXT))
    assert sorted(running.rows(held.distinct())["x"].to_pylist()) == sorted(words)
    for word in words:
        if "\0" in word:
            continue  # no plan can write it
        assert running.rows(held.filter(held.x == word))["x"].to_pylist() == [word]
        above = running.rows(held.filter(held.x > word))["x"].to_pylist()
        assert sorted(above) == sorted(each for each in words if each.encode() > word.encode())
    kept = running.keep("kept", held)
    assert running.fetch_integer(kept.x.nunique()) == len(words)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_moments_are_read_in_utc_wherever_the_machine_is(zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    hours = ["00", "01"]  # one wall clock in Berlin, on the night that summer time ends
    texts = ", ".join(f"(TIMESTAMPTZ '2024-10-27 {hour}:30:00+00')" for hour in hours)
    with engine("x", "100MB") as started:
        found = of(started, value, f"SELECT x FROM (VALUES {texts}) AS t(x)")
    assert found == [datetime.datetime(2024, 10, 27, int(hour), 30) for hour in hours]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT unnest([9007199254740992, 9007199254740993])::UBIGINT AS x",
        "SELECT unnest([9007199254740992, 9007199254740993])::HUGEINT AS x",
        "SELECT unnest([9007199254740992, 9007199254740993])::DECIMAL(20,1) AS x",
        "SELECT make_timestamp_ns(1700000000000000000 + i) AS x FROM range(2) AS r(i)",
    ],
)
def test_different_entities_stay_apart_where_their_values_meet(running, query):
    assert len(set(of(running, value, query))) == 1
    found = of(running, identity, query)
    assert len(set(found)) == 2
    assert None not in found


FIRST_MOMENT, LAST_MOMENT = -9_223_372_022_400_000_000, 2**63 - 2
"""Microseconds since 1970 that the engine's timestamps reach."""

WHOLE_MILLISECONDS = 2**53 * 1000
"""In the year 287396: beyond, not every millisecond is a float64."""


@pytest.mark.parametrize("function", [value, identity])
@pytest.mark.parametrize(
    "first", [FIRST_MOMENT, -WHOLE_MILLISECONDS, 0, WHOLE_MILLISECONDS, LAST_MOMENT - 9_999]
)
def test_moments_of_a_time_zone_are_told_apart_to_the_ends_of_their_range(running, function, first):
    numbers = f"SELECT {first} + i AS number FROM range(10_000) AS r(i)"
    running.execute(
        "CREATE OR REPLACE TEMP TABLE given AS SELECT number, make_timestamptz(number) AS x "
        f"FROM ({numbers})"
    )
    given = running.table("given")
    running.keep("held", given.select("number", x=function(given["x"], Kind.TIMESTAMP)))
    wrong = "SELECT number FROM held WHERE (x = make_timestamp(number)) IS NOT true"
    assert running.backend.con.execute(wrong).fetchall() == []


def test_infinite_moments_of_a_time_zone_stay_infinite(running):
    query = "SELECT unnest(['infinity', '-infinity', NULL])::TIMESTAMPTZ AS x"
    texts = of(running, lambda x, kind: value(x, kind).cast("string"), query)
    assert texts == ["infinity", "-infinity", None]


def test_equal_entities_are_one(running):
    for query in (
        "SELECT unnest(['0', '-0.0'])::DOUBLE AS x",
        "SELECT unnest(['0', '-0.0'])::FLOAT AS x",
        "SELECT unnest(['1.0', '1.00'])::DECIMAL(9,2) AS x",
        "SELECT unnest(['2024-01-31 12:00:00+02', '2024-01-31 10:00:00+00'])::TIMESTAMPTZ AS x",
        "SELECT unnest(['2024-01-31 12:00', '2024-01-31T12:00:00.000'])::TIMESTAMP_NS AS x",
        "SELECT unnest(['A0000000-0000-0000-0000-000000000001', "
        "'{a0000000-0000-0000-0000-000000000001}'])::UUID AS x",
    ):
        assert len(set(of(running, identity, query))) == 1


def encodings(running, columns):
    given = running.keep("given", pa.table(columns))
    return running.rows(given.select(octets=encoding(given, given.columns, SALT)))[
        "octets"
    ].to_pylist()


WORDS = [None, "", "n", ";", ":", "1", "1:n", "n;n", "\0", "\0\0", "\1", "\u00e9", "\U0001f600"]
NUMBERS = [None, 0.0, 1.0, 0.1, 0.1 + 2**-56, math.inf, -math.inf, 1e300, 1e-300, 5e-324]


def test_rows_that_differ_are_encoded_differently(running):
    pairs = list(itertools.product(WORDS, WORDS))
    found = encodings(running, {name: [p[i] for p in pairs] for i, name in enumerate("ab")})
    assert len(set(found)) == len(pairs)
    pairs = list(itertools.product(NUMBERS, WORDS))
    found = encodings(running, {"x": [p[0] for p in pairs], "t": [p[1] for p in pairs]})
    assert len(set(found)) == len(pairs)


HEAD = "number,number,string,boolean,date,timestamp(6)"


def text_of(written):
    return b"\1" + struct.pack(">q", len(written.encode())) + written.encode()


def whole(number):
    return b"\1" + struct.pack(">q", number)


def test_an_encoding_is_tags_bits_and_lengths(running):
    """Written by hand: 0 for NULL, 1 or 2 and 64 bits, or 1, a length in 64 bits, and the bytes."""
    found = encodings(
        running,
        {
            "i": pa.array([-2, None]),
            "x": pa.array([-1.5, 2.0**62]),
            "t": pa.array(["\u00e9;", None]),
            "b": pa.array([True, None]),
            "d": pa.array([datetime.date(1969, 12, 30), None]),
            "m": pa.array([datetime.datetime(1970, 1, 2), None], pa.timestamp("us")),
        },
    )
    full = [whole(-2), b"\2" + struct.pack(">d", -1.5), text_of("\u00e9;"), text_of("true")]
    full += [whole(-2), whole(86_400_000_000)]
    few = [b"\0", whole(2**62), b"\0", b"\0", b"\0", b"\0"]
    head = text_of(f"{SALT};{HEAD}")
    assert found == [head + b"".join(full), head + b"".join(few)]


def test_equal_numbers_are_encoded_alike_whatever_holds_them(running):
    def spelled(query):
        return encodings(running, {"x": of(running, value, query)})

    def expected(numbers):
        return [text_of(f"{SALT};number") + whole(number) for number in numbers]

    numbers = [0, 1, -1, 2**53, -(2**62), 127]
    for kind in (
        "BIGINT",
        "DOUBLE",
        "HUGEINT",
        "DECIMAL(38, 0)",
        "DECIMAL(38, 9)",
        "DECIMAL(25,6)",
    ):
        assert spelled(f"SELECT unnest({numbers})::{kind} AS x") == expected(numbers)
    for kind in ("TINYINT", "FLOAT", "DECIMAL(4, 1)"):
        assert spelled(f"SELECT unnest([127, -1, 0])::{kind} AS x") == expected([127, -1, 0])
    large = [2**53 + 1, 2**63 - 1, -(2**63)]
    assert spelled(f"SELECT unnest({large})::BIGINT AS x") == expected(large)
    found = spelled("SELECT unnest([-9223372036854775808, 9223372036854775808])::DOUBLE AS x")
    beyond = text_of(f"{SALT};number") + b"\2" + struct.pack(">d", 2.0**63)
    assert found == [*expected([-(2**63)]), beyond]


DIGITS = st.integers(1, 38).flatmap(
    lambda n: st.tuples(st.integers(-(10**n) + 1, 10**n - 1), st.integers(0, n), st.just(n))
)


@settings(max_examples=usual(20, 60))
@given(number=DIGITS)
@example(number=(466407903100216219, 18, 18))
@example(number=(3422159672816437069055668, 5, 25))
@example(number=(60317072477897660834523985793666794668, 0, 38))
def test_decimals_are_the_nearest_floats(running, number):
    """The engine's own cast is off by one bit in a third of long ones."""
    units, scale, precision = number
    text = format(decimal.Decimal(units).scaleb(-scale, decimal.Context(prec=60)), "f")
    (found,) = of(running, value, f"SELECT '{text}'::DECIMAL({precision}, {scale}) AS x")
    assert found == float(text)


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**63 + 1025, 9007199254740993])
@pytest.mark.parametrize("kind", ["UBIGINT", "HUGEINT"])
def test_wide_whole_numbers_are_the_nearest_floats(running, kind, number):
    assert of(running, value, f"SELECT '{number}'::{kind} AS x") == [float(number)]


@pytest.mark.parametrize("number", [35698930648002181011, 7245928903947289236887715093693591132])
def test_whole_numbers_of_128_bits_are_the_nearest_floats(running, number):
    assert of(running, value, f"SELECT '{number}'::HUGEINT AS x") == [float(number)]
