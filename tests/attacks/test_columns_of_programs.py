"""Tables with the columns of the commonest programs: each column is used, or named as unread.

The same numbers tell the same under every program's names. A column that is named as unread may
hold anything; one that is not named changes what is read.
"""

import functools
import json
import math
from pathlib import Path

import attrs
import numpy as np
import pytest
from scipy.stats import norm

from deniable import gwas
from deniable.errors import DataError
from deniable.gwas.commands.answers import print_attack
from deniable.gwas.files import PlinkWriter
from deniable.gwas.genotypes import Variants
from deniable.gwas.published import read_published_table

CASES, CONTROLS, OTHERS, VARIANTS = 60, 80, 150, 120
PEOPLE = CASES + CONTROLS
SOME = 20
"""Variants of a table of which only the columns are read."""

# By column: the number of a variant's row that it prints, or a word of every row.
PROGRAMS = {
    "plink --assoc": (
        "CHR SNP BP A1 F_A F_U A2 CHISQ P OR",
        "1 name place a case control b chi2 p or",
        {"CHR", "BP", "P"},
    ),
    "plink2 --glm": (
        "#CHROM POS ID REF ALT A1 A1_CASE_FREQ A1_CTRL_FREQ MACH_R2 TEST OBS_CT OR LOG(OR)_SE "
        "Z_STAT P ERRCODE",
        "1 place name b a a case control 1 ADD people or se z p .",
        {"CHROM", "POS", "MACH_R2", "P", "ERRCODE"},
    ),
    "plink2 --glm, genotype counts": (
        "#CHROM POS ID REF ALT A1 CASE_NON_A1_CT CASE_HET_A1_CT CASE_HOM_A1_CT CTRL_NON_A1_CT "
        "CTRL_HET_A1_CT CTRL_HOM_A1_CT TEST OBS_CT NEG_LOG10_P",
        "1 place name b a a case0 case1 case2 control0 control1 control2 ADD people log10p",
        {"CHROM", "POS"},
    ),
    "REGENIE": (
        "CHROM GENPOS ID ALLELE0 ALLELE1 A1FREQ A1FREQ_CASES A1FREQ_CONTROLS INFO N TEST BETA SE "
        "CHISQ LOG10P EXTRA",
        "1 place name b a all case control 1 people ADD beta se wald2 log10p NA",
        {"CHROM", "GENPOS", "INFO", "LOG10P", "EXTRA"},
    ),
    "REGENIE --htp": (
        "Name Chr Pos Ref Alt Trait Cohort Model Effect LCI_Effect UCI_Effect Pval AAF Num_Cases "
        "Cases_Ref Cases_Het Cases_Alt Num_Controls Controls_Ref Controls_Het Controls_Alt Info",
        "name 1 place b a T C ADD or low high p all 60 case0 case1 case2 80 control0 control1 "
        "control2 SE",
        {"Chr", "Pos", "Trait", "Cohort", "Model", "Effect", "LCI_Effect", "UCI_Effect",
         "Num_Cases", "Num_Controls", "Info"},
    ),
    "SAIGE": (
        "CHR POS MarkerID Allele1 Allele2 AC_Allele2 AF_Allele2 MissingRate BETA SE Tstat var "
        "p.value p.value.NA Is.SPA AF_case AF_ctrl N_case N_ctrl",
        "1 place name b a copies all 0 beta se 1 1 p p false case control 60 80",
        {"CHR", "POS", "AF_Allele2", "MissingRate", "Tstat", "var", "p.value.NA", "Is.SPA"},
    ),
    "SAIGE 0.44": (
        "CHR POS rsid SNPID Allele1 Allele2 AF_Allele2 N BETA SE Tstat p.value AF.Cases "
        "AF.Controls N.Cases N.Controls",
        "1 place name x b a all people beta se 1 p case control 60 80",
        {"CHR", "POS", "SNPID", "Tstat"},
    ),
    "SAIGE, some columns": (
        "CHR POS MarkerID Allele1 Allele2 p.value AF_case AF_ctrl N_case N_ctrl",
        "1 place name b a p case control 60 80",
        {"CHR", "POS"},
    ),
    "FinnGen": (
        "#chrom pos ref alt rsids nearest_genes pval mlogp beta sebeta af_alt af_alt_cases "
        "af_alt_controls",
        "1 place b a x G p log10p beta se all case control",
        {"rsids", "nearest_genes", "pval"},
    ),
    "PheWeb": (
        "chrom pos ref alt rsids nearest_genes pval beta sebeta af case_af control_af",
        "1 place b a x G p beta se all case control",
        {"rsids", "nearest_genes"},
    ),
    "PGC daner": (
        "CHR SNP BP A1 A2 FRQ_A_60 FRQ_U_80 INFO OR SE P ngt Direction Nca Nco Neff",
        "1 name place a b case control 1 or se p 0 + 60 80 68",
        {"CHR", "BP", "INFO", "ngt", "Direction", "Neff"},
    ),
    "SNPTEST": (
        "alternate_ids rsid chromosome position alleleA alleleB info all_maf cases_AA cases_AB "
        "cases_BB controls_AA controls_AB controls_BB frequentist_add_pvalue "
        "frequentist_add_beta_1 frequentist_add_se_1",
        "x name 1 place b a 1 folded case0 case1 case2 control0 control1 control2 p beta se",
        {"alternate_ids", "chromosome", "position", "info"},
    ),
}  # fmt: skip
TOGETHER = {
    "BOLT-LMM": (
        "SNP CHR BP GENPOS ALLELE1 ALLELE0 A1FREQ F_MISS BETA SE P_BOLT_LMM_INF P_BOLT_LMM",
        "name 1 place 0 a b all 0 linear linearse p p",
        {"CHR", "BP", "GENPOS", "F_MISS", "P_BOLT_LMM_INF"},
    ),
    "METAL": (
        "MarkerName Allele1 Allele2 Freq1 FreqSE Effect StdErr P-value Direction HetISq",
        "name lower_a lower_b all 0 beta se p ++ 0",
        {"FreqSE", "Direction", "HetISq"},
    ),
    "GWAS-SSF": (
        "chromosome base_pair_location effect_allele other_allele beta standard_error "
        "effect_allele_frequency p_value rsid n info ref_allele",
        "1 place a b beta se all p name people 1 OA",
        {"chromosome", "base_pair_location", "info", "ref_allele"},
    ),
    "GCTA fastGWA": (
        "CHR SNP POS A1 A2 N AF1 BETA SE P",
        "1 name place a b people all linear linearse p",
        {"CHR", "POS"},
    ),
    "folded": ("SNP A1 A2 MAF BETA SE P", "name a b folded beta se p", set()),
}
P_ALONE = {
    "plink --adjust": (
        "CHR SNP UNADJ GC BONF HOLM FDR_BH",
        "1 name p p 1 1 1",
        {"CHR", "GC", "BONF", "HOLM", "FDR_BH"},
    ),
    "p alone": ("SNP MAF P", "name folded p", {"MAF"}),
}
EVERY = PROGRAMS | TOGETHER | P_ALONE


