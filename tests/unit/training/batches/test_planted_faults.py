"""Faults planted in the laws, each of which a check of `second_ways` has to find.

Wrong directions, ends that are swapped, and roundings to the wrong side. What is replaced is
private, for that is where such a fault would be.
"""

import math

import attrs
import pytest

from deniable.training.batches import curve, laws, sides, ways
from deniable.training.batches.batched import BatchedTraining
from deniable.training.noisy_gradients.curve import Direction
from tests.unit.training.batches import second_ways

REMOVE, ADD = Direction
_delta, _misses, _side = laws.RatioLaw.delta, laws.RatioLaw.misses, laws.RatioLaw._side
_combine, _cells, _root = laws._combine, laws.law_of_cells, ways._root
_ends, _gaussian = curve.BatchCurve._delta, sides.GaussianSide.delta
_passes, _squares = ways._gaussian_passes, ways._squares
_as_if_known = ways._as_if_known


def turned(law):
    return attrs.evolve(law, is_above=not law.is_above)


def other(direction):
    return ADD if direction is REMOVE else REMOVE


def combined_on_the_other_side(operation, first, second, infinite, fineness):
    same = first is second
    first = turned(first)
    return turned(_combine(operation, first, first if same else turned(second), infinite, fineness))


def without_what_is_beyond(operation, first, second, infinite, fineness):
    law = _combine(operation, first, second, infinite, fineness)
    return attrs.evolve(law, infinite=0.0, masses=law.masses[:-40], ratios=law.ratios[:-40])


def one_half_for_both(mu, rate, _shift, fineness):
    law = ways._one_half(mu, rate, fineness)
    return attrs.evolve(law, is_above=True)


def added_up_without_a_factor(self, epsilon, direction, second):
    parts = [epsilon * i / 20 for i in range(21)]
    return min(
        self.first.delta(x, direction) + self.second.delta(epsilon - x, second) for x in parts
    )


FAULTS = {
    "directions of a law are swapped": (
        laws.RatioLaw, "delta", lambda law, e, d: _delta(law, e, other(d)),
        second_ways.allocation_on_a_plane,
    ),
    "both ends are swapped": (
        curve.BatchCurve, "_delta", lambda self, e, d: _ends(self, e, d)[::-1],
        second_ways.several_that_draw_alone,
    ),
    "sums and products are rounded to the other side": (
        laws, "_combine", combined_on_the_other_side, second_ways.allocation_on_a_plane,
    ),
    "the first cells are rounded to the other side": (
        ways, "law_of_cells",
        lambda ratios, q, p, *, is_above: turned(_cells(ratios, q, p, is_above=not is_above)),
        second_ways.allocation_on_a_plane,
    ),
    "what lies beyond the last knot is forgotten": (
        laws, "_combine", without_what_is_beyond, second_ways.several_that_draw_alone,
    ),
    "floats of a law are rounded to the other side": (
        laws.RatioLaw, "_side", lambda law, value: _side(turned(law), value),
        second_ways.laws_in_fractions,
    ),
    "misses of a law are rounded to the other side": (
        laws.RatioLaw, "misses", lambda law, fpr: _misses(turned(law), fpr),
        second_ways.laws_in_fractions,
    ),
    "a root is rounded to the other side": (
        ways, "_root",
        lambda passes, sigma, *, is_above: _root(passes, sigma, is_above=not is_above),
        second_ways.roots_and_passes_in_high_precision,
    ),
    "a Gaussian pass is rounded to the other side": (
        sides.GaussianSide, "delta", lambda side, e, d: _gaussian(turned(side), e, d),
        second_ways.roots_and_passes_in_high_precision,
    ),
    "an epoch that is cut off is no pass": (
        BatchedTraining, "passes", property(lambda training: training.epochs),
        second_ways.passes_of_a_shuffle,
    ),
    "an exchange moves a record once": (
        ways, "_gaussian_passes", lambda training, _scale: _passes(training, 1.0),
        second_ways.passes_of_a_shuffle,
    ),
    "batches that are told hold one of a person's records": (
        ways,
        "_as_if_known",
        lambda training: _as_if_known(attrs.evolve(training, records_per_person=1)),
        second_ways.several_in_one_step,
    ),
    "a person's records of one batch count each by itself": (
        ways, "_squares",
        lambda training: {math.ceil(n**0.5): p for n, p in _squares(training).items()},
        second_ways.several_in_a_shuffle,
    ),
    "the second of two changes lacks its factor": (
        sides.TwoChanges, "_least", added_up_without_a_factor,
        second_ways.several_that_draw_alone,
    ),
    "fixed sizes are bounded by one half of their pair": (
        ways, "_two_halves", one_half_for_both, second_ways.without_replacement,
    ),
    "fixed sizes are taken for Poisson samples of less noise in the wrong place": (
        ways, "_poisson_sides",
        lambda sigma, rate, steps, known=ways._poisson_sides: known(2 * sigma, rate, steps),
        second_ways.without_replacement,
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def fresh_laws():
    """No law that a fault made is used again."""
    ways._gaussian_ratio.cache_clear()
    yield
    ways._gaussian_ratio.cache_clear()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name, monkeypatch):
    owner, what, fault, check = FAULTS[name]
    monkeypatch.setattr(owner, what, fault)
    with pytest.raises(AssertionError):
        check()
