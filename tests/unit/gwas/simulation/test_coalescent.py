"""Stretches of chromosome: what is kept of them, and how alleles are named."""

import numpy as np
import pytest

from deniable.errors import NotApplicable
from deniable.gwas.simulation import coalescent
from deniable.gwas.simulation.coalescent import Place, check_installed, stretch

PLACE = Place("7", 1_000_000, 30, 100)


def piece(seed=3, floor=0.1, spacing=1000.0):
    return stretch(80, PLACE, floor, spacing, np.random.default_rng(seed))


def test_variants_are_named_and_placed():
    found = piece()
    assert found.variants.identifier.tolist() == [f"sim{101 + i}" for i in range(30)]
    assert set(found.variants.chromosome) == {"7"}
    assert found.variants.position.min() > 1_000_000
    assert (np.diff(found.variants.position) > 0).all()
    assert (found.variants.allele_1 != found.variants.allele_2).all()


def test_the_counted_allele_is_the_rarer_one_and_common_enough():
    found = piece()
    copies = np.concatenate([block for _, block in found.genotypes(np.arange(80), block=7)])
    np.testing.assert_allclose(copies.mean(axis=1) / 2, found.frequencies, rtol=1e-12)
    assert (found.frequencies >= 0.1).all()
    assert (found.frequencies <= 0.5).all()


def test_chosen_variants_and_people_are_those_of_the_whole():
    found = piece()
    whole = np.concatenate([block for _, block in found.genotypes(np.arange(80))])
    people, among = np.array([5, 70, 2]), np.array([3, 28])
    assert found.copies(people, among).tolist() == whole[np.ix_(among, people)].tolist()
    assert found.copies(people, np.array([], int)).shape == (0, 3)


def test_a_stretch_grows_until_it_has_enough_variants():
    """Of one or two common variants, the first length that is tried often has too few."""
    for seed in range(30):
        place = Place("7", 1_000_000, 1 + seed % 2, 100)
        found = stretch(80, place, 0.1, 1.0, np.random.default_rng(seed))
        assert len(found.variants) == place.variants


def test_without_the_simulator_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(coalescent, "msprime", None)
    with pytest.raises(NotApplicable, match=r"deniable\[simulate\]"):
        check_installed()
