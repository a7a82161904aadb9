"""Answers shown: one line, what JSON can hold, and rounded tables."""

import attrs
import pytest

from deniable.numerics.answer import Answer, plain


@attrs.frozen(repr=False)
class Told(Answer):
    """What a test tells."""

    told: dict[str, object]

    def as_json(self):
        """All of it."""
        return self.told


def test_infinities_and_keys_are_what_json_can_hold():
    assert plain({8: [float("inf")], "x": -float("inf")}) == {"8": ["inf"], "x": "-inf"}
    assert Told({"a": float("inf")}).as_json() == {"a": "inf"}


def test_a_line_holds_first_numbers_and_how_long_lists_are():
    answer = Told({"a": 0.5, "none": None, "bound": {"lower": 0, "upper": 1, "evidence": "exact"}})
    assert repr(answer) == "Told(a=0.5, bound=[0, 1])"
    assert repr(Told({"many": [1, 2, 3], "inner": {"x": 1}})) == "Told(many=[… 3])"


@pytest.mark.parametrize("words", [["x" * 1000], ["x" * 30] * 20])
def test_a_long_answer_is_one_short_line(words):
    shown = repr(Told({f"key {i}": word for i, word in enumerate(words)}))
    assert len(shown) <= 160
    assert shown.startswith("Told(")
    assert "…" in shown


def test_a_name_that_is_longer_than_a_line_leaves_only_the_answer():
    assert repr(Told({"k" * 200: 1})) == "Told(…)"


def test_an_answer_without_json_says_so():
    with pytest.raises(NotImplementedError):
        Answer().as_json()
