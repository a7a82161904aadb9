"""What tables and releases of a study give away: one population, unlinked variants."""

import csv

import numpy as np
import pytest
from scipy.stats import norm

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.attacks.attack_scores import theoretical_power
from deniable.gwas.files.write_plink import PlinkWriter
from deniable.gwas.genotypes import Variants

CASES, CONTROLS, OTHERS, VARIANTS = 100, 120, 500, 1200


@pytest.fixture(name="study", scope="module")
def study_and_reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(7)
    frequency = rng.uniform(0.1, 0.9, VARIANTS)
    names = [f"v{i}" for i in range(VARIANTS)]
    places = range(1, VARIANTS + 1)
    variants = Variants(["1"] * VARIANTS, names, places, ["A"] * VARIANTS, ["G"] * VARIANTS)
    copies = {}
    for name, people, first in (("in", CASES + CONTROLS, 1), ("out", OTHERS, 1000)):
        copies[name] = rng.binomial(2, frequency[:, None], (VARIANTS, people)).astype(np.int8)
        with PlinkWriter(folder / name, np.arange(people) < CASES, first=first) as writer:
            writer.write(variants, copies[name])
    cases, controls = copies["in"][:, :CASES], copies["in"][:, CASES:]
    return folder, cases.mean(axis=1) / 2, controls.mean(axis=1) / 2


def written(folder, head, *columns):
    path = folder / f"{abs(hash((head, str(columns[0][:3]))))}.tsv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["SNP", "A1", "A2", *head.split()])
        writer.writerows(
            [f"v{i}", "A", "G", *row] for i, row in enumerate(zip(*columns, strict=True))
        )
    return path


def attacked(study, path=None, on="pool", **options):
    folder = study[0]
    return gwas.attack(folder / "in", folder / "out", published=path, on=on, prune=1.0, **options)


def statistics(study):
    """Odds ratios, their errors, and p-values of the allelic table."""
    _, q, u = study
    f = (CASES * q + CONTROLS * u) / (CASES + CONTROLS)
    z = (q - u) / np.sqrt(f * (1 - f) * (1 / (2 * CASES) + 1 / (2 * CONTROLS)))
    error = np.sqrt(1 / (2 * CASES * q * (1 - q)) + 1 / (2 * CONTROLS * u * (1 - u)))
    return q * (1 - u) / (u * (1 - q)), error, 2 * norm.sf(np.abs(z))


def digits(values, number):
    return [f"{each:.{number}g}" for each in values]


def test_frequencies_of_everybody_are_todays_attack(study):
    folder, q, u = study
    f = (CASES * q + CONTROLS * u) / (CASES + CONTROLS)
    exact, found = attacked(study), attacked(study, written(folder, "MAF", digits(f, 6)))
    assert found.power_lr == exact.power_lr
    assert found.auc_lr == pytest.approx(exact.auc_lr, abs=1e-12)
    assert found.power_homer == exact.power_homer
    assert found.power_formula == exact.power_formula
    assert found.variants_worth == found.variants_unlinked == exact.variants_unlinked


@pytest.mark.parametrize(("on", "people"), [("cases", CASES), ("controls", CONTROLS)])
def test_groups_are_recognised_as_theory_says(study, on, people):
    folder, q, u = study
    path = written(folder, "F_A F_U", digits(q, 4), digits(u, 4))
    found = attacked(study, path, on)
    assert (found.members, found.strangers) == (people, OTHERS)
    expected = theoretical_power(VARIANTS, people, 0.05, OTHERS)
    assert found.power_lr == pytest.approx(expected, abs=0.1)


def test_odds_ratios_with_p_values_come_close_and_rounding_takes_away(study):
    folder, q, u = study
    ratio, error, p = statistics(study)
    f = (CASES * q + CONTROLS * u) / (CASES + CONTROLS)
    tables = {
        "exact": written(folder, "F_A F_U", digits(q, 6), digits(u, 6)),
        "frequency": written(folder, "EAF OR SE", digits(f, 5), digits(ratio, 5), digits(error, 5)),
        "ratio": written(folder, "OR SE P", digits(ratio, 4), digits(error, 4), digits(p, 4)),
        "test": written(folder, "OR P", digits(ratio, 4), digits(p, 4)),
        "sign": written(
            folder, "OR P", [f"{1.1 if each > 1 else 0.9}" for each in ratio], digits(p, 1)
        ),
        "p": written(folder, "P", digits(p, 4)),
    }
    auc = {name: attacked(study, path, "cases").auc_lr for name, path in tables.items()}
    assert auc["frequency"] == pytest.approx(auc["exact"], abs=0.01)
    assert auc["ratio"] > auc["exact"] - 0.06
    assert auc["test"] > auc["exact"] - 0.06
    assert 0.6 < auc["sign"] < auc["ratio"]
    # Without direction half of the steps go the wrong way.
    assert auc["p"] == pytest.approx(0.5, abs=0.1)


def test_coarser_frequencies_say_less(study):
    folder, q, u = study
    found = [
        attacked(
            study, written(folder, "F_A F_U", *([f"{x:.{n}f}" for x in g] for g in (q, u))), "cases"
        )
        for n in (4, 2, 1)
    ]
    worth = [each.variants_worth for each in found]
    assert worth[0] == VARIANTS
    assert VARIANTS > worth[1] > worth[2] > 0
    assert found[1].auc_lr > found[2].auc_lr > 0.6
    for each in found:
        expected = theoretical_power(each.variants_worth, CASES, 0.05, OTHERS)
        assert each.power_lr == pytest.approx(expected, abs=0.12)


@pytest.mark.parametrize("statistics_too", [False, True])
def test_a_private_release_gives_nothing_away(study, tmp_path, statistics_too):
    folder = study[0]
    gwas.release(
        folder / "in", tmp_path / "out", top=40, epsilon=1.0, publish_statistics=statistics_too
    )
    for on in ("cases", "controls"):
        found = attacked(study, tmp_path / "out", on)
        # 100 members, 500 strangers: an area's standard deviation is .03.
        assert found.auc_lr == pytest.approx(0.5, abs=0.15)
        assert found.variants_used == 40
        assert found.variants_worth < 4
        assert found.guarantee == 1.0
        assert found.power_limit == pytest.approx(0.05 * np.e, rel=1e-6)


def test_only_those_kept_are_the_pool(study, tmp_path):
    folder, _, _ = study
    keep = tmp_path / "keep.txt"
    keep.write_text("FID IID\n" + "".join(f"i{i} i{i}\n" for i in range(1, 31)))
    assert attacked(study, keep=keep).members == 30
    keep.write_text("i1\n")
    with pytest.raises(DataError, match="family and individual"):
        attacked(study, keep=keep)
    keep.write_text("nobody here\n")
    with pytest.raises(DataError, match="nobody"):
        attacked(study, keep=keep)
    with pytest.raises(InvalidArgument, match="nowhere"):
        attacked(study, keep=folder / "nowhere")


def test_what_cannot_be_asked_is_refused(study, tmp_path):
    folder, q, _ = study
    overall = written(folder, "MAF", digits(q, 3))
    with pytest.raises(InvalidArgument, match="cases_frequency"):
        attacked(study, overall, "cases")
    with pytest.raises(InvalidArgument, match="pool"):
        attacked(study, overall, "everybody")
    with pytest.raises(InvalidArgument, match="--published"):
        attacked(study, None, "cases")
    with pytest.raises(InvalidArgument, match="deniable gwas release"):
        attacked(study, tmp_path, "cases")
