"""Command lines that users mistype: the exit status, one sentence, and the fix by its name."""

import os
import shlex
import subprocess
import sys

import pytest
import typer.main
from typer.testing import CliRunner

from deniable.cli.main import app
from tests.cases.wrong_inputs import folder_of_mistakes, names, taken_apart

LINES = [
    # the program and its commands
    ("explian --epsilon 1", 2, "explain"),
    ("exlpain", 2, "explain"),
    ("Explain --epsilon 1", 2, "explain"),
    ("calibrat --gamma 2", 2, "calibrate"),
    ("callibrate --gamma 2", 2, "calibrate"),
    ("calc --gamma 2", 2, "calibrate"),
    ("derrive pure-dp:1 zcdp", 2, "derive"),
    ("verfy flip.json", 2, "verify"),
    ("publish plan.toml", 2, "release"),
    ("run plan.toml", 2, "release"),
    ("validate certificate.json", 2, "check"),
    ("init visits.csv", 2, "new"),
    ("dry-run plan.toml", 2, "preview"),
    ("plans plan.toml", 2, "plan"),
    ("add pure-dp:1 pure-dp:1", 2, "compose"),
    ("popultion count", 2, "population"),
    ("genome scan study", 2, "gwas"),
    ("--vresion", 2, "--version"),
    ("--verbose", 2, "--help"),
    ("-x", 2, "--help"),
    ("help", 2, "--help"),
    ("version", 2, "--version"),
    ("nonsense", 2, "deniable --help"),
    ("population gausian --data x.csv", 2, "gaussian"),
    ("population normal --data x.csv", 2, "gaussian"),
    ("population discrete_laplace --data x.csv", 2, "discrete-laplace"),
    ("population counts", 2, "count"),
    ("gwas scann study", 2, "scan"),
    ("gwas publish study", 2, "release"),
    ("gwas simulation", 2, "simulate"),
    # explain
    ("explain", 2, "--epsilon"),
    ("explain 1", 2, "--epsilon"),
    ("explain --epsilon 1 0.5", 2, "0.5"),
    ("explain --epsilon", 2, "--epsilon"),
    ("explain --epsilon one", 2, "--epsilon", "number"),
    ("explain --epsilon 1,5", 2, "1.5"),
    ("explain --epsilon nan", 2, "--epsilon"),
    ("explain --epsilon inf", 2, "--epsilon"),
    ("explain --epsilon -1", 2, "--epsilon"),
    ("explain --epsilon ''", 2, "--epsilon"),
    ("explain --epsilon ' '", 2, "--epsilon"),
    ("explain --epsilon 1/2", 2, "0.5"),
    ("explain --epsilon ½", 2, "0.5"),
    ("explain --epsilon 50%", 2, "0.5"),
    ("explain --epsilon --delta 1e-6", 2, "--epsilon"),
    ("explain --epsilom 1", 2, "--epsilon"),
    ("explain --eps 1", 2, "--epsilon"),
    ("explain --Epsilon 1", 2, "--epsilon"),
    ("explain --epsilon 1 --epsilon 2", 2, "--epsilon", "once"),
    ("explain --epsilon=1 --gamma 2", 2, "calibrate"),
    ("explain --epsilon 1 --priors 0.1 0.2", 2, "--prior"),
    ("explain --epsilon 1 --prior 0.3", 2, "--prior", "two"),
    ("explain --epsilon 1 --prior 0.7 0.3", 2, "lower end first"),
    ("explain --epsilon 1 --prior 30 70", 2, "0.3", "--prior"),
    ("explain --epsilon 1 --prior 5 5", 2, "0.05"),
    ("explain --epsilon 1 --prior 30% 70%", 2, "0.3"),
    ("explain --epsilon 1 --prior 0.3 0.5 0.7", 2, "0.7"),
    ("explain --epsilon 1 --prior -0.1 0.5", 2, "--prior"),
    ("explain --epsilon 1 --prior 0,3 0,7", 2, "0.3"),
    ("explain --epsilon 1 --prior 0.3,0.7", 2, "--prior"),
    ("explain --epsilon 1 --prior low high", 2, "--prior"),
    ("explain --epsilon 1 --prior nan 0.5", 2, "--prior"),
    ("explain --epsilon 1 --prior '[0.3,' '0.7]'", 2, "--prior"),
    ("explain --epsilon 1 --adjacency replace", 2, "replace-one"),
    ("explain --epsilon 1 --adjacency add_remove", 2, "add-remove"),
    ("explain --epsilon 1 --adjacency bounded", 2, "replace-one"),
    ("explain --epsilon 1 --adjacency unbounded", 2, "add-remove"),
    ("explain --epsilon 1 --adjacency ''", 2, "--adjacency"),
    ("explain --epsilon 1 --delta 0", 2, "--delta"),
    ("explain --epsilon 1 --delta 1", 2, "--delta"),
    ("explain --epsilon 1 --delta -1e-6", 2, "--delta"),
    ("explain --epsilon 1 --delta 1e-", 2, "--delta"),
    ("explain --epsilon 1 --delta 10-6", 2, "--delta"),
    ("explain --epsilon 1 --delta 10^-6", 2, "1e-6"),
    ("explain --epsilon 1 --delta 1e-6 --exceedance 1e-7", 2, "--exceedance"),
    ("explain --epsilon 1 --exceedance 1e-4", 2, "--delta"),
    ("explain --epsilon 1 --level 0.9", 2, "--delta"),
    ("explain --epsilon 1 --delta 1e-6 --level 90", 2, "--level", "0.9"),
    ("explain --epsilon 1 --jsn", 2, "--json"),
    ("explain --epsilon 1 --json=yes", 2, "--json"),
    ("explain -e 1", 2, "--epsilon"),
    ("explain —epsilon 1", 2, "--epsilon"),
    ("explain --epsilon 1 extra words", 2, "extra"),
    # calibrate
    ("calibrate", 2, "--gamma"),
    ("calibrate --gama 2", 2, "--gamma"),
    ("calibrate --gamma 0.5", 2, "--gamma"),
    ("calibrate --gamma nan", 2, "--gamma"),
    ("calibrate --gamma inf", 2, "--gamma"),
    ("calibrate --gamma -2", 2, "--gamma"),
    ("calibrate --gamma two", 2, "--gamma", "number"),
    ("calibrate --gamma 1", 3, "--gamma"),
    ("calibrate --gamma 2 --advantage 0.1", 2, "--advantage", "--gamma"),
    ("calibrate --epsilon 1", 2, "explain"),
    ("calibrate --posterior 0.5", 2, "--max-posterior"),
    ("calibrate --max_posterior 0.5", 2, "--max-posterior"),
    ("calibrate --max-posterior 30 --prior 0.1 0.1", 2, "0.3", "--max-posterior"),
    ("calibrate --max-posterior 0.05 --prior 0.1 0.1", 3, "0.1"),
    ("calibrate --max-posterior 0.5", 3, "--prior"),
    ("calibrate --max-posterior 1.5 --prior 0 0.1", 2, "--max-posterior"),
    ("calibrate --attack-success 60", 2, "0.6"),
    ("calibrate --attack-success 0.4", 3, "0.5"),
    ("calibrate --attack-success 1", 2, "--attack-success"),
    ("calibrate --advantage 10", 2, "0.1"),
    ("calibrate --advantage 1.1", 2, "--advantage"),
    ("calibrate --advantage 0", 3, "--advantage"),
    ("calibrate --identifiability 0.3", 2, "--worlds"),
    ("calibrate --identifiability 30 --worlds 8", 2, "0.3"),
    ("calibrate --identifiability 0.3 --worlds 1", 2, "--worlds"),
    ("calibrate --identifiability 0.3 --worlds 8.5", 2, "--worlds", "whole"),
    ("calibrate --identifiability 0.1 --worlds 8", 3, "0.125"),
    ("calibrate --worlds 8", 2, "--identifiability"),
    ("calibrate --gamma 2 --worlds 8", 2, "--identifiability"),
    ("calibrate --gamma 2 --delta 5", 2, "--delta", "0.05"),
    ("calibrate --gamma 2 --delta nan", 2, "--delta"),
    ("calibrate --gamma 2 --adjacency substitute", 2, "replace-one"),
    ("calibrate --gamma 2 --adjacency 'add remove'", 2, "add-remove"),
    ("calibrate --gamma 2 --gamma 3", 2, "--gamma", "once"),
    ("calibrate gamma=2", 2, "--gamma"),
    ("calibrate gamma 2", 2, "--gamma"),
    # derive and compose
    ("derive", 2, "FROM"),
    ("derive pure-dp:1", 2, "TO"),
    ("derive pure-dp:1 zcdp approx-dp", 2, "compose"),
    ("derive puredp:1 zcdp", 2, "pure-dp"),
    ("derive pure_dp:1 zcdp", 2, "pure-dp"),
    ("derive PureDP:1 zcdp", 2, "pure-dp"),
    ("derive dp:1 zcdp", 2, "pure-dp"),
    ("derive epsilon-dp:1 zcdp", 2, "pure-dp"),
    ("derive pure-dp:1 zCDP", 2, "zcdp"),
    ("derive pure-dp:1 gdp", 2, "gaussian-dp"),
    ("derive gdp:1 zcdp", 2, "gaussian-dp"),
    ("derive approxdp:1,1e-6 zcdp", 2, "approx-dp"),
    ("derive adp:1,1e-6 zcdp", 2, "approx-dp"),
    ("derive pure-dp:1 pmp", 2, "positive-membership"),
    ("derive pure-dp:1 posterior", 2, "max-posterior"),
    ("derive pure-dp:1 attack_success", 2, "attack-success"),
    ("derive pure-dp zcdp", 2, "pure-dp:epsilon"),
    ("derive pure-dp: zcdp", 2, "epsilon"),
    ("derive pure-dp:one zcdp", 2, "pure-dp"),
    ("derive pure-dp:1,2 zcdp", 2, "pure-dp"),
    ("derive pure-dp=1 zcdp", 2, "pure-dp:1"),
    ("derive pure-dp 1 zcdp", 2, "pure-dp:1"),
    ("derive pure-dp:-1 zcdp", 2, "epsilon"),
    ("derive pure-dp:nan zcdp", 2, "epsilon"),
    ("derive approx-dp:1 zcdp", 2, "delta"),
    ("derive approx-dp:1,2 advantage", 2, "delta"),
    ("derive pure-dp:1@addremove zcdp", 2, "add-remove"),
    ("derive pure-dp:1@add_remove zcdp", 2, "add-remove"),
    ("derive pure-dp:1@ zcdp", 2, "add-remove"),
    ("derive nonsense:1 zcdp", 2, "--list"),
    ("derive pure-dp:1 nonsense", 2, "--list"),
    ("derive '' zcdp", 2, "--list"),
    ("derive advantage:0.1 zcdp", 3, "advantage"),
    ("derive identifiability:0.1 pure-dp", 2, "worlds"),
    ("derive pure-dp:1 positive-membership --prior 0.3", 2, "--prior"),
    ("derive pure-dp:1 positive-membership --prior 0.7 0.3", 2, "lower end first"),
    ("derive --lst", 2, "--list"),
    ("compose", 2, "SPEC"),
    ("compose puredp:1", 2, "pure-dp"),
    ("compose pure-dp:1 zCDP:0.1", 2, "zcdp"),
    ("compose pure-dp:1, pure-dp:1", 2, "pure-dp"),
    ("compose 1 0.5", 2, "pure-dp:1"),
    ("compose pure-dp", 2, "epsilon"),
    ("compose pure-dp:1 --exceedance 2", 2, "--exceedance"),
    ("compose pure-dp:1 --prior 2 3", 2, "--prior"),
    # verify
    ("verify", 2, "SPEC.json"),
    ("verify flip.json", 2, "--family"),
    ("verify flip.json --family", 2, "--family"),
    ("verify flip.json --family independant", 2, "independent"),
    ("verify flip.json --family Independent", 2, "independent"),
    ("verify flip.json --family bounded_prior", 2, "bounded-prior"),
    ("verify flip.json --family bounded-prior", 2, "--prior"),
    ("verify flip.json --family independent --prior 0.3 0.7", 2, "--prior"),
    ("verify flip.json --family sampling", 2, "--rate"),
    ("verify flip.json --family sampling --rate 10", 2, "--rate", "0.1"),
    ("verify flip.json --family table", 2, "--table"),
    ("verify flip.json --family table --table no.json", 2, "no.json"),
    ("verify flip.json --family table --table prior.json", 2, "sum to 1"),
    ("verify flip.json --family independent --table prior.json", 2, "--table"),
    ("verify nowhere.json --family independent", 2, "nowhere.json"),
    ("verify folder --family independent", 2, "folder"),
    ("verify empty.json --family independent", 2, "empty.json"),
    ("verify broken.json --family independent", 2, "broken.json"),
    ("verify list.json --family independent", 2, "list.json"),
    ("verify norows.json --family independent", 2, "rows"),
    ("verify sum.json --family independent", 2, "1"),
    # publishing
    ("plan", 2, "PLAN.toml"),
    ("plan nowhere.toml", 2, "deniable new"),
    ("plan folder", 2, "folder"),
    ("plan visits.csv", 2, "deniable new"),
    ("plan empty.toml", 2, "[data]"),
    ("plan plan.toml extra", 2, "extra"),
    ("plan --epsilon 1 plan.toml", 2, "--epsilon"),
    ("preview", 2, "PLAN.toml"),
    ("preview nowhere.toml", 2, "nowhere.toml"),
    ("preview plan.toml --memory-limit lots", 2, "1GB"),
    ("preview plan.toml --memory-limit -1GB", 2, "--memory-limit"),
    ("preview plan.toml --memory 1GB", 2, "--memory-limit"),
    ("release plan.toml", 2, "--out"),
    ("release --out new", 2, "PLAN.toml"),
    ("release plan.toml --out", 2, "--out"),
    ("release plan.toml --out full", 2, "full"),
    ("release plan.toml --out x.csv", 2, "x.csv"),
    ("release plan.toml --out deep/er/new", 2, "deep/er"),
    ("release plan.toml --output new", 2, "--out"),
    ("release plan.toml new", 2, "--out"),
    ("release nowhere.toml --out new", 2, "nowhere.toml"),
    ("release plan.toml --out new --seed 1", 2, "--seed"),
    ("new", 2, "SOURCE"),
    ("new nowhere.csv", 2, "nowhere.csv"),
    ("new folder", 2, "folder"),
    ("new empty.csv", 2, "empty.csv"),
    ("new bytes.csv", 2, "bytes.csv"),
    ("new '*.nothing'", 2, "*.nothing"),
    ("new visits.xlsx", 2, "visits.xlsx"),
    ("new ''", 2, ".csv"),
    ("check", 2, "CERTIFICATE.json"),
    ("check nowhere.json", 2, "nowhere.json"),
    ("check empty.json", 2, "empty.json"),
    ("check broken.json", 2, "broken.json"),
    # population
    ("population exponential --data x.csv", 2, "--size"),
    ("population exponential --data x.csv --candidates x.csv --size 3 --clip 10", 2, "--epsilon"),
    (
        "population exponential --data x.csv --candidates x.csv --size 3 --clip 10 --epsilon 1 "
        "--target 1",
        2,
        "--target",
    ),
    (
        "population exponential --data x.csv --candidates two.csv --size 3 --clip 10 --epsilon 1",
        2,
        "candidates",
    ),
    (
        "population exponential --data x.csv --candidates x.csv --size 3 --clip 10 --epsilon 1 "
        "--loss median",
        2,
        "geometric-median",
    ),
    (
        "population exponential --data x.csv --candidates x.csv --size 3 --clip 10 --epsilon 1 "
        "--method enumarate",
        2,
        "enumerate",
    ),
    ("population gaussian --data x.csv --size 3 --sigma 1", 2, "--delta"),
    ("population gaussian --data x.csv --size 3 --delta 0.01", 2, "--sigma"),
    ("population gaussian --data x.csv --size 3 --scale 1 --delta 0.01", 2, "--sigma"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --epsilon 1 --delta 0.01", 2, "--sigma"),
    ("population gaussian --data x.csv --size 3 --epsilon 1 --delta 0.01", 2, "--clip"),
    ("population gaussian --data x.csv --size 3 --sigma 0 --delta 0.01", 2, "--sigma"),
    ("population laplace --data x.csv --size 3 --scale 1e-200", 2, "--scale"),
    ("population count --ones 3 --population 6 --size 2 --scale 1e-200", 2, "--scale"),
    ("population discrete-laplace --data x.csv --size 3 --scale 1e200", 2, "--scale"),
    ("population gaussian --data x.csv --size 3 --sigma 1e-200 --delta 0.01", 2, "--sigma"),
    ("population gaussian --data x.csv --size 3 --sigma 1e200 --delta 0.01", 2, "--sigma"),
    ("population gaussian --data x.csv --size 3 --sigma 1e-10 --delta 0.01", 2, "--sigma"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 1", 2, "--delta"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0", 2, "--delta"),
    (
        "population gaussian --data two.csv --size 2 --sigma 1 --delta 0.1 --method fourier",
        2,
        "crowd",
    ),
    (
        "population gaussian --data x.csv --size 3 --sigma 1 --delta 0.1 --method furier",
        2,
        "fourier",
    ),
    ("population gaussian --data x.csv --size 6 --sigma 1 --delta 0.01", 2, "--size"),
    ("population gaussian --data x.csv --size 0 --sigma 1 --delta 0.01", 2, "--size"),
    ("population gaussian --data x.csv --size 2.5 --sigma 1 --delta 0.01", 2, "--size"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --query median", 2, "mean"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --query avg", 2, "mean"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --query total", 2, "sum"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --clip -1", 2, "--clip"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --records best", 2, "worst"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --confidence 95", 2, "0.95"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --gap 0", 2, "--gap"),
    ("population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --seed -1", 2, "--seed"),
    (
        "population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --workers 0",
        2,
        "--workers",
    ),
    (
        "population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --time-limit 0",
        2,
        "--time-limit",
    ),
    (
        "population gaussian --data x.csv --size 3 --sigma 1 --delta 0.01 --time-limit 1m",
        2,
        "--time-limit",
    ),
    ("population laplace --data x.csv --size 3", 2, "--scale"),
    ("population laplace --data x.csv --size 3 --scale -1", 2, "--scale"),
    ("population laplace --data x.csv --size 3 --sigma 1", 2, "--scale"),
    ("population laplace --data two.csv --size 2 --scale 1", 2, "one column"),
    ("population laplace --data nowhere.csv --size 2 --scale 1", 2, "nowhere.csv"),
    ("population laplace --data folder --size 2 --scale 1", 2, "folder"),
    ("population laplace --data empty.csv --size 2 --scale 1", 2, "empty.csv"),
    ("population laplace --data header.csv --size 1 --scale 1", 2, "header.csv", "header"),
    ("population laplace --data ragged.csv --size 1 --scale 1", 2, "ragged.csv"),
    ("population laplace --data bytes.csv --size 1 --scale 1", 2, "bytes.csv"),
    ("population laplace --data semicolons.csv --size 1 --scale 1", 2, "semicolons.csv", "commas"),
    ("population laplace --data x.csv --size 3 --scale 1 --target 1", 2, "--target"),
    ("population discrete-laplace --data parts.csv --size 2 --scale 1", 2, "laplace"),
    ("population discrete-laplace --data x.csv --size 2 --scale 1 --query mean", 2, "sum"),
    ("population discrete-gaussian --data x.csv --size 2 --sigma 1 --delta 0.1", 2, "--scale"),
    ("population count --ones 3 --population 6 --size 2", 2, "--scale"),
    ("population count --ones 7 --population 6 --size 2 --scale 1", 2, "--ones"),
    ("population count --ones 3 --population 6 --size 6 --scale 1", 2, "--size"),
    ("population count --ones 3 --population 1 --size 1 --scale 1", 2, "--population"),
    ("population count --ones -3 --population 6 --size 2 --scale 1", 2, "--ones"),
    ("population count --ones 3 --size 2 --scale 1", 2, "--population"),
    ("population count --population 6 --size 2 --scale 1", 2, "--ones"),
    ("population count --ones 6 --population 6 --size 2 --target 1", 2, "--target"),
    ("population count --ones 3 --population 6 --size 2 --scale 1 --delta 1", 2, "--delta"),
    ("population count --ones 3 --population 6 --size 2 --scale 1 --workers 0", 2, "--workers"),
    ("population count --ones 3 --population 6 --size 2 --scale 1 --seed -4", 2, "--seed"),
    ("population count --ones 3 --population 6 --size 2 --scale 1 --data x.csv", 2, "--data"),
    # gwas
    ("gwas scan", 2, "PREFIX"),
    ("gwas scan nowhere", 2, "nowhere.bed"),
    ("gwas scan nobim", 2, "--pheno"),
    ("gwas scan study --statistic chi2", 2, "allelic"),
    ("gwas scan study --missing majr", 2, "major"),
    ("gwas scan study --missing major --threshold 5", 2, "--threshold", "0.05"),
    ("gwas scan study --missing major --threshold bonferoni", 2, "bonferroni"),
    ("gwas scan study --missing major --pheno nowhere.txt", 2, "nowhere.txt"),
    ("gwas scan study --missing major --phenotype x.txt", 2, "--pheno"),
    ("gwas scan study --missing major --top -1", 2, "--top"),
    ("gwas scan study --missing major --plot x.png", 2, ".svg"),
    ("gwas release study --gamma 2 --out new", 2, "--top"),
    ("gwas release study --top 1 --gamma 2", 2, "--out"),
    ("gwas release study --top 1 --out new", 2, "--gamma"),
    ("gwas release study --top 1 --gamma 2 --epsilon 1 --out new", 2, "--epsilon"),
    (
        "gwas release study --top 1 --gamma 2 --missing major --adjacency genotypes --out new",
        2,
        "genotype",
    ),
    (
        "gwas release study --top 1 --gamma 2 --missing major --adjacency replace-one --out new",
        2,
        "genotype",
    ),
    ("gwas release study --top 1 --gamma 2 --missing major --score chi2 --out new", 2, "allelic"),
    ("gwas release study --top 9 --gamma 2 --missing major --out new", 2, "--top"),
    ("gwas release study --top 0 --gamma 2 --missing major --out new", 2, "--top"),
    ("gwas release study --top 1 --gamma 2 --missing major --prior 30 70 --out new", 2, "0.3"),
    ("gwas release study --top 1 --gamma 2 --missing major --out full", 2, "full"),
    ("gwas utility study --top 1 --gamma 2 --missing major --trials 0", 2, "--trials"),
    ("gwas utility study --top 1 --epsilon -1 --missing major", 2, "--epsilon"),
    ("gwas utility study --top 1 --epsilon 1 --missing major --seed -1", 2, "--seed"),
    ("gwas attack study", 2, "--reference"),
    ("gwas attack study --reference nowhere", 2, "nowhere.bed"),
    ("gwas attack study --reference study --fpr 5", 2, "--fpr", "0.05"),
    ("gwas attack study --reference study --prune 2", 2, "--prune"),
    ("gwas simulate --out new --individuals 10 --cases 5 --variants 10 --causal 1", 2, "--seed"),
    (
        "gwas simulate --out new --individuals 10 --cases 11 --variants 10 --causal 1 --seed 1",
        2,
        "--cases",
    ),
    (
        "gwas simulate --out new --individuals 10 --cases 5 --variants 10 --causal 11 --seed 1",
        2,
        "--causal",
    ),
    (
        "gwas simulate --out new --individuals 10 --cases 5 --variants 0 --causal 1 --seed 1",
        2,
        "--variants",
    ),
    (
        "gwas simulate --out deep/er --individuals 10 --cases 5 --variants 10 --causal 1 --seed 1",
        2,
        "deep",
    ),
]

ROWS = [(line, status, fix) for line, status, *fix in LINES]
IDS = [line for line, *_ in LINES]


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """One folder for all: nothing here may write."""
    place = tmp_path_factory.mktemp("mistakes")
    folder_of_mistakes(place)
    before = os.getcwd()
    os.chdir(place)
    there = files(place)
    yield place
    assert files(place) == there
    os.chdir(before)


def files(place):
    return {path: path.stat().st_mtime_ns for path in sorted(place.rglob("*"))}


@pytest.mark.parametrize(("line", "status", "fix"), ROWS, ids=IDS)
def test_a_mistake_is_answered_by_one_sentence_that_names_the_fix(line, status, fix):
    found = CliRunner().invoke(app, shlex.split(line))
    said = taken_apart(found.stderr)
    assert (found.exit_code, found.stdout) == (status, "")
    assert [word for word in fix if not names(said, word)] == [], said


@pytest.mark.parametrize(("line", "status", "fix"), ROWS[::60], ids=IDS[::60])
def test_and_so_it_is_in_a_process(line, status, fix, folder):
    words = [sys.executable, "-m", "deniable", *shlex.split(line)]
    found = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    said = taken_apart(found.stderr)
    assert (found.returncode, found.stdout) == (status, "")
    assert all(names(said, word) for word in fix)


def test_there_are_as_many_as_were_tried():
    assert len({line for line, *_ in LINES}) == len(LINES) >= 180


def test_every_command_and_every_option_is_mistaken_once():
    mistaken = " ".join(line for line, *_ in LINES).split()
    commands = [typer.main.get_command(app)]
    for command in commands:
        commands += getattr(command, "commands", {}).values()
    assert {command.name for command in commands[1:]} - set(mistaken) == set()
