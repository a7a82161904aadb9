"""Arrow's arrays without pandas are those that Arrow itself makes."""

import math

import pyarrow as pa
import pytest

from deniable.gwas.certificates import arrow_array

VALUES = {
    "int64": [0, -(2**63), 2**63 - 1, 2**53 + 1],
    "float64": [0.1, -0.0, math.inf, 5e-324, 1.7976931348623157e308],
    "bool": [True, False, True, True, False, False, True, True, True],
    "string": ["", "rs1", "Zürich", "\U0001f9ec", "a\x00b", '"'],
}


@pytest.mark.parametrize("kind", list(VALUES))
@pytest.mark.parametrize("holes", [(), (0,), (1, 3), (0, 1, 2, 3)])
def test_as_arrow_makes_them(kind, holes):
    values = [None if index in holes else value for index, value in enumerate(VALUES[kind])]
    for part in (values, values[:1], [], [None], values * 9):
        ours, theirs = arrow_array(part, kind), pa.array(part, kind)
        ours.validate(full=True)
        assert ours.type == theirs.type
        assert ours.null_count == theirs.null_count
        assert ours.equals(theirs)


def test_signs_and_nan_are_kept():
    values = arrow_array([-0.0, math.nan, None], "float64").to_pylist()
    assert math.copysign(1, values[0]) == -1
    assert math.isnan(values[1])
    assert values[2] is None


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_a_number_that_does_not_fit_is_no_number(value):
    with pytest.raises(OverflowError):
        arrow_array([value], "int64")
