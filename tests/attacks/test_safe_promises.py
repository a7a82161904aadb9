"""What safe variants promise, against a likelihood ratio of its own by somebody who knows the
population exactly.

A promise that at most a share of the members pass has to hold after the choice, whatever counts
the choice came from. Each test fails a true promise once in 10⁹ populations.
"""

import numpy as np
import pytest
from scipy.special import logit, ndtr
from scipy.stats import binom

from deniable import gwas
from deniable.errors import InvalidArgument
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.effort import usual
from tests.cases.refusals import refuses

GROUP, VARIANTS = 300, usual(200, 1500)
MANY = usual(80, 600)
"""Of variants in a file, from which 50 at most are chosen; 600 change that by 10 at most."""
LIMIT, PRIOR = 0.75, 0.5
GAIN = logit(LIMIT) - logit(PRIOR)
ALLOWED = ndtr(-2.0)
FALSE_ALARM = 1e-9


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


def ratio(p, group, decimals):
    """Log likelihood ratios of being in a group: by variant, own copies and the group's copies."""
    x = np.arange(2 * group + 1)
    cell = x if decimals is None else np.floor(x / (2 * group) * 10**decimals + 0.5).astype(int)
    _, first, place = np.unique(cell, return_index=True, return_inverse=True)

    def of_cells(chances):
        return np.add.reduceat(chances, first, axis=1)[:, place]

    p = np.asarray(p)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        outside = of_cells(binom.pmf(x, 2 * group, p))
        told = [np.log(of_cells(binom.pmf(x - g, 2 * group - 2, p)) / outside) for g in range(3)]
    return np.stack(told, axis=1)


def evidence(tables, group, targets):
    """Log likelihood ratio of being in a group whose rounded frequencies are published."""
    each = zip(tables, group.sum(axis=1), targets, strict=True)
    return sum(table[carried, total] for table, total, carried in each)


@pytest.mark.parametrize(
    ("seed", "others", "decimals"), [*usual([], [(1, 1000, 1)]), (2, 1000, 1), (2, 300, 2)]
)
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
    tables = ratio(p, GROUP, decimals)
    told = evidence(tables, cases, cases) - evidence(tables, controls, cases)
    passed = np.mean(told > logit(LIMIT) - logit(PRIOR))
    allowed = ndtr(-2.0)
    assert passed <= allowed + 3 * np.sqrt(allowed / GROUP)


def test_a_list_that_may_come_from_results_says_what_it_does_not_count(tmp_path):
    made(tmp_path, 1, 50)
    given = tmp_path / "list"
    given.write_text("v1\nv2\n")
    answer, plain = (
        gwas.safe(
            tmp_path / "in", reference=tmp_path / "out", posterior=LIMIT, prior=PRIOR, order=each
        )
        for each in (given, "least")
    )
    assert len(answer.cautions) == len(plain.cautions) + 1


def plink(prefix, copies, cases):
    """Files of people by copies, the first so many of them cases."""
    variants, people = copies.shape
    columns = ["1"] * variants, [f"v{i}" for i in range(variants)], range(1, variants + 1)
    status = np.arange(people) < cases
    with PlinkWriter(prefix, status, first=1 if cases else 10**6) as writer:
        writer.write(Variants(*columns, ["A"] * variants, ["C"] * variants), copies.astype(np.int8))
    return prefix


def chosen(*files, **given):
    """Places of the variants that are said to be safe."""
    reference = files[1] if files[1:] else None
    given = {"posterior": LIMIT, "prior": PRIOR, "prune": 1.0} | given
    found = gwas.safe(files[0], reference=reference, **given)
    return np.array([int(name[1:]) for name in found.chosen], int)


def beyond(rng, p, group, decimals, both, members):
    """How many of so many cases pass the limit, each of a study of their own."""
    told = np.zeros(members)
    for each, table in zip(p, ratio(p, group, decimals), strict=True):
        own = rng.binomial(2, each, members)
        told += table[own, own + rng.binomial(2 * group - 2, each, members)]
        if both:
            told -= table[own, rng.binomial(2 * group, each, members)]
    return np.count_nonzero(told > GAIN)


