from types import ModuleType

import attrs
import pytest

from deniable.notions import ApproxDP, PureDP
from deniable.numerics.bound import Evidence
from deniable.theorems._theorem import theorem, theorems_of


def test_a_function_is_entered_as_it_is():
    @theorem("a joke", states="ε-DP is nothing.", evidence=Evidence.ESTIMATE)
    def pure_dp_to_nothing(guarantee: PureDP) -> ApproxDP:
        return ApproxDP(guarantee.epsilon, 1.0)

    (entry,) = theorems_of(ModuleType(__name__))
    assert pure_dp_to_nothing(PureDP(1.0)) == ApproxDP(1.0, 1.0)
    assert entry.implication is pure_dp_to_nothing
    assert (entry.premise, entry.conclusion) == (PureDP, ApproxDP)
    assert entry.title == "pure_dp_to_nothing (a joke)"
    assert (entry.states, entry.evidence) == ("ε-DP is nothing.", Evidence.ESTIMATE)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        entry.source = ""
