"""Tables built to break the attack on what is published: an answer or an error, never a traceback,
and no table of nonsense recognises anybody."""

import gzip
import random

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.refusals import refuses

VARIANTS, PEOPLE = 60, 80


@pytest.fixture(name="study", scope="module")
def two_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(3)
    frequency = rng.uniform(0.2, 0.8, VARIANTS)
    names = [f"v{i}" for i in range(VARIANTS)]
    listed = Variants(["1"] * VARIANTS, names, range(VARIANTS), ["A"] * VARIANTS, ["C"] * VARIANTS)
    for name, first in (("in", 1), ("out", 1000)):
        with PlinkWriter(folder / name, np.arange(PEOPLE) < PEOPLE // 2, first=first) as writer:
            writer.write(listed, rng.binomial(2, frequency[:, None], (VARIANTS, PEOPLE)))
    return folder


def attacked(study, path, on="pool"):
    return gwas.attack(study / "in", study / "out", published=path, on=on)


CELLS = ["NA", "nan", "inf", "-inf", "0", "1", "-1", "1e308", "1e-320", "", "x", "0.5", "1e999"]
HEADS = [
    "SNP A1 A2 OR SE P",
    "SNP A1 BETA SE P EAF N",
    "SNP A1 A2 F_A F_U OR",
    "SNP A1 A2 MAF NCHROBS",
    "SNP A1 A2 C_A C_U",
    "SNP A1 A2 C1 C2",
    "SNP A1 Z_STAT P OBS_CT",
    "SNP A1 OR L95 U95",
]


@pytest.mark.parametrize("head", HEADS)
def test_cells_that_mean_nothing_tell_nothing(study, tmp_path, head):
    columns = head.split()
    lot = random.Random(head)
    lines = ["\t".join(columns)]
    for i in range(VARIANTS):
        alleles = ["A", "C"] if "A2" in columns else ["A"]
        cells = [lot.choice(CELLS) for _ in columns[1 + len(alleles) :]]
        lines.append("\t".join([f"v{i}", *alleles, *cells]))
    path = tmp_path / "t.tsv"
    path.write_text("\n".join(lines) + "\n")
    on = "pool" if {"MAF", "C1"} & set(columns) else "cases"
    answer = attacked(study, path, on)
    assert 0 <= answer.power <= 1
    assert abs(answer.auc_lr - 0.5) < 0.25
    assert np.isfinite(answer.variants_worth)


GOOD = "SNP\tA1\tA2\tMAF\n" + "".join(f"v{i}\tA\tC\t0.{i % 9 + 1}\n" for i in range(VARIANTS))
BROKEN = {
    "empty": b"",
    "header": b"SNP\tA1\tA2\tMAF\n",
    "binary": bytes(range(256)) * 20,
    "short line": GOOD.encode() + b"v1\tA\n",
    "long line": GOOD.encode() + b"v1\tA\tC\t0.1\t9\n",
    "two of a name": b"SNP\tSNP\tA1\tMAF\nv1\tv1\tA\t0.1\n",
    "other names": GOOD.replace("v", "rs").encode(),
    "all twice": GOOD.encode() + GOOD.partition("\n")[2].encode(),
    "UTF-16": GOOD.encode("utf-16"),
    "no alleles": b"SNP\tMAF\nv1\t0.1\n",
    "only names": b"SNP\tA1\tA2\nv1\tA\tC\n",
    "bed": b"\x6c\x1b\x01" + bytes(40),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_what_is_no_table_is_refused(study, tmp_path, name):
    path = tmp_path / "t.txt"
    path.write_bytes(BROKEN[name])
    with refuses((DataError, InvalidArgument), "expects-something"):
        attacked(study, path)


def test_a_packed_file_that_ends_early_is_refused(study, tmp_path):
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(GOOD.encode())[:-9])
    with refuses(DataError, "packed-by-gzip-another"):
        attacked(study, path)


def test_shuffled_names_give_nobody_away(study, tmp_path):
    """The right numbers of other variants are no evidence."""
    gwas.scan(study / "in", out=tmp_path / "scan.tsv")
    head, *lines = (tmp_path / "scan.tsv").read_text().splitlines()
    random.Random(1).shuffle(lines)
    names = [f"v{i}" for i in range(VARIANTS)]
    named = (
        "\t".join([row[0], name, *row[2:]])
        for name, row in zip(names, (line.split("\t") for line in lines), strict=True)
    )
    path = tmp_path / "shuffled.tsv"
    path.write_text("\n".join([head, *named]) + "\n")
    for on in ("cases", "controls"):
        assert abs(attacked(study, path, on).auc_lr - 0.5) < 0.25


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("variant_id effect_allele neg_log_10_p_value", ["1e5", "-1", "0", "inf", "300", "1e-9"]),
        ("SNP A1 P EAF", ["0.0123\t9"]),
        ("SNP A1 P", ["1e-300", "0.5", "1", "0.99999999999", "4.9e-324", "1e-17"]),
        ("SNP A1 BETA SE P", ["0.3\t0\t0"]),
    ],
)
def test_rounding_of_what_says_nothing_recognises_nobody(study, tmp_path, head, cells):
    rows = [f"v{i}\tA\t{cells[i % len(cells)]}" for i in range(VARIANTS)]
    path = tmp_path / "t.tsv"
    path.write_text("\n".join([head.replace(" ", "\t"), *rows]) + "\n")
    answer = attacked(study, path)
    assert answer.variants_worth < 1e-9
    assert answer.power < 0.2