@pytest.mark.parametrize(
    ("low", "high", "others", "groups", "decimals"),
    [
        (0.0005, 0.02, 5000, "cases", None),
        (0.02, 0.05, 50, "both", None),
        (0.02, 0.05, 50, "cases", 1),
        (0.02, 0.05, 200, "both", 1),
        (0.005, 0.5, 200, "both", 2),
    ],
)
def test_a_choice_by_a_reference_keeps_its_promise(tmp_path, low, high, others, groups, decimals):
    """Members of studies drawn after the choice, which looked at the reference alone."""
    rng = np.random.default_rng(100)
    p = np.exp(rng.uniform(np.log(low), np.log(high), MANY))
    study, reference = (rng.binomial(2, p[:, None], (MANY, people)) for people in (200, others))
    files = plink(tmp_path / "in", study, 100), plink(tmp_path / "out", reference, 0)
    which = chosen(*files, groups=groups, decimals=decimals)
    members = usual(5_000, 20_000)
    passed = beyond(rng, p[which], 100, decimals, groups == "both", members)
    assert len(which) > 3
    assert binom.sf(passed - 1, members, ALLOWED) > FALSE_ALARM


def share_beyond(rng, p, totals, groups):
    """Share of members who pass, given the copies among 100 cases and 100 controls together.

    Of however many, in the mean no more than of all.
    """
    members = usual(250, 2_000)
    told = np.zeros(members)
    tables = ratio(p, 200 if groups == "everybody" else 100, None)
    for table, total in zip(tables, totals, strict=True):
        if groups == "everybody":
            own = rng.hypergeometric(total, 400 - total, 2, members)
            told += table[own, total]
            continue
        inside = rng.hypergeometric(total, 400 - total, 200, members)
        own = rng.hypergeometric(inside, 200 - inside, 2)
        told += table[own, inside]
    return np.mean(told > GAIN)


@pytest.mark.parametrize(
    ("low", "high", "variants", "groups"),
    [
        (0.02, 0.05, MANY, "cases"),
        *usual([], [(0.02, 0.05, MANY, "everybody")]),
        (1e-5, 1e-3, 10 * MANY, "everybody"),
    ],
)
def test_a_choice_without_a_reference_keeps_its_promise(tmp_path, low, high, variants, groups):
    """Given the counts that the choice looked at, over who has which allele."""
    shares, studies, factor = [], 24, 3.0
    for seed in range(studies):
        rng = np.random.default_rng(seed)
        p = np.exp(rng.uniform(np.log(low), np.log(high), variants))
        copies = rng.binomial(2, p[:, None], (variants, 200))
        varies = copies.any(axis=1)
        p, copies = p[varies][:MANY], copies[varies][:MANY]
        which = chosen(plink(tmp_path / f"in{seed}", copies, 100), groups=groups)
        shares.append(share_beyond(rng, p[which], copies[which].sum(axis=1), groups))
    # A share is a random number of mean ALLOWED at most: it passes three times that in a third of
    # all studies, or fewer (Markov), and studies are independent.
    high_ones = np.count_nonzero(np.array(shares) > factor * ALLOWED)
    assert binom.sf(high_ones - 1, studies, 1 / factor) > FALSE_ALARM


@pytest.mark.parametrize("groups", ["cases", "both"])
def test_the_most_significant_keep_their_promise(tmp_path, groups):
    """Given the counts that came out on top, over who has which allele."""
    rng = np.random.default_rng(5)
    p = rng.uniform(0.05, 0.5, MANY)
    copies = rng.binomial(2, p[:, None], (MANY, 600))
    which = chosen(plink(tmp_path / "in", copies, 300), groups=groups, order="significance")
    cases, controls = (copies[which][:, half].sum(axis=1) for half in (np.s_[:300], np.s_[300:]))
    members = usual(5_000, 20_000)
    told = np.zeros(members)
    tables = ratio(p[which], 300, None)
    for table, inside, outside in zip(tables, cases, controls, strict=True):
        own = rng.hypergeometric(inside, 600 - inside, 2, members)
        told += table[own, inside] - (groups == "both") * table[own, outside]
    passed = np.count_nonzero(told > GAIN)
    assert len(which) > 1
    assert binom.sf(passed - 1, members, ALLOWED) > FALSE_ALARM


def test_what_tells_least_is_not_asked_of_the_study_itself(tmp_path):
    copies = np.random.default_rng(1).binomial(2, 0.3, (20, 200))
    with refuses(InvalidArgument, "reference-of-others"):
        chosen(plink(tmp_path / "in", copies, 100), order="least")
