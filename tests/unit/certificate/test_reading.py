import pytest

from deniable.certificate.reading import (
    MOST_DEPTH,
    MOST_VALUES,
    check_values,
    read_bytes,
    read_document,
)
from deniable.errors import InvalidArgument


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Expected JSON in UTF-8"),
        ('{"a": 1, "a": 2}', "Expected each key once, got 'a' twice"),
        ("[NaN]", "got NaN"),
        ("[1e400]", "got one beyond 64 bits"),
        ("[" + "1" * 21 + "]", "at most 20 digits, got 21"),
        ("[0." + "1" * 50 + "]", "at most 40 characters, got 52"),
        ('["\\ud800"]', "half of a surrogate pair"),
        ('{"\\udfff": 1}', "half of a surrogate pair"),
        ("[" * MOST_DEPTH + "1" + "]" * MOST_DEPTH, f"at most {MOST_DEPTH} levels"),
        ("[" * 10**5 + "]" * 10**5, "Expected"),
        ("[" + "1," * MOST_VALUES + "1]", f"at most {MOST_VALUES} values"),
    ],
    ids=lambda text: text[:20],
)
def test_what_no_certificate_holds_is_refused_in_one_sentence(tmp_path, text, message):
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgument, match=message):
        read_document(path)


def test_what_a_certificate_may_hold_is_read(tmp_path):
    path = tmp_path / "c.json"
    path.write_text('{"a": [1, -2.5e-300, null, true, "\\ud83d\\ude00", 18446744073709551615]}')
    assert read_document(path) == {"a": [1, -2.5e-300, None, True, "\U0001f600", 2**64 - 1]}


def test_no_more_is_read_than_asked_for(tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(InvalidArgument, match="at most 4 bytes"):
        read_bytes(path, 4)


def test_values_that_could_not_be_read_back_are_refused_where_they_are_written():
    with pytest.raises(InvalidArgument, match="at most 20 digits"):
        check_values({"worlds": 10**20}, "here")
    with pytest.raises(InvalidArgument, match="more in here"):
        check_values([0] * MOST_VALUES, "here")