@pytest.fixture(name="study", scope="module")
def study_with_reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    rng = np.random.default_rng(5)
    frequency = rng.uniform(0.15, 0.85, VARIANTS)
    frequency = np.where(np.abs(frequency - 0.5) < 0.12, 0.3, frequency)
    names = [f"rs{i}" for i in range(VARIANTS)]
    first = ["A"] * VARIANTS
    listed = Variants(["1"] * VARIANTS, names, range(1, VARIANTS + 1), first, ["G"] * VARIANTS)
    copies = {}
    for name, people, number in (("in", PEOPLE, 1), ("out", OTHERS, 1000)):
        copies[name] = rng.binomial(2, frequency[:, None], (VARIANTS, people)).astype(np.int8)
        with PlinkWriter(folder / name, np.arange(people) < CASES, first=number) as writer:
            writer.write(listed, copies[name])
    return folder, [_row(i, row) for i, row in enumerate(copies["in"])]


def _row(index, copies):
    groups = copies[:CASES], copies[CASES:]
    x, y = (int(group.sum()) for group in groups)
    a, b, c, d = x + 0.5, 2 * CASES - x + 0.5, y + 0.5, 2 * CONTROLS - y + 0.5
    beta, se = math.log(a * d / b / c), math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    f = (x + y) / (2 * PEOPLE)
    chi2 = (
        2
        * PEOPLE
        * (x * CONTROLS - y * CASES) ** 2
        / (CASES * CONTROLS * (x + y) * (2 * PEOPLE - x - y))
    )
    slope = CASES * CONTROLS / PEOPLE**2
    row = {
        "name": f"rs{index}", "place": index + 1, "a": "A", "b": "G", "lower_a": "a",
        "lower_b": "g", "case": x / (2 * CASES), "control": y / (2 * CONTROLS), "all": f,
        "folded": min(f, 1 - f), "copies": x + y, "people": PEOPLE, "beta": beta, "se": se,
        "or": math.exp(beta), "low": math.exp(beta - 1.96 * se), "high": math.exp(beta + 1.96 * se),
        "linear": beta * slope, "linearse": se * slope, "z": beta / se, "wald2": (beta / se) ** 2,
        "chi2": chi2, "p": 2 * norm.sf(abs(beta / se)),
        "log10p": -math.log10(2 * norm.sf(abs(beta / se))),
    }  # fmt: skip
    for name, group in zip(("case", "control"), groups, strict=True):
        row |= {f"{name}{k}": int((group == k).sum()) for k in range(3)}
    return row


