"""Laws of a study's release: what may differ between neighbours, what it spends, what covers."""

import csv
import itertools
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr

from deniable import gwas
from deniable.gwas.certificates.study import StudySize
from deniable.gwas.publication import published_study
from deniable.pipeline.noise.shares import LEAST_SCALE
from tests.cases.effort import usual
from tests.cases.genotype_files import plink_files
from tests.cases.sample_study import prepared, study_certificate

FALSE_ALARM = 1e-9
PEOPLE, VARIANTS = 40, 9
GROUPS = ["case", "control"] * (PEOPLE // 2) + ["unknown"]
NOISY = (
    "variant", "chromosome", "position", "cases_allele_1", "controls_allele_1",
    "cases_frequency", "controls_frequency", "chi_squared",
)  # fmt: skip


def calls() -> np.ndarray:
    return np.random.default_rng(4).binomial(2, 0.4, (VARIANTS, PEOPLE + 1))


def neighbours(adjacency: str) -> list[np.ndarray]:
    """One person's whole genotype replaced, or the status of two exchanged."""
    other = calls()
    if adjacency == "genotype":
        other[:, 6] = 2 - other[:, 6]
    else:
        other[:, [6, 7]] = other[:, [7, 6]]
    return [calls(), other]


def files(folder: Path, genotypes: np.ndarray) -> Path:
    folder.mkdir()
    return plink_files(folder, genotypes.tolist(), GROUPS)


@pytest.mark.parametrize(
    ("adjacency", "statistics", "score"),
    # Of any two of the three all pairs.
    usual(
        [
            ("genotype", False, "distance"),
            ("genotype", True, "allelic"),
            ("swap", False, "allelic"),
            ("swap", True, "distance"),
        ],
        [*itertools.product(["genotype", "swap"], [False, True], ["distance", "allelic"])],
    ),
)
def test_files_of_neighbours_differ_in_noisy_values_only(tmp_path, adjacency, statistics, score):
    outs = []
    for index, genotypes in enumerate(neighbours(adjacency)):
        prefix = files(tmp_path / f"in{index}", genotypes)
        outs.append(tmp_path / f"out{index}")
        gwas.release(
            prefix, outs[-1], top=3, gamma=2.0, adjacency=adjacency, score=score,
            publish_statistics=statistics,
        )  # fmt: skip
    one, other = outs
    assert sorted(p.name for p in one.iterdir()) == sorted(p.name for p in other.iterdir())
    assert stated(one) == stated(other)
    assert public_cells(one) == public_cells(other)
    assert footer(one) == footer(other)
    assert words(one) == words(other)


def stated(out: Path) -> str:
    """The certificate byte for byte, but for digests of files that hold noisy values."""
    text = (out / "certificate.json").read_text(encoding="utf-8")
    noisy, digests = re.subn(r'("(report.html|results.\w+)": ")[0-9a-f]{64}"', r"\1", text)
    assert digests == 3
    return noisy


def public_cells(out: Path) -> list[list[str]]:
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    kept = [header.index(name) for name in header if name not in NOISY]
    return [header, *([line[index] for index in kept] for line in lines)]


def footer(out: Path) -> tuple[object, ...]:
    metadata = pq.read_metadata(out / "results.parquet")
    return metadata.schema.to_arrow_schema(), metadata.metadata, metadata.num_rows


def words(out: Path) -> str:
    """The report without its charts, names of variants, digits and undefined numbers."""
    page = (out / "report.html").read_text(encoding="utf-8")
    page = re.sub(r"<svg.*?</svg>", "<svg>", page, flags=re.DOTALL)
    return re.sub(r"rs\d+|[−-]?[\d.,]+|undefined", "#", page)


def test_nothing_of_the_never_list_is_in_any_file(tmp_path):
    prefix = files(tmp_path / "in", calls())
    answer = gwas.release(prefix, tmp_path / "out", top=2, gamma=2.0)
    size = prefix.with_suffix(".bed").stat().st_size
    for file in (tmp_path / "out").iterdir():
        content = file.read_bytes()
        assert str(tmp_path).encode() not in content
        assert b"study.bed" not in content
    # A digest holds any digits by chance.
    stated = re.sub(r'"[0-9a-f]{64}"', '""', json.dumps(answer.certificate.as_json()))
    numbers = set(re.findall(r"[\d.]+", stated))
    # Forty-one people are in the file; forty have a status.
    assert not numbers & {str(size), str(PEOPLE + 1)}
    assert str(PEOPLE // 2) in numbers


EPSILONS = st.floats(1e-6, 50.0)


@settings(max_examples=usual(16, 60))
@given(
    EPSILONS,
    st.sampled_from(["genotype", "swap"]),
    st.sampled_from(["distance", "allelic", "genotypic"]),
    st.integers(1, 6),
    st.integers(1, 3000),
    st.integers(1, 3000),
    st.booleans(),
)
def test_the_shares_never_add_up_to_more_than_the_budget(
    epsilon, adjacency, score, top, cases, controls, statistics
):
    """In exact fractions, and with what the noise itself claims, not only what is written."""
    size = StudySize(cases, controls, 100)
    made = prepared(
        size, epsilon=epsilon, adjacency=adjacency, score=score, top=top, statistics=statistics
    )
    parts = [part for part in (made.selection, made.statistics) if part is not None]
    assert sum(Fraction(part.share.epsilon) for part in parts) <= Fraction(epsilon)
    selection, *rest = parts
    moved = selection.part.sensitivity
    spent = Fraction(2 * top * moved) / Fraction(selection.mechanism.scale)
    spent += sum(Fraction(part.part.l1) / Fraction(part.mechanism.scale) for part in rest)
    assert spent <= Fraction(epsilon)
    if all(part.mechanism.scale > LEAST_SCALE for part in parts) and moved:
        assert spent > Fraction(epsilon) * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize("target", [1.5, 2.0, 8.0])
@pytest.mark.parametrize("adjacency", ["genotype", "swap"])
@pytest.mark.parametrize("prior", [None, (0.3, 0.7)])
def test_the_certified_factor_never_passes_the_target(target, adjacency, prior):
    certificate = study_certificate(gamma=target, adjacency=adjacency, prior=prior)
    guarantee = certificate.guarantee
    assert Fraction(guarantee.gamma) <= Fraction(target)
    assert guarantee.gamma <= guarantee.gamma_outside
    spent = certificate.selection.part.epsilon
    assert Fraction(spent) <= Fraction(guarantee.epsilon)


@pytest.mark.parametrize("adjacency", ["genotype", "swap"])
def test_half_widths_cover(tmp_path, adjacency, monkeypatch):
    """All variants are released, so that every exact count is known; 120 counts a release."""
    monkeypatch.setattr(
        published_study, "study_document", lambda *_: ""
    )  # only its charts take time
    variants, repeats = 60, usual(6, 12)
    genotypes = np.random.default_rng(4).binomial(2, 0.4, (variants, PEOPLE + 1))
    prefix = files(tmp_path / "in", genotypes)
    exact = {
        f"rs{index}": (int(row[0:PEOPLE:2].sum()), int(row[1:PEOPLE:2].sum()))
        for index, row in enumerate(genotypes)
    }
    hits = inside = total = 0
    for index in range(repeats):
        answer = gwas.release(
            prefix, tmp_path / f"out{index}", top=variants, epsilon=20.0, adjacency=adjacency,
            publish_statistics=True,
        )  # fmt: skip
        for each in answer.released:
            noisy = each.noisy
            for value, truth in zip(
                (noisy.cases_allele_1, noisy.controls_allele_1), exact[each.variant], strict=True
            ):
                hits += abs(value - truth) <= noisy.half_width_95
                inside += abs(value - truth) <= noisy.half_width_95 // 2
                total += 1
    # P[Bin(n, .95) <= hits]: so few hits come once in a billion runs of honest widths.
    assert total == repeats * 2 * variants
    assert bdtr(hits, total, 0.95) > FALSE_ALARM
    # Half of the width would not do.
    assert bdtr(inside, total, 0.95) < FALSE_ALARM
