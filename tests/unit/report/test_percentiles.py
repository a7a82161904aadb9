import re

import attrs
from hypothesis import given
from hypothesis import strategies as st

from deniable.certificate.results import ResultRow
from deniable.report.percentiles import between, quantile_error, rows_behind
from tests.cases.prose import Page
from tests.cases.sample_certificate import (
    laplace,
    query,
    sample_certificate,
    sample_queries,
    selection,
)

MEDIAN = next(each for each in sample_queries() if each.statistic == "quantile")


@given(st.floats(0.001, 0.999), st.floats(0.1, 1e6), st.floats(1.0, 1e9))
def test_percentiles_are_rounded_outwards(share, width, rows):
    told = between(share, width, rows)
    low, high = 100 * (share - width / rows), 100 * (share + width / rows)
    if told is None:
        assert low < 1
        assert high > 99
        return
    ends = [int(end) for end in re.findall(r"(\d+)(?:st|nd|rd|th)", told)]
    assert max(low, 0) >= ends[0] - 1e-5
    assert min(high, 100) <= ends[1] + 1e-5
    assert ends[1] - ends[0] <= high - low + 2


def test_sizes_at_which_nothing_is_said_are_left_out():
    assert Page(quantile_error(MEDIAN)).paragraphs == [
        "In 95 of 100 releases the choice misses the best one by at most 612 rows: "
        "of 10,000 rows, between the 43rd and the 57th percentile; "
        "of 100,000 rows, between the 49th and the 51st percentile."
    ]
    wide = attrs.evolve(MEDIAN, parts=(selection("quantile", 1.0, 5, 1e30),))
    (told,) = Page(quantile_error(wide)).paragraphs
    assert told.endswith(" rows: in no usual table does it say anything.")


def test_a_count_that_is_published_too_says_how_many_rows_there_are():
    mean = query("mean age", "mean", [laplace("sum", 1.0, 1, 1.0)], "age", bounds=[0, 120])
    rows = [
        ResultRow("mean age", "mean", "age", value=40.0, half_width_95=1.0),
        ResultRow("mean age", "count", "age", value=5000.0, half_width_95=100.0),
    ]
    both = attrs.evolve(sample_certificate(), queries=(mean, MEDIAN))
    assert rows_behind(MEDIAN, both, rows) == [4900.0]
    assert rows_behind(MEDIAN, sample_certificate(), rows) is None
    other = attrs.evolve(mean, where=(("age", ">", 3),))
    assert rows_behind(MEDIAN, attrs.evolve(both, queries=(other, MEDIAN)), rows) is None