def write(path: Path, rows, head, cells, spoilt=""):
    names = head.split()
    lines = [" ".join(names)]
    for row in rows:
        words = [str(row.get(word, word)) for word in cells.split()]
        if spoilt:
            words[names.index(spoilt)] = "nothing"
        lines.append(" ".join(words))
    path.write_text("\n".join(lines) + "\n")
    return path


def attacked(study, path, on="cases"):
    return gwas.attack(study[0] / "in", study[0] / "out", published=path, on=on, prune=1.0)


@pytest.mark.parametrize(
    ("programs", "reference"), [(PROGRAMS, "plink --assoc"), (TOGETHER, "GWAS-SSF")]
)
def test_the_same_numbers_tell_the_same_under_every_name(study, tmp_path, programs, reference):
    worth = {
        name: attacked(study, write(tmp_path / "t.txt", study[1], head, cells)).variants_worth
        for name, (head, cells, _) in programs.items()
    }
    assert worth[reference] > (0.99 if programs is PROGRAMS else 0.5) * VARIANTS * 0.9
    for name, each in worth.items():
        assert each == pytest.approx(worth[reference], rel=0.02), name


@pytest.mark.parametrize("name", EVERY)
def test_every_column_is_used_or_named(study, tmp_path, name):
    head, cells, unread = EVERY[name]
    rows = study[1][:SOME]
    whole = read_published_table(write(tmp_path / "t.txt", rows, head, cells))
    assert set(whole.unread) == unread
    for column in head.split():
        path = write(tmp_path / "t.txt", rows, head, cells, spoilt=column)
        try:
            spoilt = read_published_table(path)
        except DataError:
            spoilt = None
        same = spoilt is not None and _content(spoilt) == _content(whole)
        assert same == (column.lstrip("#") in unread), column


def _content(table):
    """Its numbers and names, NaN equal to NaN."""
    return repr(attrs.asdict(table, value_serializer=_as_list))


def _as_list(_, __, value):
    return value.tolist() if isinstance(value, np.ndarray) else value


BESIDE = {
    "odds_ratio beta": ("or", "beta", "standard_error p_value eaf", "se p all"),
    "eaf maf": ("all", "folded", "beta standard_error p_value", "beta se p"),
    "eaf af": ("all", "all", "beta standard_error p_value", "beta se p"),
    "f_a af_case": ("case", "case", "af_ctrl", "control"),
    "neg_log_10_p_value p_value": ("log10p", "p", "beta eaf", "beta all"),
    "chisq p_value": ("wald2", "p", "beta eaf", "beta all"),
    "z_stat p_value": ("z", "p", "beta eaf", "beta all"),
    "standard_error stderr": ("se", "se", "beta eaf", "beta all"),
}  # fmt: skip
"""Two columns that say one thing, their numbers, and the table's others."""


@pytest.fixture(scope="module")
def worth_alone(study, tmp_path_factory):
    """What a table of these columns is worth, which both shares ask for."""
    path = tmp_path_factory.mktemp("alone") / "t.txt"

    @functools.cache
    def worth(head, cells):
        return attacked(study, write(path, study[1], head, cells)).variants_worth

    return worth


