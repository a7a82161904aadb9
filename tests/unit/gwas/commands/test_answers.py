"""What is printed for people; figures as they are parsed from the lines."""

import json
import re

import attrs
import pytest

import deniable
from deniable.gwas.attacks import AttackPower, Level, Reference
from deniable.gwas.commands import print_attack, print_release
from deniable.gwas.publication import ReleasedStudy, reach
from tests.cases.sample_study import prepared, released, study_certificate
from tests.cases.study_formats import with_other_people
from tests.unit.gwas.commands.test_genomics import prefix, run

__all__ = ["prefix"]

POWER = AttackPower(
    power_lr=0.25,
    power_homer=0.2,
    auc_lr=0.7,
    auc_homer=0.6,
    power_formula=0.3,
    variants_used=1234,
    fpr=0.05,
    members=40,
    strangers=50,
    f_st=0.0123,
    ancestry_p_value=0.5,
    ancestry_differs=False,
    only_named=0,
    power_measured=0.24,
    variants_unlinked=987,
    variants_left_out={"constant": 17, "no_calls": 0},
    levels=(Level(1.0, 1234, 0.21, 0.19), Level(0.5, 1100, 0.26, 0.18)),
    references=(Reference(50, 0.11), Reference(1000, 0.28)),
)

PEOPLE = ["--individuals", "300", "--cases", "150"]
SIMULATED = [*PEOPLE, "--variants", "150", "--causal", "3", "--seed"]


def lines(capsys):
    """What is printed, by the name that begins each line."""
    printed = capsys.readouterr().out.splitlines()
    return printed, dict(
        re.split(r"  +", line.strip(), maxsplit=1) for line in printed if "  " in line.strip()
    )


def test_a_scan_in_words_is_marked(prefix):
    words = run("scan", prefix).stdout
    assert words.startswith("NOT FOR PUBLICATION")
    assert "rs0" in words
    distance = run("scan", prefix, "--statistic", "distance", "--threshold", "0.01").stdout
    assert "distance" in distance


def test_an_attack_prints_every_figure(capsys):
    print_attack(POWER)
    printed, values = lines(capsys)
    assert float(values["by the likelihood ratio"]) == POWER.power_lr
    assert float(values["likelihood ratio, in theory"]) == POWER.power_formula
    assert re.findall(r"[\d.]+", values["pool against reference"]) == ["0.0123", "0.5"]
    assert float(values["measured, a lower bound"]) == POWER.power_measured
    assert float(values["members found at fpr 0.05"].split(",")[0]) == POWER.power == 0.3
    assert values["left out, all people alike"] == "17"
    assert re.findall(r"[\d.]+", values["r² < 0.5"]) == ["0.2600", "0.1800", "1", "100"]
    assert float(values["1,000"]) == 0.28
    assert values["50"].endswith("this one")
    assert not any("POPULATION" in line for line in printed[1:])


def test_another_ancestry_and_namesakes_are_told_before_and_after_the_figures(capsys):
    other = attrs.evolve(POWER, ancestry_differs=True, ancestry_p_value=0.001, only_named=7)
    print_attack(other)
    printed, _ = lines(capsys)
    warning = next(i for i, line in enumerate(printed) if "NOT FROM ONE POPULATION" in line)
    figures = next(i for i, line in enumerate(printed) if line.startswith("variants used"))
    assert warning < figures
    assert printed[-1].startswith("7 of the pool share an identifier")


def test_people_who_stand_in_both_or_may_are_told(capsys):
    print_attack(attrs.evolve(POWER, overlap_left_out=3, overlap_checked=False))
    printed, _ = lines(capsys)
    assert any(line.startswith("3 of the reference were left out") for line in printed)
    assert any(line.startswith("TOO FEW COMMON VARIANTS") for line in printed)


