"""What is known of a frequency, against enumerating all tables that could be published so."""

import itertools

import attrs
import numpy as np
import pytest
from scipy.stats import binom, norm

from deniable.gwas.published import Known, Sizes, add_sizes, read_published_table
from tests.cases.effort import some_pairs

R, S, P = 60, 80, 0.3
HUGE = np.array([10**9])


def known(folder, head, row, group, noise=None):
    path = folder / "t.txt"
    path.write_text(f"{head}\n{row}\n")
    table = add_sizes(read_published_table(path), Sizes(R, S))
    if noise is not None:
        table = attrs.evolve(table, noise=noise)
    return Known.of(table, Sizes(R, S), group)


def enumerated(likely):
    """Mean and variance of the cases' frequency over all tables, by their weight."""
    x, y = np.meshgrid(np.arange(2 * R + 1), np.arange(2 * S + 1), indexing="ij")
    weight = binom.pmf(x, 2 * R, P) * binom.pmf(y, 2 * S, P) * likely(x, y)
    weight /= weight.sum()
    q = x / (2 * R)
    mean = (weight * q).sum()
    return mean, (weight * (q - mean) ** 2).sum()


def moments(law):
    mean, variance = law.moments(np.array([P]), HUGE)
    return mean[0], variance[0]


BEFORE = P * (1 - P) / (2 * R)


@pytest.mark.parametrize("word", ["0.2667", "0.266667", "0.26666666666666666"])
def test_a_frequency_with_digits_enough_is_exact(tmp_path, word):
    law = known(tmp_path, "SNP A1 A2 F_A", f"rs1 A G {word}", "cases")
    assert moments(law) == (32 / 120, 0.0)


@pytest.mark.parametrize(("word", "half"), [("0.2", 0.05), ("0.3", 0.05), ("0.35", 0.005)])
def test_rounding_leaves_what_could_be_printed_so(tmp_path, word, half):
    law = moments(known(tmp_path, "SNP A1 A2 F_A", f"rs1 A G {word}", "cases"))
    near = float(word)
    mean, variance = enumerated(lambda x, _: np.abs(x / (2 * R) - near) <= half + 1e-9)
    assert law[0] == pytest.approx(mean, abs=0.05 * BEFORE**0.5)
    assert law[1] == pytest.approx(variance, abs=0.05 * BEFORE)


@pytest.mark.parametrize("scale", [0.05, 1.0, 7.0, 500.0])
def test_noise_is_weighed_by_its_law(tmp_path, scale):
    row = "rs1 A G 41 44"
    law = known(tmp_path, "SNP A1 A2 C_A C_U", row, "cases", noise=scale)
    mean, variance = enumerated(lambda x, _: np.exp(-np.abs(x - 41) / scale))
    assert moments(law)[0] == pytest.approx(mean, abs=0.05 * BEFORE**0.5)
    assert moments(law)[1] == pytest.approx(variance, abs=0.05 * BEFORE)


def printed(x, y):
    """Odds ratio and p-value of the allelic table, with four digits."""
    q, u, f = x / (2 * R), y / (2 * S), (x + y) / (2 * R + 2 * S)
    ratio = q * (1 - u) / (u * (1 - q))
    z = np.abs(q - u) / np.sqrt(f * (1 - f) * (1 / (2 * R) + 1 / (2 * S)))
    return ratio, 2 * norm.sf(z)


@pytest.mark.parametrize(("x", "y"), [(50, 40), (28, 60), (36, 40), (20, 30)])
def test_odds_ratio_and_statistic_give_the_frequency_back(tmp_path, x, y):
    ratio, p = printed(x, y)
    row = f"rs1 A G {ratio:.4g} {norm.isf(p / 2) ** 2:.4g}"
    law = moments(known(tmp_path, "SNP A1 A2 OR CHISQ", row, "cases"))
    with np.errstate(divide="ignore", invalid="ignore"):

        def likely(a, b):
            ratios, ps = printed(a, b)
            near = np.abs(ratios / ratio - 1) < 5e-4
            return near & (np.abs(ps / p - 1) < 5e-4)

        mean, _ = enumerated(likely)
    # An attacker who tries all tables finds the only one; ours comes within half of what chance
    # leaves open.
    assert mean == pytest.approx(x / (2 * R))
    assert law[0] == pytest.approx(mean, abs=0.5 * BEFORE**0.5)
    assert law[1] < 0.6 * BEFORE


def test_a_coarse_p_value_without_direction_tells_the_spread_only(tmp_path):
    _, p = printed(50, 40)
    mean, variance = moments(known(tmp_path, "SNP A1 P", f"rs1 A {p:.1g}", "cases"))
    assert mean == pytest.approx(P, abs=1e-12)
    assert variance > BEFORE


def test_all_people_follow_from_cases_and_controls(tmp_path):
    law = known(tmp_path, "SNP A1 A2 F_A F_U", "rs1 A G 0.2500 0.5000", "pool")
    assert moments(law) == ((30 + 80) / 280, 0.0)


