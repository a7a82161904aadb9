"""p-values and nothing else: an attack on them must find whom exact p-values give away, and stay
below what the choice of safe variants counts."""

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from deniable import gwas
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants

CASES, CONTROLS, OTHERS, VARIANTS = 60, 100, 600, 600
CHANCE = 0.13
"""Two standard deviations of a share of 60 people, and 0.3 of one for the reference's."""


@pytest.fixture(scope="module", name="study")
def unlinked_people(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("p"), np.random.default_rng(5)
    people = CASES + CONTROLS
    shape = VARIANTS, people + OTHERS
    copies = rng.binomial(2, rng.uniform(0.1, 0.5, VARIANTS)[:, None], shape).astype(np.int8)
    places = [str(1 + 22 * i // VARIANTS) for i in range(VARIANTS)]
    names = [f"v{i}" for i in range(VARIANTS)]
    listed = Variants(places, names, range(VARIANTS), ["A"] * VARIANTS, ["C"] * VARIANTS)
    nobody = np.zeros(OTHERS, bool)
    with PlinkWriter(folder / "in", np.arange(people) < CASES) as writer:
        writer.write(listed, copies[:, :people])
    with PlinkWriter(folder / "out", nobody, nobody, first=people + 1) as writer:
        writer.write(listed, copies[:, people:])
    return folder, copies[:, :people]


def written(folder, p_values, digits):
    path = folder / f"{digits}.txt"
    rows = [f"v{i} A {p:.{digits}g}" for i, p in enumerate(p_values)]
    path.write_text("\n".join(["SNP A1 P", *rows]) + "\n")
    return path


def allelic(row):
    """By the textbook's table of two by two."""
    x, y = int(row[:CASES].sum()), int(row[CASES:].sum())
    return chi2_contingency([[x, 2 * CASES - x], [y, 2 * CONTROLS - y]], correction=False)[1]


@pytest.mark.parametrize("digits", [4, 16])
def test_as_many_are_found_as_the_choice_of_safe_variants_counts(study, digits):
    folder, copies = study
    table = written(folder, [allelic(row) for row in copies], digits)
    found = gwas.attack(folder / "in", folder / "out", published=table, on="cases")
    counted = gwas.safe(
        folder / "in",
        reference=folder / "out",
        posterior=0.9,
        prior=0.5,
        p_values=min(digits, 15),
        frequencies=False,
    )
    most = next(each for each in counted.questions if each.question == "among the cases")
    assert 0.5 * most.power_of_all < found.power_lr < most.power_of_all + CHANCE


def trend(row):
    """N times the squared correlation of copies and status, which is not the allelic test."""
    return chi2.sf(len(row) * np.corrcoef(row, np.arange(len(row)) < CASES)[0, 1] ** 2, 1)


def test_of_another_test_nothing_is_made_up(study):
    folder, copies = study
    table = written(folder, [trend(row) for row in copies], 15)
    found = gwas.attack(folder / "in", folder / "out", published=table, on="cases")
    assert found.variants_worth < 0.02 * VARIANTS