@pytest.mark.parametrize("epsilon", [0.01, 4.0])
def test_a_release_prints_what_it_finds(capsys, epsilon, tmp_path):
    options = {"epsilon": epsilon, "statistics": True}
    reached = reach(prepared(**options))
    answer = ReleasedStudy(
        study_certificate(**options), tuple(released(noisy=True)), tmp_path, reached
    )
    print_release(answer)
    _, values = lines(capsys)
    first = float(re.findall(r"[\d.]+", values["finds"])[0])
    wanted = reached.lead if reached.possible else reached.largest_lead
    assert first == pytest.approx(wanted, rel=1e-3)
    needed = [value for _, value in reached.chi_squared if value is not None]
    if reached.possible:
        told = re.findall(r"(\d+) for an allele", values["a hit needs"])
        assert list(map(float, told)) == pytest.approx(needed, rel=0.05)
    else:
        assert "a hit needs" not in values
    for each in answer.released:
        bounds = re.search(r"χ² between ([\d.]+) and ([\d.]+)(.*)", values[str(each.rank)])
        assert float(bounds[1]) == pytest.approx(each.noisy.chi_squared_low, rel=1e-3)
        assert float(bounds[2]) == pytest.approx(each.noisy.chi_squared_high, rel=1e-3)
        assert bool(bounds[3]) is not each.noisy.above_noise


def test_variants_that_may_be_one_locus_are_pointed_at(tmp_path):
    study = tmp_path / "study"
    assert run("simulate", "--out", study, *SIMULATED, "3").exit_code == 0
    asked = ["release", study, "--top", "4", "--epsilon", "1000"]
    plain = run(*asked, "--out", tmp_path / "plain").stdout
    assert "of these lie within 500 kb of another one" in plain
    apart = run(*asked[:2], "--top", "2", *asked[4:], "--window-kb", "500", "--out", tmp_path / "a")
    assert "lie within" not in apart.stdout
    one = run(*asked[:2], "--top", "1", *asked[4:], "--out", tmp_path / "one").stdout
    assert "lie within" not in one


def test_safe_begins_with_a_verdict(tmp_path):
    study, other = tmp_path / "study", tmp_path / "other"
    few = [*PEOPLE, "--variants", "80", "--causal", "3", "--seed"]
    for place, seed in ((study, "3"), (other, "4")):
        assert run("simulate", "--out", place, *few, seed).exit_code == 0
    other = with_other_people(other, tmp_path / "others")
    asked = ["safe", study, "--prior", "0.25", "0.5", "--max-posterior", "0.75"]
    first, _, then = run(*asked).stdout.partition("\n")
    assert re.match(r"[\d,]+ variants keep the limit, but do not publish them yet", first)
    assert then.strip().startswith("The figures below: NOT FOR PUBLICATION")
    public = run(*asked, "--reference", other).stdout.partition("\n")[0]
    assert "You may publish them and their list within this limit." in public
    assert json.loads(run(*asked, "--json").stdout)["verdict"] == first
    nothing = run(*asked[:2], "--prior", "0.5", "--posterior", "0.500001").stdout
    assert nothing.startswith("Not even one variant")


def test_a_release_warns_of_names_by_chance_and_an_attack_names_its_page(prefix, tmp_path):
    asked = ["release", prefix, "--top", "2", "--epsilon", "1", "--out", tmp_path / "out"]
    said = run(*asked).stdout
    assert "The list always has 2 variants" in said
    assert "`deniable gwas utility`" in said


@pytest.mark.parametrize(
    "typed",
    [
        ["--posterior", "0.75", "--prior", "0.5"],
        ["--prior", "0.5", "--posterior=0.75"],
        ["--prior=0.5", "--max-posterior", "0.75"],
        ["--max-posterior", "0.75", "--prior", "0.5", "0.5"],
        ["--max-posterior", "0.75", "--prior", "0.1", "0.5"],
    ],
)
def test_older_spellings_of_beliefs_mean_the_same_and_help_hides_them(typed):
    assert json.loads(run("safe", "--pool", "500", "--json", *typed).stdout)["variants"] == 119
    help_text = run("safe", "--help").stdout
    assert "--max-posterior" in help_text
    assert " --posterior" not in help_text


def test_progress_of_safe_goes_on_after_reading(tmp_path):
    study = tmp_path / "study"
    assert run("simulate", "--out", study, *SIMULATED, "3").exit_code == 0
    told: list[float] = []
    deniable.gwas.safe(study, posterior=0.75, prior=0.5, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert any(0.3 < each < 0.8 for each in told)