def test_controls_follow_from_cases_and_all(tmp_path):
    law = known(tmp_path, "SNP A1 A2 F_A MAF", f"rs1 A G 0.2500 {110 / 280:.10f}", "controls")
    mean, variance = moments(law)
    assert mean == pytest.approx(0.5, abs=1e-6)
    assert variance < 1e-8


NUMBERS = ["0", "1", "inf", "1e-320", "1e300", "0.5", "-3"]


@pytest.mark.parametrize("group", ["cases", "controls", "pool"])
def test_nothing_printed_gives_an_impossible_law(tmp_path, group):
    rows = [
        f"rs{i} A G {ratio} {se} {p} {f}"
        for i, (ratio, se, p, f) in enumerate(itertools.product(NUMBERS, repeat=4))
    ]
    path = tmp_path / "t.txt"
    path.write_text("\n".join(["SNP A1 A2 OR SE P EAF", *rows]) + "\n")
    table = add_sizes(read_published_table(path), Sizes(R, S))
    law = Known.of(table, Sizes(R, S), group)
    for p in (1e-9, 0.3, 0.5):
        mean, variance = law.moments(np.full((len(rows), 3), p), np.full(len(rows), 5))
        assert np.isfinite(mean).all()
        assert np.isfinite(variance).all()
        assert ((mean >= 0) & (mean <= 1)).all()
        assert ((variance >= 0) & (variance <= mean * (1 - mean))).all()


@pytest.mark.parametrize("sizes", [Sizes(140, 0), Sizes(60, 80)])
def test_normal_noise_on_everybodys_counts_is_weighed(tmp_path, sizes):
    """Of a normal law before, V, and noise σ², q's variance is V σ² / (V + σ²)."""
    path = tmp_path / "t.txt"
    path.write_text("SNP A1 A2 C1 C2\nrs1 A G 100 180\n")
    table = attrs.evolve(read_published_table(path), deviation=20.0)
    mean, variance = moments(Known.of(table, sizes, "pool"))
    before, noise = P * (1 - P) / 280, (20 / 280) ** 2
    assert variance == pytest.approx(before * noise / (before + noise), rel=1e-6)
    assert mean == pytest.approx(P + (100 / 280 - P) * before / (before + noise), rel=1e-6)


def allelic_z(x, y):
    copies, people = x + y, R + S
    spread = R * S * copies * (2 * people - copies)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.abs(np.sqrt(2 * people / spread) * (x * S - y * R))


@pytest.mark.parametrize("group", ["cases", "controls", "pool"])
@pytest.mark.parametrize(
    ("counts", "digits"), some_pairs([(30, 55), (44, 47), (37, 48), (20, 20)], [3, 6, 15])
)
def test_a_p_value_alone_leaves_the_pairs_of_counts_that_give_it(tmp_path, counts, digits, group):
    x, y = counts
    printed = f"{2 * norm.sf(allelic_z(x, y)):.{digits}g}"
    law = moments(known(tmp_path, "SNP A1 P", f"v A {printed}", group))
    copies = np.meshgrid(np.arange(2 * R + 1), np.arange(2 * S + 1), indexing="ij")
    p_values = 2 * norm.sf(np.nan_to_num(allelic_z(*copies)))
    likely = np.vectorize(lambda p: f"{p:.{digits}g}" == printed)(p_values)
    assert likely[x, y]
    q, r = copies[0] / (2 * R), copies[1] / (2 * S)
    value = {"cases": q, "controls": r, "pool": (R * q + S * r) / (R + S)}[group]
    spread = P * (1 - P)
    weight = likely * norm.pdf(q, P, np.sqrt(spread / (2 * R)))
    weight = weight * norm.pdf(r, P, np.sqrt(spread / (2 * S)))
    weight /= weight.sum()
    mean = (weight * value).sum()
    assert law[0] == pytest.approx(mean, abs=2e-4)
    assert law[1] == pytest.approx((weight * (value - mean) ** 2).sum(), rel=0.02, abs=1e-7)


def test_a_direction_halves_the_pairs(tmp_path):
    z = float(allelic_z(40, 40))
    up = moments(known(tmp_path, "SNP A1 Z_STAT", f"v A {z:.12f}", "cases"))
    down = moments(known(tmp_path, "SNP A1 Z_STAT", f"v A {-z:.12f}", "cases"))
    assert up == pytest.approx((40 / (2 * R), 0), abs=1e-9)
    # The same distance the other way is that of the other allele's copies.
    assert down == pytest.approx((1 - 40 / (2 * R), 0), abs=1e-9)


def test_p_values_of_another_test_are_read_as_before(tmp_path):
    lot = np.random.default_rng(1)
    path = tmp_path / "t.txt"
    rows = [f"v{i} A {p!r}" for i, p in enumerate(lot.uniform(size=40).tolist())]
    path.write_text("\n".join(["SNP A1 P", *rows]) + "\n")
    law = Known.of(add_sizes(read_published_table(path), Sizes(R, S)), Sizes(R, S), "cases")
    mean, _ = law.moments(np.full(40, P), np.full(40, 10**9))
    assert mean == pytest.approx(np.full(40, P))
