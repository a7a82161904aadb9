import json
import math

import attrs
import pytest

from deniable.certificate import CertifiedGroup, Guarantee, TableCertificate
from deniable.certificate.tables import FORMAT_1
from deniable.errors import InvalidArgument
from deniable.notions import ApproxDP
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail
from tests.cases.sample_certificate import YEARS, gaussian_certificate, sample_certificate

SAMPLES = [sample_certificate, gaussian_certificate]


def guarantee(**changes: float) -> Guarantee:
    return attrs.evolve(gaussian_certificate().guarantee, **changes)


@pytest.mark.parametrize("make", SAMPLES)
def test_json_round_trip(make):
    certificate = make()
    text = json.dumps(certificate.as_json(), allow_nan=False)
    assert TableCertificate.from_json(json.loads(text)) == certificate


def test_json_has_the_keys_of_the_interface():
    document = sample_certificate().as_json()
    assert document["format"] == FORMAT_1
    assert document["derivation"][0].keys() == {"from", "to", "theorem"}
    assert document["limits"] == {"rows_per_entity": 5}
    assert document["adversary"] == {"prior": [0.3, 0.7]}
    assert document["queries"][1]["where"][1] == ["region", "in", ["north", "south"]]


def test_dates_become_iso_text():
    assert YEARS.keys == ("1974-01-01", "1975-01-01")
    assert CertifiedGroup("g", (True, 1, 2.5)).keys == (True, 1, 2.5)


def test_infinity_is_a_text_and_comes_back():
    sample = sample_certificate()
    open_ended = attrs.evolve(
        sample,
        guarantee=attrs.evolve(sample.guarantee, epsilon=math.inf, gamma_outside=math.inf),
    )
    document = open_ended.as_json()
    assert document["guarantee"]["epsilon"] == "inf"
    assert TableCertificate.from_json(document) == open_ended


def test_values_are_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        sample_certificate().created = "2027-01-01"  # type: ignore[misc]


def test_beliefs_are_read_at_epsilon_where_a_tail_is_stated():
    assert guarantee().loss == 1.613
    assert sample_certificate().guarantee.loss == sample_certificate().guarantee.epsilon


def test_beliefs_are_read_at_a_larger_loss_where_epsilon_and_delta_are_stated():
    wide = guarantee(exceedance=1e-4)
    tail = approx_dp_to_privacy_loss_tail(ApproxDP(1.613, 1e-6), 1e-4)
    assert wide.loss == tail.epsilon > wide.epsilon


def test_delta_without_exceedance_is_refused():
    with pytest.raises(InvalidArgument, match="Expected exceedance >= delta, got exceedance=0"):
        guarantee(exceedance=0.0)
