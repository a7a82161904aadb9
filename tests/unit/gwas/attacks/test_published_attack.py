"""What tables and releases of a study give away: one population, unlinked variants."""

import csv
import subprocess
import tracemalloc

import numpy as np
import pytest
from scipy.stats import norm

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.attacks import theoretical_power
from deniable.gwas.attacks.attack import panel_of_other_format
from deniable.gwas.files import HowRead, PlinkWriter, StudyFiles
from deniable.gwas.genotypes import Variants
from tests.cases.programs import need
from tests.cases.refusals import refuses

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
    exact, answer = attacked(study), attacked(study, written(folder, "MAF", digits(f, 6)))
    assert answer.power_lr == exact.power_lr
    assert answer.auc_lr == pytest.approx(exact.auc_lr, abs=1e-12)
    assert answer.power_homer == exact.power_homer
    assert answer.power_formula == exact.power_formula
    assert answer.variants_worth == answer.variants_unlinked == exact.variants_unlinked


@pytest.mark.parametrize(("on", "people"), [("cases", CASES), ("controls", CONTROLS)])
def test_groups_are_recognised_as_theory_says(study, on, people):
    folder, q, u = study
    path = written(folder, "F_A F_U", digits(q, 4), digits(u, 4))
    answer = attacked(study, path, on)
    assert (answer.members, answer.strangers) == (people, OTHERS)
    expected = theoretical_power(VARIANTS, people, 0.05, OTHERS)
    assert answer.power_lr == pytest.approx(expected, abs=0.1)


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
        "rounded": written(folder, "P", digits(p, 1)),
    }
    auc = {name: attacked(study, path, "cases").auc_lr for name, path in tables.items()}
    assert auc["frequency"] == pytest.approx(auc["exact"], abs=0.01)
    assert auc["ratio"] > auc["exact"] - 0.06
    assert auc["test"] > auc["exact"] - 0.06
    assert 0.6 < auc["sign"] < auc["ratio"]
    # Few pairs of counts give a p-value of four digits; of one digit the direction stays open,
    # and half of the steps go the wrong way.
    assert auc["p"] > auc["exact"] - 0.06
    assert auc["rounded"] == pytest.approx(0.5, abs=0.1)


def test_coarser_frequencies_say_less(study):
    folder, q, u = study
    answers = [
        attacked(
            study, written(folder, "F_A F_U", *([f"{x:.{n}f}" for x in g] for g in (q, u))), "cases"
        )
        for n in (4, 2, 1)
    ]
    worth = [each.variants_worth for each in answers]
    assert worth[0] == VARIANTS
    assert VARIANTS > worth[1] > worth[2] > 0
    assert answers[1].auc_lr > answers[2].auc_lr > 0.6
    for each in answers:
        expected = theoretical_power(each.variants_worth, CASES, 0.05, OTHERS)
        assert each.power_lr == pytest.approx(expected, abs=0.12)


@pytest.mark.parametrize("statistics_too", [False, True])
def test_a_private_release_gives_nothing_away(study, tmp_path, statistics_too):
    folder = study[0]
    gwas.release(
        folder / "in", tmp_path / "out", top=40, epsilon=1.0, publish_statistics=statistics_too
    )
    for on in ("cases", "controls"):
        answer = attacked(study, tmp_path / "out", on)
        # 100 members, 500 strangers: an area's standard deviation is .03.
        assert answer.auc_lr == pytest.approx(0.5, abs=0.15)
        assert answer.variants_used == 40
        assert answer.variants_worth < 4
        assert answer.guarantee == 1.0
        assert answer.power_limit == pytest.approx(0.05 * np.e, rel=1e-6)


