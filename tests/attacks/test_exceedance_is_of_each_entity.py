"""Attack on exceedances: each candidate has a rare output of its own, and somebody's comes often.

Under (ε, δ)-DP the output of candidate i has probability X given i and X e^−ℓ given another; all
else is one neutral output. The loss at each output is ℓ, just above the tail's.
"""

from fractions import Fraction

import pytest

from deniable.notions import ApproxDP, Identifiability
from deniable.theorems.derive import derive

X = Fraction(1, 10_000)
LOSS = Fraction(28, 10)
"""e^ℓ: above e^1 and below what δ allows."""


@pytest.mark.parametrize("worlds", [2, 3, 10, 100])
def test_a_rare_output_is_rare_for_each_and_not_for_somebody(worlds: int) -> None:
    own, other = X, X / LOSS
    epsilon = 1.0
    delta = float(own - other * Fraction(2718281828, 10**9)) * (1 + 1e-12)  # > own − e^ε other
    rarely = float(X) * (1 + 1e-6)
    found = derive(ApproxDP(epsilon, delta), f"identifiability:?,{worlds},{rarely!r}").target
    assert isinstance(found, Identifiability)
    posterior = own / (own + (worlds - 1) * other)
    assert posterior > Fraction(found.rho)  # each output passes the limit of its candidate
    assert own <= Fraction(found.exceedance)  # what is claimed, candidate by candidate
    somebody = own + (worlds - 1) * other
    assert somebody > Fraction(found.exceedance)  # what is not
    assert somebody <= X * (1 + (worlds - 1) / LOSS)  # and how much more it is at most
