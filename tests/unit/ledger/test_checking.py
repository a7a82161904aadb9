"""Certificates beside a ledger: those that it paid for hold, every other is named."""

import json

import pytest

from deniable import Ledger
from deniable.certificate.json_documents import statement_sha256
from deniable.ledger import check, new
from deniable.ledger.units import UNITS


@pytest.fixture
def case(tmp_path):
    """A ledger, an open charge of half a unit of ε, and what a certificate says of it."""
    file = tmp_path / "hospital.ledger"
    new(file, "visits", epsilon=1.0, each_row=True)
    charge = Ledger(file).charge("visits", UNITS // 2, what="June")
    block = {
        "dataset": "visits",
        "measure": "epsilon",
        "budget": 1.0,
        "charged": 0.5,
        "entry": charge.sha256,
    }
    return file, charge, {"format": "a certificate", "ledger": block}


def finding(file, document):
    path = file.with_name("certificate.json")
    path.write_text(json.dumps(document), encoding="utf-8")
    answer = check(file, [path])
    assert answer.holds == (not answer.findings[-1].finding)
    return answer.findings[-1].finding


def test_a_certificate_agrees_with_its_charge_once_that_is_entered_as_released(case):
    file, charge, document = case
    assert "never entered as released" in finding(file, document)
    Ledger(file).released(charge.id, statement_sha256(document))
    assert finding(file, document) == ""
    assert "another certificate" in finding(file, document | {"created": "2026-07-01"})


def test_a_certificate_of_a_void_charge_is_named(case):
    file, charge, document = case
    Ledger(file).void(charge.id, "nothing left the house")
    assert "void" in finding(file, document)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dataset", "staff"),
        ("measure", "rho"),
        ("budget", 2.0),
        ("charged", 0.25),
        ("charged", None),
        ("entry", "0" * 64),
        ("entry", None),
    ],
)
def test_a_certificate_that_says_something_else_is_named(case, key, value):
    file, _, document = case
    assert finding(file, document | {"ledger": document["ledger"] | {key: value}})


@pytest.mark.parametrize("block", [None, [], "visits", {}])
def test_a_certificate_without_a_ledger_is_named(case, block):
    file, _, document = case
    assert finding(file, document | {"ledger": block})


def test_an_end_is_not_taken_for_a_charge(case):
    file, charge, document = case
    end = Ledger(file).released(charge.id, "a" * 64)
    block = document["ledger"] | {"entry": end.sha256}
    assert finding(file, document | {"ledger": block})
