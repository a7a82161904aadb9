import pytest

from deniable.errors.public_names import nearest, plain

WORDS = ("count", "entities", "mean", "quantile", "sum")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("SUM", "sum"),
        (" mean ", "mean"),
        ("quantil", "quantile"),
        ("entity", "entities"),
        ("median", "quantile"),
        ("Average", "mean"),
        ("ent", "entities"),
        ("e", None),
        ("x", None),
        ("", None),
    ],
)
def test_the_word_that_may_be_meant(word, expected):
    assert nearest(word, WORDS, {"median": "quantile", "average": "mean"}) == expected


def test_a_word_of_others_for_what_is_not_known_here_is_no_help():
    assert nearest("median", ["sum"], {"median": "quantile"}) is None


def test_ways_to_write_one_word():
    assert {plain(word) for word in ("Add Remove", "add_remove", "ADD-REMOVE ")} == {"add-remove"}
