import pytest

import deniable
from deniable.errors import InvalidArgument, NotApplicable
from deniable.notions import PureDP
from tests.cases.refusals import refuses


def test_the_object_on_standard_output():
    answer = deniable.compose(["pure-dp:0.5", PureDP(0.25)], prior=(0.1, 0.2)).as_json()
    assert answer["from"] == ["pure-dp:0.5", "pure-dp:0.25"]
    assert answer["to"] == {
        "notion": "pure-dp",
        "parameters": {"epsilon": 0.75},
        "spec": "pure-dp:0.75",
        "adjacency": "replace-one",
    }
    assert [each["prior"] for each in answer["posterior"]] == [0.01, 0.05, 0.1, 0.2, 0.5]
    assert answer["derivation"][-1]["to"] == "pure-dp:0.75"
    assert (answer["exceedance"], answer["loss"], answer["prior"]) == (0.0, 0.75, [0.1, 0.2])


def test_an_exceedance_belongs_to_totals_in_delta_rho_and_mu():
    with refuses(InvalidArgument, "no-exceedance: pure-dp:1"):
        deniable.compose(["pure-dp:1"], exceedance=1e-6)
    with refuses(InvalidArgument, "delta-below-exceedance"):
        deniable.compose(["approx-dp:1,1e-6"], exceedance=1e-6)
    with refuses(InvalidArgument, "delta-below-exceedance"):
        deniable.compose(["zcdp:0.1"], exceedance=0.0)
    assert deniable.compose(["zcdp:0.1"]).exceedance == pytest.approx(1e-4)
    assert deniable.compose(["approx-dp:1,1e-6"]).exceedance == pytest.approx(1e-4)
    assert deniable.compose(["approx-dp:1,0"]).exceedance == 0.0


def test_a_refusal_says_what_to_give_instead():
    with refuses(NotApplicable, "give-differential-privacy"):
        deniable.compose(["attack-success:0.6"])
    with refuses(NotApplicable, "choose-delta-for-it-deniable: zcdp:0.1"):
        deniable.compose(["zcdp:0.1", "approx-dp:1,1e-6"])


def test_approximate_concentrated_guarantees_add_up_in_both_numbers():
    answer = deniable.compose(
        ["approx-zcdp:0.25,1e-7", "zcdp:0.25", "pure-dp:1.0", "approx-zcdp:0.5,1e-8"]
    )
    assert answer.total.spec == "approx-zcdp:1.5,1.1e-07"
    assert answer.exceedance == pytest.approx(1e-4)
    alone = deniable.compose(["zcdp:1.5"])
    assert alone.loss < answer.loss < 1.02 * alone.loss
    assert deniable.compose(["approx-zcdp:1.5,0"]).loss == alone.loss


def test_approximate_concentrated_guarantees_of_other_neighbours_do_not_add_up():
    with refuses(NotApplicable, "replace-one-beside-replace-one-same-2"):
        deniable.compose(["approx-zcdp:0.25,1e-7@add-remove", "zcdp:0.25"])
    with refuses(NotApplicable, "beside-approx-zcdp"):
        deniable.compose(["approx-zcdp:0.25,1e-7", "rdp:2,1"])
    with refuses(NotApplicable, "less-1"):
        deniable.compose(["approx-zcdp:0.25,0.6", "approx-zcdp:0.25,0.6"])
    with pytest.raises(NotApplicable):
        deniable.compose(["approx-zcdp:0.25,1e-7", "approx-dp:1,1e-6"])
