"""The enclosed curve as a user meets it."""

from deniable.learning import Phase, privacy_curve


def test_every_number_has_two_ends():
    curve = privacy_curve([Phase(1.0, 0.01, 100)])
    for bound in (curve.delta(1.0), curve.advantage(), curve.fnr(0.01), curve.exceedance(1.0)):
        assert 0 <= bound.lower <= bound.upper <= 1
