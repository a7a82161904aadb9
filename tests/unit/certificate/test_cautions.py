import math

import attrs
import pytest

from deniable.certificate.cautions import cautions, query_cautions
from tests.cases.sample_certificate import laplace, query, sample_certificate
from tests.cases.sample_study import study_certificate


@pytest.mark.parametrize(
    ("statistic", "bounds", "widths", "rows"),
    [
        ("count", None, {"count": 1e15}, "1e15"),
        ("histogram", None, {"histogram": 2e6}, "2,000,000"),
        ("quantile", (0.0, 1.0), {"quantile": 3e6}, "3,000,000"),
        ("sum", (-10.0, 5.0), {"sum": 2e7}, "2,000,000"),
        ("mean", (0.0, 10.0), {"sum": 2e7, "count": 1e6}, "3,500,000"),
    ],
)
def test_noise_as_large_as_a_million_rows_is_told(statistic, bounds, widths, rows):
    (told,) = query_cautions("q", statistic, bounds, widths)
    assert told.startswith("“q” says nothing of fewer than ")
    number = told.split(" than ")[1].split(" rows")[0]
    if rows == "1e15":
        assert number.endswith("10^15")
    else:
        assert number == rows
    assert (
        query_cautions("q", statistic, bounds, {key: w / 1e10 for key, w in widths.items()}) == []
    )


def test_a_mean_of_so_many_rows_is_off_by_its_whole_range():
    (told,) = query_cautions("q", "mean", (0.0, 10.0), {"sum": 2e7, "count": 1e6})
    rows = float(told.split(" than ")[1].split(" rows")[0].replace(",", ""))
    assert (2e7 + 1e6 * 5) / (rows - 1e6) == pytest.approx(10.0)


def test_a_width_that_nobody_knows_beforehand_is_no_caution():
    assert query_cautions("q", "count", None, {"count": None}) == []


def test_a_certificate_is_warned_of_once_for_each_reason():
    sample = sample_certificate()
    assert cautions(sample) == cautions(study_certificate()) == ()
    drowned = query("far off", "count", [laplace("count", 1e-9, 1, 1e10)])
    nobody = attrs.evolve(
        sample.guarantee, epsilon=math.inf, gamma=math.inf, gamma_outside=math.inf,
        attack_success=1.0, advantage=1.0,
    )  # fmt: skip
    bad = attrs.evolve(sample, guarantee=nobody, queries=(*sample.queries, drowned))
    found = cautions(bad)
    assert len(found) == 2
    assert found[0].startswith("This protects nobody")
    assert "far off" in found[1]