@pytest.mark.parametrize("pair", BESIDE)
@pytest.mark.parametrize("share", ["none", "half"])
def test_a_column_without_numbers_hides_none_beside_it(study, worth_alone, tmp_path, pair, share):
    first, second, others, numbers = BESIDE[pair]
    if share == "half" and ("p_value" in pair or "maf" in pair):
        pytest.skip("one column is read of those that say it in other units")
    head = f"ID A1 A2 {pair} {others}"
    rows = [dict(row) for row in study[1]]
    for place, row in enumerate(rows):
        says = place % 2 if share == "half" else 0
        row["first"], row["second"] = (row[first], "NA") if says else ("NA", row[second])
    path = write(tmp_path / "t.txt", rows, head, f"name a b first second {numbers}")
    table = read_published_table(path)
    assert set(table.unread) == ({pair.split()[0]} if share == "none" else set())
    alone = worth_alone(f"ID A1 A2 {pair.split()[1]} {others}", f"name a b {second} {numbers}")
    assert attacked(study, path).variants_worth == pytest.approx(alone, rel=0.02)


@pytest.mark.parametrize(
    "spelled", [lambda f: f"{100 * f:.3f}", lambda f: f"{f:.3f}".replace(".", ","),
                lambda f: f"{f:.3f}:{f:.3f}"],
)  # fmt: skip
def test_columns_whose_words_are_no_frequencies_are_named_as_unread(study, tmp_path, spelled):
    rows = [row | {name: spelled(row[name]) for name in ("case", "control")} for row in study[1]]
    path = write(tmp_path / "t.txt", rows, "SNP A1 A2 F_A F_U P", "name a b case control p")
    assert set(read_published_table(path).unread) == {"F_A", "F_U"}


@pytest.mark.parametrize("word", [".", "#NA", "NA", "nan", ""])
@pytest.mark.parametrize("among", [1, 2])
def test_rows_without_a_name_are_found_by_their_place(study, tmp_path, word, among):
    rows = [row | {"id": word if i % among == 0 else row["name"], "chr": "chr1"}
            for i, row in enumerate(study[1])]  # fmt: skip
    head, cells = "ID CHROM POS A1 A2 F_A F_U", "id chr place a b case control"
    text = write(tmp_path / "t.txt", rows, head, cells).read_text()
    (tmp_path / "t.txt").write_text(text.replace(" ", "\t"))
    assert attacked(study, tmp_path / "t.txt").variants_used == VARIANTS


def test_a_variant_that_is_named_in_one_row_and_placed_in_another_is_there_twice(study, tmp_path):
    rows = study[1] + [study[1][0] | {"name": ".", "case": 0.5}]
    path = write(
        tmp_path / "t.txt", rows, "ID CHR POS A1 A2 F_A F_U", "name 1 place a b case control"
    )
    answer = attacked(study, path)
    assert answer.variants_used == VARIANTS - 1
    assert answer.variants_left_out["published_repeats"] == 2


def test_gwas_ssf_of_our_own_is_read_whatever_variants_are_called(study, tmp_path):
    named = study[0] / "in"
    for suffix in ("bed", "fam"):
        (tmp_path / f"other.{suffix}").write_bytes(named.with_suffix(f".{suffix}").read_bytes())
    bim = named.with_suffix(".bim").read_text()
    (tmp_path / "other.bim").write_text(bim.replace("rs", "snp"))
    gwas.scan(tmp_path / "other", out=tmp_path / "other.ssf", format="gwas-ssf")
    gwas.scan(named, out=tmp_path / "named.ssf", format="gwas-ssf")
    one, other = (attacked(study, tmp_path / f"{name}.ssf") for name in ("named", "other"))
    assert other.variants_worth == pytest.approx(one.variants_worth)


