import inspect
import re

import attrs
import pytest

from deniable.crosstabs.crosstab import Crosstab
from deniable.crosstabs.tree import Tree
from deniable.publish.plan import known_keys
from deniable.publish.query import STATISTICS, Statistic

METHODS = ["row_values", "parts", "exact", "rows", "half_widths"]


def test_the_words_of_a_plan():
    core = ["count", "entities", "sum", "mean", "histogram", "quantile", "top", "removed"]
    guests = [
        "crosstab", "geometric mean", "regression", "running_count", "survival", "tree", "variance",
    ]  # fmt: skip
    assert list(STATISTICS) == core + guests
    assert {word: made.kind for word, made in STATISTICS.items()} == {
        word: word for word in STATISTICS
    }


@pytest.mark.parametrize("made", STATISTICS.values())
@pytest.mark.parametrize("method", METHODS)
def test_every_statistic_has_the_protocols_methods(made, method):
    expected = inspect.signature(getattr(Statistic, method))
    assert inspect.signature(getattr(made, method)).parameters.keys() == expected.parameters.keys()
    # As written: evaluating them would import the engine's types.
    assert written(getattr(made, method)) == written(getattr(Statistic, method))


def written(method):
    """Annotations without the modules that names are written with."""
    return {
        name: re.sub(r"\b\w+[.](?=[A-Z])", "", each)
        for name, each in method.__annotations__.items()
    }


@pytest.mark.parametrize("made", STATISTICS.values())
def test_a_plans_own_keys_are_fields(made):
    # The plan works out top's keys, whether a mean's size is public, whether counts scale, and
    # what limit it is that removed rows, how many periods there are, and how curves get noise.
    others = {"categories", "size_is_public", "scaled", "rows_per_entity", "periods", "before"}
    others |= {"groups", "design", "adjacency", "gaussian"}
    fields = set(attrs.fields_dict(made)) - others
    if made is Crosstab:  # two keys would be words that a field cannot have, two make the design
        fields = fields - {"design", "whole_numbers", "rows_to_share"}
        fields |= {"margins", "importance", "whole", "rows"}
    if made is Tree:
        fields = fields - {"labels", "design", "whole_numbers"} | {"nested", "importance", "whole"}
    assert fields == {key.name for key in known_keys.own_keys(made.kind)} - {"keys"}
    assert STATISTICS[made.kind] is made


def test_what_is_numeric_and_what_can_be_scaled():
    assert {kind for kind, made in STATISTICS.items() if made.NUMERIC} == {
        "sum",
        "mean",
        "geometric mean",
        "variance",
        "regression",
        "histogram",
        "quantile",
        "survival",
    }
    assert {kind for kind, made in STATISTICS.items() if made.SCALABLE} == {
        "count",
        "sum",
        "histogram",
    }
