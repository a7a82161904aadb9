"""Small values of functions that several modules share."""

from deniable.priors._poisson_binomial import size_law


def test_law_of_a_sum_with_a_certain_event():
    law = size_law([0.5, 0.5, 1.0])
    assert (law.least, law.masses.tolist()) == (0, [0.0, 0.25, 0.5, 0.25])
