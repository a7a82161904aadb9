import pytest

from deniable.errors import InvalidArgument, NotApplicable
from deniable.notions import ZCDP, ApproxDP, GaussianDP, PureDP
from deniable.theorems.analysis import total
from tests.cases.refusals import refuses


def test_one_measure_is_kept():
    for one in (PureDP(0.5), ApproxDP(0.5, 1e-6), ZCDP(0.5), GaussianDP(0.5)):
        answer = total([one])
        assert answer.guarantee == one
        assert len(answer.steps) == 1


def test_every_conversion_is_a_step():
    answer = total([PureDP(1.0, "add-remove"), ZCDP(0.5)])
    assert [(step.source, step.target) for step in answer.steps] == [
        ("pure-dp:1.0@add-remove", "pure-dp:2.0"),
        ("pure-dp:2.0", "zcdp:2.0"),
        ("zcdp:2.0 and zcdp:0.5", "zcdp:2.5"),
    ]
    assert answer.guarantee == ZCDP(2.5)


def test_nothing_is_refused():
    with refuses(InvalidArgument, "at-least-one-guarantee"):
        total([])


@pytest.mark.parametrize("sized", [PureDP(0.5, records=3), ApproxDP(0.5, 1e-6, records=3)])
def test_a_guarantee_for_one_size_does_not_become_one_for_all(sized):
    with refuses(NotApplicable, "for-every-size"):
        total([sized, sized])
