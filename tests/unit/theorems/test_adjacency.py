import math

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, OneSidedDP, PureDP, Side
from deniable.theorems import adjacency as theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT, IN = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
POSITIVE, NEGATIVE = Side.POSITIVE, Side.NEGATIVE
LEAST = 5e-324

pure, pure_for = theorems.add_remove_dp_to_replace_one_dp, theorems.add_remove_dp_for_replace_one_dp
approx = theorems.add_remove_approx_dp_to_replace_one_approx_dp
zcdp = theorems.add_remove_zcdp_to_replace_one_zcdp
zcdp_for = theorems.add_remove_zcdp_for_replace_one_zcdp
gaussian = theorems.add_remove_gaussian_dp_to_replace_one_gaussian_dp
half, whole = theorems.pure_dp_to_one_sided_dp, theorems.one_sided_dp_to_pure_dp


@edges(
    *((pure, PureDP(x, OUT), PureDP(2 * x, IN)) for x in (0.0, LEAST, 0.1, 700.0, math.inf)),
    *((pure_for, PureDP(2 * x, IN), PureDP(x, OUT)) for x in (0.0, LEAST, 0.1, 700.0, math.inf)),
    (pure_for, PureDP(3 * LEAST), PureDP(LEAST, OUT)),  # half of it, rounded down
    (pure_for, PureDP(LEAST), PureDP(0.0, OUT)),
    (approx, ApproxDP(0.0, 0.25, OUT), ApproxDP(0.0, 0.5)),
    (approx, ApproxDP(1.0, 0.0, OUT), ApproxDP(2.0, 0.0)),
    (approx, ApproxDP(1.0, 0.5, OUT), ApproxDP(2.0, 1.0)),
    (approx, ApproxDP(math.inf, 0.1, OUT), ApproxDP(math.inf, 0.1)),
    (approx, ApproxDP(math.log(3), 1e-6, OUT), ApproxDP(2 * math.log(3), 4e-6)),
    (zcdp, ZCDP(0.3, OUT), ZCDP(1.2)),
    (zcdp_for, ZCDP(1.2), ZCDP(0.3, OUT)),
    (zcdp_for, ZCDP(LEAST), ZCDP(0.0, OUT)),
    (gaussian, GaussianDP(0.3, OUT, slack=0.01), GaussianDP(0.6, slack=0.02)),
    (half, PureDP(0.7, OUT), POSITIVE, OneSidedDP(0.7, POSITIVE)),
    (half, PureDP(0.7, OUT), NEGATIVE, OneSidedDP(0.7, NEGATIVE)),
    (whole, OneSidedDP(0.5), OneSidedDP(2.0, NEGATIVE), PureDP(2.0, OUT)),
    (whole, OneSidedDP(3.0), OneSidedDP(2.0, NEGATIVE), PureDP(3.0, OUT)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@refusals(
    (
        pure,
        PureDP(1.0),
        NotApplicable,
        "guarantee-with-neighbours: an add-remove | replace-one",
    ),
    (approx, ApproxDP(1.0, 0.0), NotApplicable, "guarantee-with-neighbours: an add-remove"),
    (zcdp, ZCDP(0.3), NotApplicable, "guarantee-with-neighbours: an add-remove"),
    (gaussian, GaussianDP(0.3), NotApplicable, "guarantee-with-neighbours: an add-remove"),
    (
        half,
        PureDP(0.7),
        POSITIVE,
        NotApplicable,
        "guarantee-with-neighbours: _ | replace-one",
    ),
    (whole, OneSidedDP(1.0), OneSidedDP(1.0), NotApplicable, "prove-other-half-too"),
    (whole, OneSidedDP(1.0, NEGATIVE), OneSidedDP(1.0), NotApplicable, "prove-other-half-too"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
