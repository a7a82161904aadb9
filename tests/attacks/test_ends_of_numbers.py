"""Moments and days at the ends of their numbers, however Arrow holds them, end no release."""

import datetime
import secrets

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Protection, Query
from deniable.publish.statistics import Count
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import some_pairs, usual
from tests.cases.frames import FRAMES, in_memory

PEOPLE, DAY = 30, datetime.date(2024, 1, 31)
TYPES = {
    str(of): of
    for of in [pa.timestamp(u, z) for u in ("s", "ms", "us", "ns") for z in (None, "Asia/Tokyo")]
    + [pa.date32(), pa.date64()]
}
HELD = {
    "plain": lambda values: values,
    "categories": lambda values: values.dictionary_encode(),
    "runs": pc.run_end_encode,
    "categories not used": lambda values: pa.DictionaryArray.from_arrays(
        pa.array([*range(PEOPLE - 1), *[None] * (len(values) - PEOPLE + 1)]), values
    ),
}


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)


def ends(of):
    """Numbers at both ends, and where a finer unit ends."""
    last = 2 ** (of.bit_width - 1) - 1
    return [last, -last - 1, -last, last // 1000, last // 1000 + 1, -(last // 10**6) - 1]


def found(made, of, numbers):
    """What others add up to where one person has rows with those numbers."""
    whole = pa.int32() if of.bit_width == 32 else pa.int64()
    step = 86_400_000 if pa.types.is_date64(of) else 1  # parts of a day are no days
    values = pa.array([*(step * number for number in range(PEOPLE)), *numbers], whole).view(of)
    people = pa.array([*map(str, range(PEOPLE)), *["attacker"] * len(numbers)])
    columns = {held: hold(values) for held, hold in HELD.items()}
    source = in_memory(FRAMES[made](pa.table({"p": people, **columns})))
    limit, alone = Protection(Adjacency.ADD_REMOVE, 1), Condition("p", "!=", "attacker")
    queries = [
        Query(held, Count(), where=(alone, Condition(held, "not in", (DAY,)))) for held in HELD
    ]
    totals = exact_totals(source, "p", [(query, limit) for query in queries])
    return [int(each.sum()) for each in totals]


@pytest.mark.parametrize(
    ("of", "made"),
    some_pairs([*TYPES], usual(["arrow", "reader", "reader", "arrow"], ["arrow", "reader"])),
)
def test_no_number_of_one_person_shows_or_moves_others(made, of):
    numbers = ends(TYPES[of])
    expected = [PEOPLE] * (len(HELD) - 1) + [PEOPLE - 1]
    assert found(made, TYPES[of], numbers) == found(made, TYPES[of], [7]) == expected
