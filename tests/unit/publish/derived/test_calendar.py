"""Calendar parts as they are written: what there is of each, in which order."""

import datetime

import pytest

from deniable.publish.derived import PARTS

DAYS = [datetime.date.fromordinal(each) for each in range(1, 3_652_060, 97)]
DAYS += [datetime.date(9999, 12, 31), datetime.date(2020, 12, 31), datetime.date(2021, 1, 3)]
OF_DAYS = {
    "year": lambda day: f"{day.year:04}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "month": lambda day: day.isoformat()[:7],
    "week": lambda day: "{:04}-W{:02}".format(*day.isocalendar()),
}


@pytest.mark.parametrize("word", OF_DAYS)
def test_a_part_that_a_day_has_is_one_and_comes_after_those_of_earlier_days(word):
    texts = [OF_DAYS[word](day) for day in sorted(DAYS)]
    places = [PARTS[word].place(text) for text in texts]
    assert places == sorted(places)
    assert [PARTS[word].text(place) for place in places] == texts


@pytest.mark.parametrize("word", PARTS)
def test_its_example_is_a_part(word):
    part = PARTS[word]
    assert part.text(part.place(part.example)) == part.example


def test_parts_that_come_again_are_all_there():
    assert PARTS["weekday"].all == ("1", "2", "3", "4", "5", "6", "7")
    assert PARTS["hour"].all == tuple(f"{hour:02}" for hour in range(24))
    assert PARTS["month"].all == ()


NONE = [
    ("year", "0000"), ("year", "10000"), ("year", "24"), ("year", "２０２４"),
    ("quarter", "2024-Q5"),
    ("quarter", "2024-Q0"), ("quarter", "2024Q1"), ("month", "2024-13"), ("month", "2024-00"),
    ("month", "2024-1"), ("month", "2024-01-01"), ("week", "2024-W53"), ("week", "2024-W00"),
    ("week", "0000-W01"), ("weekday", "0"), ("weekday", "8"), ("weekday", "01"), ("hour", "24"),
    ("hour", "7"), ("hour", ""),
]  # fmt: skip


@pytest.mark.parametrize(("word", "text"), NONE)
def test_what_is_no_part_has_no_place(word, text):
    assert PARTS[word].place(text) is None
    assert PARTS["week"].place("2020-W53") is not None
