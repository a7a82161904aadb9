import pytest

from deniable.explorer import certified_curves, shorten, spread
from deniable.notions import Adjacency, Advantage, ApproxDP, PrivacyLossTail
from deniable.theorems.analysis import largest_rho
from tests.cases.effort import usual

ASKED = {
    "tail": ("losses", lambda x, where: PrivacyLossTail(x, 1e-5, where)),
    "approx": ("losses", lambda x, where: ApproxDP(x, 1e-5, where)),
    "advantage": ("gains", lambda x, _: Advantage(x)),
}


@pytest.mark.parametrize(
    ("slack", "adjacency"),
    [(0.0, Adjacency.REPLACE_ONE), (None, Adjacency.ADD_REMOVE), (0.02, Adjacency.REPLACE_ONE)],
)
def test_each_point_is_allowed_and_nearly_the_most(slack, adjacency):
    curves = certified_curves(1e-5, slack, adjacency)
    for kind, (asked, requirement) in ASKED.items():
        assert len(curves[kind]) == len(curves[asked]) == 200
        assert curves[asked] == sorted(curves[asked])
        for i in (0, 120):
            needed = requirement(curves[asked][i], adjacency)
            most = largest_rho(needed, slack, adjacency).rho
            assert 0.998 * most <= curves[kind][i] <= most


@pytest.mark.parametrize("delta", usual([1e-300, 0.999], [1e-300, 1e-15, 0.5, 0.999]))
def test_any_delta_gives_curves_that_hold(delta):
    curves = certified_curves(delta, 0.0)
    for i in (60,):
        most = largest_rho(PrivacyLossTail(curves["losses"][i], delta), 0.0).rho
        assert 0 <= curves["tail"][i] <= most
        assert most <= 1.01 * curves["tail"][i]  # MISSED of the page's script


def test_numbers_are_shortened_to_the_side_that_is_told():
    rounded = [shorten(each, up=True) for each in (1 / 3, 0.25, 12345.6)]
    assert rounded == [0.3334, 0.25, 12350.0]
    assert [shorten(each, up=False) for each in (2 / 3, 12345.6)] == [0.6666, 12340.0]
    assert spread(0.01, 1, 3) == (0.01, 0.1, 1.0)
