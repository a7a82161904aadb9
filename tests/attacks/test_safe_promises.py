"""What safe variants promise, against a likelihood ratio of its own by somebody who knows the
population exactly."""

import numpy as np
import pytest
from scipy.special import logit, ndtr
from scipy.stats import binom

from deniable import gwas
from deniable.gwas.files.write_plink import PlinkWriter
from deniable.gwas.genotypes import Variants

GROUP, VARIANTS = 300, 1500
LIMIT, PRIOR = 0.75, 0.5


def made(folder, seed, others):
    """Files of a study and of others, the population's frequencies, and the study's genotypes."""
    rng = np.random.default_rng(seed)
    frequency = rng.uniform(0.05, 0.5, VARIANTS)
    shape = VARIANTS, 2 * GROUP + others
    copies = rng.binomial(2, frequency[:, None], shape).astype(np.int8)
    places = [str(1 + 22 * i // VARIANTS) for i in range(VARIANTS)]
    names = [f"v{i}" for i in range(VARIANTS)]
    listed = Variants(places, names, range(VARIANTS), ["A"] * VARIANTS, ["C"] * VARIANTS)
    nobody = np.zeros(others, bool)
    with PlinkWriter(folder / "in", np.arange(2 * GROUP) < GROUP) as writer:
        writer.write(listed, copies[:, : 2 * GROUP])
    with PlinkWriter(folder / "out", nobody, nobody, first=2 * GROUP + 1) as writer:
        writer.write(listed, copies[:, 2 * GROUP :])
    return frequency, copies[:, : 2 * GROUP]


def evidence(frequency, group, decimals, targets):
    """Log likelihood ratio of being in a group whose rounded frequencies are published."""
    x = np.arange(2 * GROUP + 1)
    printed = np.floor(x / (2 * GROUP) * 10**decimals + 0.5)
    told = np.zeros(targets.shape[1])
    for p, members, carried in zip(frequency, group, targets, strict=True):
        alike = x[printed == printed[members.sum()]]
        inside = [binom.pmf(alike - own, 2 * GROUP - 2, p).sum() for own in range(3)]
        with np.errstate(divide="ignore"):
            told += np.log(inside)[carried] - np.log(binom.pmf(alike, 2 * GROUP, p).sum())
    return told


@pytest.mark.parametrize(("seed", "others", "decimals"), [(1, 1000, 1), (2, 1000, 1), (2, 300, 2)])
def test_rounded_numbers_keep_the_limit_by_any_reference(tmp_path, seed, others, decimals):
    frequency, copies = made(tmp_path, seed, others)
    found = gwas.safe(
        tmp_path / "in",
        reference=tmp_path / "out",
        posterior=LIMIT,
        prior=PRIOR,
        decimals=decimals,
    )
    chosen = np.array([int(name[1:]) for name in found.chosen])
    p, people = frequency[chosen], copies[chosen]
    cases, controls = people[:, :GROUP], people[:, GROUP:]
    told = evidence(p, cases, decimals, cases) - evidence(p, controls, decimals, cases)
    passed = np.mean(told > logit(LIMIT) - logit(PRIOR))
    allowed = ndtr(-2.0)
    assert passed <= allowed + 3 * np.sqrt(allowed / GROUP)


@pytest.mark.parametrize("order", ["significance", "list"])
def test_a_choice_that_may_come_from_results_says_what_it_does_not_count(tmp_path, order):
    made(tmp_path, 1, 50)
    (tmp_path / "list").write_text("v1\nv2\n")
    given = tmp_path / order if order == "list" else order
    answer, plain = (
        gwas.safe(
            tmp_path / "in", reference=tmp_path / "out", posterior=LIMIT, prior=PRIOR, order=each
        )
        for each in (given, "least")
    )
    assert len(answer.cautions) == len(plain.cautions) + 1
