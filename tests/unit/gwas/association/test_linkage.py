"""Pruning against correlations of all pairs."""

import numpy as np
import pytest

from deniable.gwas.association.linkage import Pruning


def slow(genotypes, chromosomes, bound):
    kept = []
    for index, row in enumerate(genotypes):
        if row.std() == 0:
            continue
        near = [other for other in kept if chromosomes[other] == chromosomes[index]]
        if all(np.corrcoef(row, genotypes[other])[0, 1] ** 2 < bound for other in near):
            kept.append(index)
    return kept


@pytest.mark.parametrize("bound", [0.05, 0.2, 0.9])
@pytest.mark.parametrize("cut", [1, 17, 60])
def test_kept_variants_are_those_that_no_kept_one_explains(bound, cut):
    rng = np.random.default_rng(5)
    base = rng.integers(0, 3, (60, 40))
    genotypes = np.where(rng.random((60, 40)) < 0.5, base, np.roll(base, 1, axis=0)).astype(float)
    genotypes[7] = 1.0
    chromosomes = ["1"] * 25 + ["2"] * 35
    pruning = Pruning(bound)
    parts = [
        pruning.kept(chromosomes[start : start + cut], genotypes[start : start + cut])
        for start in range(0, 60, cut)
    ]
    assert np.flatnonzero(np.concatenate(parts)).tolist() == slow(genotypes, chromosomes, bound)


def test_missing_calls_count_as_the_mean():
    genotypes = np.array([[0, 1, 2, np.nan], [0, 1, 2, 1.0]])
    assert Pruning(0.5).kept(["1", "1"], genotypes).tolist() == [True, False]


def test_a_bound_of_one_keeps_all_that_varies():
    genotypes = np.array([[0, 1, 2, 1], [0, 1, 2, 1], [1, 1, 1, 1]], float)
    assert Pruning(1.0).kept(["1"] * 3, genotypes).tolist() == [True, True, False]
