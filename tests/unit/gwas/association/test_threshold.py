import pytest
from scipy.stats import chi2

from deniable.errors import InvalidArgument
from deniable.gwas.association.threshold import chi_squared_threshold


@pytest.mark.parametrize("level", [0.9, 0.05, 5e-8, 1e-100, 1e-300])
def test_is_the_upper_quantile(level):
    assert chi_squared_threshold(level, 7) == pytest.approx(chi2.isf(level, 1), rel=1e-12)


def test_bonferroni_shares_among_the_variants():
    assert chi_squared_threshold("bonferroni", 1) == chi_squared_threshold(0.05, 1)
    assert chi_squared_threshold("bonferroni", 1000) == chi_squared_threshold(0.05 / 1000, 1)


@pytest.mark.parametrize(
    ("threshold", "variants", "match"),
    [
        ("holm", 5, "threshold to be one of bonferroni"),
        (0.0, 5, "0 < threshold < 1"),
        (1.0, 5, "0 < threshold < 1"),
        ("bonferroni", 0, "Expected variants >= 1"),
    ],
)
def test_arguments_are_checked(threshold, variants, match):
    with pytest.raises(InvalidArgument, match=match):
        chi_squared_threshold(threshold, variants)
