"""Tables of answers for notebooks."""

import re

import attrs
import pytest

from deniable.numerics.answer import Answer
from deniable.report.answers import answer_html


@attrs.frozen(repr=False)
class Told(Answer):
    """What a test tells.

    And more of it.
    """

    told: dict[str, object]
    TO_APPLY = frozenset({"epsilon"})

    def as_json(self):
        """All of it."""
        return self.told


def rows(told):
    """Name and value of each row of the first table."""
    table = str(answer_html(Told(told))).split("</table>")[0]
    found = re.findall(r"<tr><th[^>]*>(.*?)</th><td[^>]*>(.*?)</td></tr>", table)
    return {re.sub("<.*?>", "", name): re.sub("<.*?>", "", value) for name, value in found}


@pytest.mark.parametrize(
    ("key", "shown"),
    [("gamma", "1.23457"), ("lower", "1.23456"), ("epsilon", "1.23456"), ("scale", "1.234567")],
)
def test_a_number_is_rounded_to_its_safe_side_and_in_full_where_none_is_known(key, shown):
    assert rows({key: 1.234567}) == {key: shown}


def test_enclosures_infinities_and_inner_objects_are_rows():
    bound = {"lower": 0.1234567, "upper": "inf", "evidence": "enclosure"}
    told = {"a_bound": bound, "gamma": "inf", "none": None, "apply": {"mu": 0.5}, "holds": True}
    assert rows(told) == {
        "a bound": "[0.123456, inf], enclosure",
        "gamma": "inf",
        "apply: mu": "0.5",
        "holds": "yes",
    }


def test_only_the_first_rows_of_a_long_list_are_shown():
    page = str(answer_html(Told({"points": [{"x": i} for i in range(1000)]})))
    assert page.count("<tr>") == 21
    assert "… and 980 more" in page


def test_cautions_come_first_and_the_caption_is_the_first_line():
    page = str(answer_html(Told({"cautions": ["x < y"], "a": 1})))
    assert page.index("Caution: x &lt; y") < page.index("What a test tells.")
    assert "And more" not in page
