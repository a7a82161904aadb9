"""`gwas.frequencies` from files to files."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from deniable import Ledger, check, gwas, ledger
from deniable.errors import BudgetExceeded, DataError, InvalidArgument
from tests.cases.genotype_files import (
    CALLS,
    phenotype_file,
    plink_files,
    vcf_file,
    vcf_line,
)
from tests.cases.refusals import refuses
from tests.cases.study_formats import with_other_people

NO_NOISE = {"epsilon": 1e5}  # the least scale: noise differs from 0 hardly ever
GROUPS = ["case", "control", "case", "control", "unknown"]
COMPLETE = [[2, 1, 0, 2, 1], [0, 0, 0, 0, 0], [1, 1, 1, 0, 2]]


def study(folder: Path, calls=COMPLETE) -> Path:
    return plink_files(folder, calls, GROUPS)


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counts(answer) -> list[tuple[str, str, int]]:
    return [(row.group, row.variant, row.count) for row in answer.rows]


def test_frequencies_are_the_studys_with_hardly_any_noise(tmp_path):
    answer = gwas.frequencies(study(tmp_path), tmp_path / "out", all_variants=True, **NO_NOISE)
    assert counts(answer) == [
        ("everybody", "rs0", 5), ("everybody", "rs1", 0), ("everybody", "rs2", 3),
    ]  # fmt: skip
    assert [row["frequency"] for row in rows(tmp_path / "out")] == ["0.625", "0.0", "0.375"]
    assert answer.as_json()["variants"] == 3
    assert check(tmp_path / "out").holds


def test_groups_apart_and_the_order_of_the_file(tmp_path):
    prefix = study(tmp_path)
    answer = gwas.frequencies(
        prefix, tmp_path / "out", variants=["rs2", "rs0"], of="both", adjacency="swap", **NO_NOISE
    )
    assert counts(answer) == [
        ("cases", "rs0", 2), ("controls", "rs0", 3), ("cases", "rs2", 2), ("controls", "rs2", 1),
    ]  # fmt: skip
    assert check(tmp_path / "out").holds
    for of, expected in (("cases", 2), ("controls", 3)):
        one = gwas.frequencies(prefix, tmp_path / of, variants=["rs0"], of=of, **NO_NOISE)
        assert [row.count for row in one.rows] == [expected]


def test_only_published_variants_need_their_calls(tmp_path):
    prefix = plink_files(tmp_path, CALLS, GROUPS)
    answer = gwas.frequencies(prefix, tmp_path / "whole", variants=["rs1"], **NO_NOISE)
    assert counts(answer) == [("everybody", "rs1", 2)]
    with refuses(DataError, "fill-them-with-missing-major"):
        gwas.frequencies(prefix, tmp_path / "holes", variants=["rs0", "rs1"], **NO_NOISE)
    assert not (tmp_path / "holes").exists()
    filled = gwas.frequencies(
        prefix, tmp_path / "filled", all_variants=True, missing="major", **NO_NOISE
    )
    assert counts(filled)[0] == ("everybody", "rs0", 3)
    assumptions = " ".join(filled.certificate.assumptions)
    assert "two copies of allele 2" in assumptions
    assert check(tmp_path / "filled").holds


def test_x_y_and_mitochondria_are_not_counted(tmp_path):
    prefix = study(tmp_path)
    bim = prefix.with_suffix(".bim")
    lines = bim.read_text().splitlines()
    bim.write_text("\n".join([lines[0], "X" + lines[1][1:], lines[2]]) + "\n")
    answer = gwas.frequencies(prefix, tmp_path / "out", all_variants=True, **NO_NOISE)
    assert [row.variant for row in answer.rows] == ["rs0", "rs2"]
    assert answer.not_autosomal == 1
    with refuses(InvalidArgument, "on-autosomes: 1 | 2"):
        gwas.frequencies(prefix, tmp_path / "more", variants=["rs0", "rs1"], **NO_NOISE)


def test_a_vcf_and_a_table_of_counts_are_read_too(tmp_path):
    pytest.importorskip("cyvcf2")
    vcf = vcf_file(tmp_path, [vcf_line(index, calls) for index, calls in enumerate(COMPLETE)])
    pheno = phenotype_file(tmp_path, GROUPS)
    answer = gwas.frequencies(vcf, tmp_path / "out", variants=["rs0"], phenotype=pheno, **NO_NOISE)
    assert [(row.variant, row.count, row.allele) for row in answer.rows] == [("rs0", 5, "A")]


def test_presence_follows_from_the_noisy_count(tmp_path):
    answer = gwas.frequencies(
        study(tmp_path), tmp_path / "out", all_variants=True, beacon=0.01, **NO_NOISE
    )
    assert [row.present for row in answer.rows] == [True, False, True]
    assert answer.as_json()["beacon"] == {"false_yes": 0.01, "threshold": 1, "seen": 1}
    assert check(tmp_path / "out").holds


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_a_ledger_is_charged_before_noise(tmp_path, delta):
    book = tmp_path / "study.ledger"
    options = {"delta": delta} if delta else {}
    ledger.new(book, "cohort", gamma=4.0, unit="genotype", **options)
    prefix = study(tmp_path)
    charged = {"all_variants": True, "ledger": book, "dataset": "cohort", "delta": delta}
    answer = gwas.frequencies(prefix, tmp_path / "out", gamma=1.5, **charged)
    assert answer.ledger.charged == (answer.certificate.counted.part.rho
                                     or answer.certificate.counted.part.epsilon)  # fmt: skip
    assert check(tmp_path / "out").holds
    if delta:  # what would fit is searched for longer
        return
    spent = Ledger(book).spent("cohort")
    with pytest.raises(BudgetExceeded):
        gwas.frequencies(prefix, tmp_path / "again", gamma=4.0, **charged)
    assert Ledger(book).spent("cohort") == spent


def test_wrong_arguments_are_found_before_anything_is_read(tmp_path):
    nowhere, out = tmp_path / "none", tmp_path / "out"
    with refuses(InvalidArgument, "file-neither"):
        gwas.frequencies(nowhere, out, gamma=2.0)
    with refuses(InvalidArgument, "file-both"):
        gwas.frequencies(nowhere, out, gamma=2.0, variants=["rs1"], all_variants=True)
    with refuses(InvalidArgument, "exactly-one-target"):
        gwas.frequencies(nowhere, out, variants=["rs1"])
    with refuses(InvalidArgument, "none-file-check-prefix: none.pgen"):
        gwas.frequencies(nowhere, out, variants=["rs1"], gamma=2.0)
    assert not out.exists()


def test_words_for_the_report_stand_in_it(tmp_path):
    gwas.frequencies(
        study(tmp_path), tmp_path / "out", all_variants=True, gamma=2.0, delta=1e-6,
        report={"title": "Panel of June"},
    )  # fmt: skip
    document = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert document["report"] == {"title": "Panel of June"}
    assert "<title>Panel of June</title>" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_rows_are_a_sequence(tmp_path):
    rows = gwas.frequencies(study(tmp_path), tmp_path / "out", all_variants=True, **NO_NOISE).rows
    assert rows[-1] == rows[2]
    assert [row.variant for row in rows[1:]] == ["rs1", "rs2"]
    assert isinstance(rows[0].count, int)
    assert not isinstance(rows[0].count, np.integer)
    with pytest.raises(IndexError, match="beyond the last"):
        rows[3]


def file(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_filters_choose_variants_and_people_before_the_count(tmp_path):
    prefix = study(tmp_path)
    people = [line.split()[:2] for line in prefix.with_suffix(".fam").read_text().splitlines()]
    filters = gwas.Filters(
        exclude=file(tmp_path, "out.txt", "rs1"),
        remove=file(tmp_path, "gone.txt", " ".join(people[3])),
    )
    out = tmp_path / "out"
    answer = gwas.frequencies(prefix, out, all_variants=True, filters=filters, **NO_NOISE)
    assert counts(answer) == [("everybody", "rs0", 3), ("everybody", "rs2", 3)]
    size = answer.certificate.study
    assert (size.cases, size.controls, size.variants) == (2, 1, 2)
    stated = answer.certificate.filters
    assert (stated.people, stated.exclude.variants) == ("removed", 1)
    assert check(out).holds
    assert stated.exclude.sha256 in (out / "report.html").read_text(encoding="utf-8")


def test_a_panel_fills_calls_and_says_what_is_rare(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "other").mkdir()
    prefix = plink_files(tmp_path / "own", [[2, 1, None, 2, 1], [0, 0, 0, 0, 0]], GROUPS)
    panel = plink_files(tmp_path / "other", [[1, 1, 1, 2, 1], [0, 0, 0, 0, 1]], GROUPS)
    panel = with_other_people(panel, tmp_path / "panel")
    listed = {"variants": ["rs0"], "filters": gwas.Filters(panel=panel)}
    rare = {"all_variants": True, "filters": gwas.Filters(panel=panel, min_frequency=0.2)}
    for name, options in {"listed": listed, "rare": rare}.items():
        out = tmp_path / name
        answer = gwas.frequencies(prefix, out, missing="panel", **options, **NO_NOISE)
        assert counts(answer) == [("everybody", "rs0", 2 + 1 + 1 + 2)]
        assert check(out).holds


@pytest.mark.parametrize("missing", ["refuse", "major", "panel"])
def test_a_list_of_variants_is_not_filtered_again(tmp_path, missing):
    prefix, names = study(tmp_path), file(tmp_path, "names.txt", "rs0")
    panel = {"panel": tmp_path / "other"} if missing == "panel" else {}
    for rule in ({"extract": names}, {"exclude": names}, {"chromosomes": "1"},
                 {"panel": tmp_path / "other", "min_frequency": 0.1}):  # fmt: skip
        filters = gwas.Filters(**(panel | rule))
        with refuses(InvalidArgument, "list-of-variants-or-filters"):
            gwas.frequencies(
                prefix, tmp_path / "out", variants=["rs0"], missing=missing, filters=filters,
                **NO_NOISE,
            )  # fmt: skip


def test_the_study_is_not_its_own_panel(tmp_path):
    prefix = study(tmp_path)
    filters = gwas.Filters(panel=prefix, min_frequency=0.1)
    with refuses(DataError, "participants-in-a-panel: panel"):
        gwas.frequencies(prefix, tmp_path / "out", all_variants=True, filters=filters, **NO_NOISE)