def test_only_those_kept_are_the_pool(study, tmp_path):
    folder, _, _ = study
    keep = tmp_path / "keep.txt"
    keep.write_text("FID IID\n" + "".join(f"i{i} i{i}\n" for i in range(1, 31)))
    assert attacked(study, filters=gwas.Filters(keep=keep)).members == 30
    keep.write_text("".join(f"i{i}\n" for i in range(1, 31)))  # the individual alone, as in `scan`
    assert attacked(study, filters=gwas.Filters(keep=keep)).members == 30
    keep.write_text("".join(f"i{i} i{i} 2\n" for i in range(1, 31)))  # further columns, as PLINK
    assert attacked(study, filters=gwas.Filters(keep=keep)).members == 30
    keep.write_text("i1 i1 2\ni2 i2\n")
    with refuses(DataError, "family-and-individual"):
        attacked(study, filters=gwas.Filters(keep=keep))
    keep.write_text("nobody here\n")
    with refuses(DataError, "people-leave-nobody"):
        attacked(study, filters=gwas.Filters(keep=keep))
    with refuses(InvalidArgument, "nowhere-none"):
        attacked(study, filters=gwas.Filters(keep=folder / "nowhere"))


def test_what_cannot_be_asked_is_refused(study, tmp_path):
    folder, q, _ = study
    overall = written(folder, "MAF", digits(q, 3))
    with refuses(InvalidArgument, "frequency-of-the-pool"):
        attacked(study, overall, "cases")
    with refuses(InvalidArgument, "cases-controls-pool"):
        attacked(study, overall, "everybody")
    with refuses(InvalidArgument, "folder-with-published"):
        attacked(study, None, "cases")
    with refuses(InvalidArgument, "deniable-gwas-release"):
        attacked(study, tmp_path, "cases")


def test_a_table_of_counts_has_people_by_lot(study, tmp_path):
    folder = study[0]
    gwas.scan(folder / "in", out=tmp_path / "counts.tsv")
    gwas.attack(folder / "in", folder / "out")
    answer = gwas.attack(
        tmp_path / "counts.tsv", folder / "out", published=tmp_path / "counts.tsv", on="cases"
    )
    assert (answer.members, answer.variants_used) == (CASES, VARIANTS)
    assert not answer.overlap_checked
    (tmp_path / "keep.txt").write_text("i1\n")
    keep = gwas.Filters(keep=tmp_path / "keep.txt")
    with refuses(InvalidArgument, "table-of-counts"):
        gwas.attack(tmp_path / "counts.tsv", folder / "out", filters=keep)
    assert [level.r_squared for level in answer.levels] == [0.1]
    expected = theoretical_power(VARIANTS, CASES, 0.05, OTHERS)
    assert answer.power_lr == pytest.approx(expected, abs=0.12)


