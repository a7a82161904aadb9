"""What is remembered is what would be computed anew, and nothing of a patched module."""

import importlib

import pytest

from deniable.pipeline.noise import Share, VectorPart, shares
from deniable.pipeline.noise.shares import calibrate_mechanism
from tests.cases.computed_once import PURE

PART, SHARE = VectorPart("count", 1.0, 3, l1=2, l2=2.0, moved=2), Share(epsilon=0.5)


def test_an_answer_is_remembered_but_not_of_or_for_a_patched_module(monkeypatch):
    first = calibrate_mechanism(PART, SHARE)
    assert calibrate_mechanism(PART, SHARE) is first
    loss = shares.claimed_loss
    monkeypatch.setattr(shares, "claimed_loss", lambda *given: 2 * loss(*given))
    doubled = calibrate_mechanism(PART, SHARE)
    assert doubled.scale == pytest.approx(2 * first.scale)
    monkeypatch.undo()
    assert calibrate_mechanism(PART, SHARE) is first


def test_equal_arguments_of_other_types_are_asked_for_anew():
    whole, real = (VectorPart("count", each, 3, l1=2, l2=2.0, moved=2) for each in (1, 1.0))
    assert calibrate_mechanism(whole, SHARE) is not calibrate_mechanism(real, SHARE)


def test_each_name_is_there():
    for module, names in PURE.items():
        loaded = importlib.import_module(module)
        assert [each for each in names if not callable(getattr(loaded, each))] == []
