import math

import pytest

from deniable.errors import NotApplicable
from deniable.judge import theorems
from deniable.notions import Adjacency, PosteriorGain, PosteriorRatio, PureDP
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE

ratio, ratio_back = theorems.pure_dp_to_posterior_ratio, theorems.posterior_ratio_to_pure_dp
gain, gain_back = theorems.pure_dp_to_posterior_gain, theorems.posterior_gain_to_pure_dp


@edges(
    # one step between two values of a record, or two
    (ratio, PureDP(0.0), PosteriorRatio(1.0)),
    (ratio, PureDP(math.log(2)), PosteriorRatio(2.0)),
    (ratio, PureDP(math.log(2), OUT), PosteriorRatio(4.0)),
    (ratio, PureDP(math.inf), PosteriorRatio(math.inf)),
    *((ratio_back, PosteriorRatio(r), PureDP(math.log(r))) for r in (1.0, 1.5, 9.0, math.inf)),
    (gain, PureDP(0.0), PosteriorGain(0.0)),
    (gain, PureDP(1.0), PosteriorGain(math.tanh(0.25))),
    (gain, PureDP(1.0, OUT), PosteriorGain(math.tanh(0.5))),
    (gain, PureDP(math.inf), PosteriorGain(1.0)),
    *((gain_back, PosteriorGain(b), PureDP(4 * math.atanh(b))) for b in (0.0, 0.1, 0.5)),
    (gain_back, PosteriorGain(1.0), PureDP(math.inf)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


def test_there_and_back_claims_no_more():
    for b in (0.0, 0.1, 0.5):
        assert b <= gain(gain_back(PosteriorGain(b))).gain == pytest.approx(b, rel=1e-14)


@refusals(
    (ratio, PureDP(1.0, records=1), NotApplicable, "data-of-every-size-one"),
    (gain, PureDP(1.0, records=2), NotApplicable, "data-of-every-size-one"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