@pytest.fixture(name="nameless", scope="module")
def study_whose_variants_have_no_names(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nameless")
    for name, chromosome, first in (("in", "chr1", 0), ("out", "01", 10)):
        for suffix in ("bed", "fam"):
            path = (study[0] / name).with_suffix(f".{suffix}")
            (folder / path.name).write_bytes(path.read_bytes())
        lines = (study[0] / f"{name}.bim").read_text().splitlines()
        rows = [[chromosome, *line.split("\t")[1:]] for line in lines]
        for row in rows[first:]:
            row[1] = "."
        (folder / f"{name}.bim").write_text("".join("\t".join(row) + "\n" for row in rows))
    return folder


def test_variants_without_a_name_in_both_files_are_found_by_their_place(nameless):
    answer = gwas.attack(nameless / "in", nameless / "out", prune=1.0)
    assert answer.variants_used == VARIANTS - 10  # the first ten have a name in one file alone
    assert answer.variants_left_out["only_in_pool"] == 10
    assert answer.variants_left_out["only_in_reference"] == 10


@pytest.mark.parametrize("release", [gwas.release, gwas.frequencies])
def test_a_release_of_variants_without_names_is_attacked_by_their_places(
    nameless, tmp_path, release
):
    of = {"top": 100} if release is gwas.release else {"all_variants": True, "of": "cases"}
    release(nameless / "in", tmp_path / "out", epsilon=20.0, **of)
    answer = gwas.attack(
        nameless / "in", nameless / "out", published=tmp_path / "out", on="cases", prune=1.0
    )
    assert answer.variants_used >= min(of.get("top", VARIANTS), VARIANTS) - 10


def test_what_is_left_out_for_a_repeated_name_is_counted_by_variant(study, tmp_path):
    for suffix in ("bed", "fam"):
        path = (study[0] / "out").with_suffix(f".{suffix}")
        (tmp_path / path.name).write_bytes(path.read_bytes())
    rows = [line.split("\t") for line in (study[0] / "out.bim").read_text().splitlines()]
    for row in rows[:7]:
        row[1] = "rs0"
    (tmp_path / "out.bim").write_text("".join("\t".join(row) + "\n" for row in rows))
    left_out = gwas.attack(study[0] / "in", tmp_path / "out", prune=1.0).variants_left_out
    assert (left_out["name_repeats"], left_out["only_in_pool"]) == (1, 6)
    left_out = gwas.attack(tmp_path / "out", study[0] / "in", prune=1.0).variants_left_out
    assert (left_out["name_repeats"], left_out["only_in_reference"]) == (7, 6)


@pytest.mark.parametrize("order", ["ALLELE0 ALLELE1", "ALLELE1 ALLELE0"])
@pytest.mark.parametrize("name", ["BETA", "A1FREQ"])
def test_numbers_are_of_allele_1_beside_allele_0(study, tmp_path, order, name):
    words = {"ALLELE0": "b", "ALLELE1": "a", "BETA": "beta", "A1FREQ": "all"}
    head = f"ID {order} {name} LOG10P"
    cells = " ".join(["name", *(words[each] for each in (*order.split(), name)), "log10p"])
    table = read_published_table(write(tmp_path / "t.txt", study[1], head, cells))
    assert set(table.effect) == {"A"}
    assert set(table.other) == {"G"}


def test_rows_of_the_test_of_a_copy_count_and_others_do_not_repeat_it(study, tmp_path):
    path = tmp_path / "t.model"
    lines = ["CHR SNP A1 A2 TEST AFF UNAFF CHISQ DF P"]
    for row in study[1]:
        x, y = (round(row[group] * 2 * n) for group, n in (("case", CASES), ("control", CONTROLS)))
        counts = f"{x}/{2 * CASES - x} {y}/{2 * CONTROLS - y}"
        start = f"1 {row['name']} A G"
        lines.append(f"{start} GENO 1/1/1 1/1/1 NA NA NA")
        lines += [f"{start} {test} {counts} {row['chi2']} 1 0.5" for test in ("TREND", "ALLELIC")]
        lines.append(f"{start} DOM 1/1 1/1 NA NA NA")
    path.write_text("\n".join(lines) + "\n")
    assert attacked(study, path).variants_worth == pytest.approx(VARIANTS, rel=0.01)


def test_unread_columns_are_in_json_text_and_page(study, tmp_path, capsys):
    head, cells, unread = PROGRAMS["REGENIE"]
    path = write(tmp_path / "t.txt", study[1], head, cells)
    answer = gwas.attack(
        study[0] / "in", study[0] / "out", published=path, on="cases", out=tmp_path / "page.html"
    )
    print_attack(answer)
    texts = capsys.readouterr().out, (tmp_path / "page.html").read_text()
    assert set(json.loads(json.dumps(answer.as_json()))["published_unread"]) == unread
    for text in texts:
        assert all(name in text for name in unread)
