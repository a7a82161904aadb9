"""Linked variants: an attack that knows the linkage beside what `gwas attack` says of a pool."""

import attrs
import numpy as np
import pytest
from scipy.special import ndtri

from deniable.gwas import attack
from deniable.gwas.attacks.attack_power import AttackPower
from deniable.gwas.attacks.attack_scores import theoretical_power
from tests.oracles.genotypes import bed_bytes

PEOPLE, OTHERS, KNOWN, FRESH, VARIANTS = 200, 400, 4_000, 2_000, 240


def chromosomes(rng, people, levels, near):
    """A Markov chain along the variants, cut at a level each; (people, n_variants)."""
    chain = rng.normal(size=(people, len(levels)))
    for j in range(1, len(levels)):
        chain[:, j] = near * chain[:, j - 1] + np.sqrt(1 - near**2) * chain[:, j]
    return (chain > levels).astype(np.int16)


def genotypes(rng, people, levels, near):
    return chromosomes(rng, people, levels, near) + chromosomes(rng, people, levels, near)


def written(prefix, calls, first):
    prefix.with_suffix(".bed").write_bytes(bed_bytes(calls.T.tolist()))
    names = [f"f{first + i} i{first + i}" for i in range(len(calls))]
    prefix.with_suffix(".fam").write_text("".join(f"{each} 0 0 0 1\n" for each in names))
    variants = [f"1\trs{j}\t0\t{100 * j + 100}\tA\tG\n" for j in range(calls.shape[1])]
    prefix.with_suffix(".bim").write_text("".join(variants))
    return prefix


def knowing_the_linkage(pool, known, fresh):
    """The likelihood ratio of normal frequencies, covariances and all; power at 0.05."""
    n, mean = len(pool), known.mean(axis=0)
    covariance = np.cov(known.T)
    covariance += 1e-3 * np.trace(covariance) / len(mean) * np.eye(len(mean))
    weights = np.linalg.solve(covariance, pool.mean(axis=0) - mean)

    def score(calls):
        off = calls - mean
        far = (off * np.linalg.solve(covariance, off.T).T).sum(axis=1)
        return off @ weights - far / (2 * n)

    return float((score(pool) > np.quantile(score(fresh), 0.95)).mean())


@pytest.mark.parametrize(("near", "is_linked"), [(0.97, True), (0.0, False)])
def test_what_is_said_of_linkage_is_reached_and_not_passed(near, is_linked, tmp_path):
    rng = np.random.default_rng(5)
    levels = ndtri(1 - rng.uniform(0.1, 0.5, VARIANTS))
    pool, others, known, fresh = (
        genotypes(rng, people, levels, near) for people in (PEOPLE, OTHERS, KNOWN, FRESH)
    )
    files = written(tmp_path / "pool", pool, 0), written(tmp_path / "others", others, 10**6)
    answer = attack(files[0], reference=files[1], limit=0.2)
    reached = knowing_the_linkage(pool, known, fresh)
    # the share of 200 members and the cut of 2,000 strangers: four standard deviations
    assert reached < answer.power_linked + 4 * np.sqrt(0.25 / PEOPLE)
    assert answer.as_json()["power_linked"] == answer.power_linked
    if is_linked:
        assert answer.power < 0.2 < reached
        assert answer.within
        assert "linkage" in answer.verdict
    else:
        assert answer.power == pytest.approx(answer.power_linked, abs=0.1)


def test_a_guarantee_limits_those_who_know_the_linkage_too():
    answer = AttackPower(
        0.05, 0.05, 0.5, 0.5, 0.05, 900, 0.05, 200, 1000, 0.0, 0.5, False, 0,
        variants_unlinked=30, variants_worth=30.0,
    )  # fmt: skip
    assert answer.power_linked == theoretical_power(900, 200, 0.05) > 0.6
    assert attrs.evolve(answer, variants_worth=3.0).power_linked < 0.3
    assert attrs.evolve(answer, power_limit=0.07).power_linked == 0.07
