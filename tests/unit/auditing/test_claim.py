import math

import pytest

from deniable.auditing.audit import claim
from deniable.errors import InvalidArgument
from deniable.theorems.derive import derive
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses


@pytest.mark.parametrize(
    ("text", "adjacency", "delta", "epsilon", "at"),
    [
        ("pure-dp:1", "replace-one", None, 1.0, 0.0),
        ("pure-dp:1@add-remove", "add-remove", None, 1.0, 0.0),
        ("pure-dp:1@add-remove", "replace-one", None, 2.0, 0.0),
        ("pure-dp:1", "replace-one", 0.01, 1.0, 0.01),
        ("approx-dp:1,1e-5", "replace-one", None, 1.0, 1e-5),
        ("positive-membership:2", "replace-one", None, math.log(2), 0.0),
        ("pure-dp:1", "parent-set", None, 1.0, 0.0),
        ("pure-dp:1@add-remove", "parent-set", None, 2.0, 0.0),
        ("population:0.5,0.01", "parent-set", None, 0.5, 0.01),
        ("advantage:0.2", "replace-one", None, 0.0, 0.2),
        ("attack-success:0.6@add-remove", "add-remove", None, 0.0, 0.2),
        ("attack-success:0.6@population", "parent-set", 0.3, 0.0, 0.3),
    ],
)
def test_a_claim_is_read_between_the_neighbours_of_the_audit(text, adjacency, delta, epsilon, at):
    found = claim(text, adjacency, delta)
    assert found.text == text
    assert found.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert found.epsilon >= epsilon - 1e-15
    assert found.delta == pytest.approx(at, rel=1e-12)


@pytest.mark.parametrize("text", ["zcdp:0.5", "gaussian-dp:1", "privacy-curve:0.1,1,10@add-remove"])
def test_a_claim_without_a_delta_is_read_at_the_usual_one(text):
    adjacency = "add-remove" if "@" in text else "replace-one"
    found = claim(text, adjacency)
    assert found.delta == 1e-6
    wanted = f"approx-dp:?,1e-6@{adjacency}"
    assert found.epsilon == derive(text, wanted).target.epsilon


@pytest.mark.parametrize(
    ("text", "adjacency", "delta"),
    [
        ("pure-dp:1", "add-remove", None),
        ("population:0.5,0", "replace-one", None),
        ("max-posterior:0.7", "replace-one", None),
        ("advantage:0.2", "add-remove", None),
        ("advantage:0.2", "replace-one", 0.1),
        ("approx-dp:1,1e-5", "replace-one", 1e-6),
        ("k-anonymity:5", "replace-one", None),
        ("nonsense", "replace-one", None),
        ("pure-dp:many", "replace-one", None),
        ("pure-dp:-1", "replace-one", None),
        ("pure-dp:1", "replace-one", 2.0),
        ("approx-dp:inf,0", "replace-one", None),
        ("1.0", "replace-one", None),
        ("", "replace-one", None),
    ],
)
def test_a_claim_that_says_nothing_there_is_refused(text, adjacency, delta):
    with pytest.raises(InvalidArgument) as raised:
        claim(text, adjacency, delta)
    assert refusal_of(str(raised.value)).expected


@pytest.mark.parametrize(
    ("text", "adjacency", "message", "meant"),
    [
        ("pure-dp:1", "add-remove", "one-record-more: {}", "pure-dp:1@add-remove"),
        ("zcdp:0.5", "add-remove", "one-record-more: {}", "zcdp:0.5@add-remove"),
        ("advantage:0.2", "add-remove", "one-record-more: {}", "advantage:0.2@add-remove"),
        ("advantage:0.2@add-remove", "replace-one", "of-one-size: {}", "advantage:0.2@replace-one"),
        ("population:0.5,0", "add-remove", "size-draws-samples", None),
        ("population:inf,0", "replace-one", "size-draws-samples", None),
        ("pure-dp:inf", "add-remove", "allows-everything: 'pure-dp:inf'", None),
        ("pure-dp:inf", "replace-one", "allows-everything: 'pure-dp:inf'", None),
        ("approx-dp:inf,0", "replace-one", "allows-everything: 'approx-dp:inf,0'", None),
        ("approx-dp:1,1", "add-remove", "allows-everything: 'approx-dp:1,1'", None),
        ("identifiability:0.1,100", "add-remove", "allows-everything", None),
    ],
)
def test_a_claim_of_other_neighbours_hears_what_may_be_meant(text, adjacency, message, meant):
    """Only a claim that can be audited here is offered."""
    with refuses(InvalidArgument, message.format(meant)) as raised:
        claim(text, adjacency)
    assert raised.value.instead == (None if meant is None else (text, meant))
    if meant is not None:
        assert claim(meant, adjacency).text == meant