def test_a_pool_of_another_format_is_never_in_memory_at_once(tmp_path):
    cases, controls, variants = [200, 300, 100], [150, 250, 200], 4_000
    header = ["variant", "cases_0", "cases_1", "cases_2", "controls_0", "controls_1", "controls_2"]
    lines = [header, *([f"v{i}", *map(str, cases + controls)] for i in range(variants))]
    (tmp_path / "counts.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    prefix, how = StudyFiles.of(tmp_path / "counts.tsv"), HowRead()
    tracemalloc.start()
    try:
        panel, _ = panel_of_other_format(prefix, how, tmp_path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < variants * panel.people  # a byte for each genotype
    told = panel.counts(lambda _: None)
    assert (told == [*np.add(cases, controls), 0]).all()


def test_a_vcf_is_the_same_pool(study, tmp_path):
    folder = study[0]
    words = [
        need("plink2"),
        "--bfile",
        "in",
        "--export",
        "vcf",
        "--out",
        tmp_path / "in",
        "--silent",
    ]
    subprocess.run(words, check=True, cwd=folder)
    status = "".join(
        f"i{i} i{i}_i{i} {2 if i <= CASES else 1}\n" for i in range(1, CASES + CONTROLS + 1)
    )
    (tmp_path / "status.txt").write_text(status)
    published = written(folder, "F_A F_U", digits(study[1], 4), digits(study[2], 4))
    options = {"published": published, "on": "controls", "prune": 1.0}
    answer = gwas.attack(
        tmp_path / "in.vcf", folder / "out", phenotype=tmp_path / "status.txt", **options
    )
    assert answer == gwas.attack(folder / "in", folder / "out", **options)
    names = {"in.vcf": "i{0}_i{0}\n", "in": "i{0} i{0}\n"}
    answers = []
    for name, line in names.items():
        (tmp_path / "gone.txt").write_text("".join(line.format(i) for i in range(90, 130)))
        filters = gwas.Filters(remove=tmp_path / "gone.txt")
        status = tmp_path / "status.txt" if name == "in.vcf" else None
        prefix = (tmp_path if name == "in.vcf" else folder) / name
        answers.append(
            gwas.attack(prefix, folder / "out", phenotype=status, filters=filters, **options)
        )
    assert answers[0] == answers[1]
    assert answers[0].members == CONTROLS - 29


PLINK = {
    "plink1.9": ["--freq", "--assoc", "--logistic", "--freqx"],
    "plink2": ["--freq", "--geno-counts", "--glm allow-no-covars"],
}


@pytest.mark.parametrize(
    ("program", "command"), [(name, each) for name, words in PLINK.items() for each in words]
)
def test_what_plink_writes_is_read(study, tmp_path, program, command):
    need(program)
    quiet = ["--silent"] + ["--allow-no-sex"] * (program == "plink1.9")
    subprocess.run(
        [program, "--bfile", study[0] / "in", *command.split(), "--out", tmp_path / "x", *quiet],
        check=True,
    )
    (path,) = (each for each in tmp_path.iterdir() if each.suffix not in {".log", ".nosex"})
    tested = command.startswith(("--assoc", "--logistic", "--glm"))
    answer = attacked(study, path, "cases" if tested else "pool")
    assert answer.variants_used == VARIANTS
    if command in ("--logistic", "--glm allow-no-covars"):
        exact = theoretical_power(VARIANTS, CASES, 0.05, OTHERS)
        assert answer.power_lr > exact - 0.25
    elif tested:
        assert answer.variants_worth == VARIANTS
    else:
        assert answer.auc_lr == pytest.approx(attacked(study).auc_lr, abs=1e-12)


@pytest.mark.parametrize("words", ["F_A", "MAF"])
def test_equal_genotypes_count_equally_inside_and_outside(tmp_path, words):
    """Two variants, each pair of genotypes ten times in pool and reference: nothing to be found."""
    pairs = np.repeat([[a, b] for a in range(3) for b in range(3)], 10, axis=0).T.astype(np.int8)
    listed = Variants(["1"] * 2, ["v0", "v1"], [1, 2], ["A"] * 2, ["G"] * 2)
    for name, first in (("in", 1), ("out", 1000)):
        with PlinkWriter(tmp_path / name, np.arange(90) % 2 == 0, first=first) as writer:
            writer.write(listed, pairs)
    path = tmp_path / "t.tsv"
    path.write_text(f"SNP\tA1\tA2\t{words}\nv0\tA\tG\t0.3333\nv1\tA\tG\t0.5778\n")
    on = "cases" if words == "F_A" else "pool"
    answer = gwas.attack(tmp_path / "in", tmp_path / "out", published=path, on=on)
    assert answer.auc_lr == pytest.approx(0.5, abs=0.01)
    assert answer.auc_homer == pytest.approx(0.5, abs=0.01)
    assert answer.power_measured <= 0.05


@pytest.mark.parametrize("on", ["pool", "cases"])
def test_private_frequencies_give_nothing_away(study, tmp_path, on):
    folder = study[0]
    listed = tmp_path / "list.txt"
    listed.write_text("".join(f"v{i}\n" for i in range(0, VARIANTS, 2)))
    of = "everybody" if on == "pool" else "both"
    gwas.frequencies(folder / "in", tmp_path / "out", variants=listed, gamma=2.0, delta=1e-6, of=of)
    answer = attacked(study, tmp_path / "out", on)
    assert answer.variants_used == VARIANTS // 2
    assert 0.1 < answer.variants_worth < 30
    assert answer.auc_lr == pytest.approx(0.5, abs=0.15)
    assert answer.power_limit == pytest.approx(0.1 + 1e-6)
