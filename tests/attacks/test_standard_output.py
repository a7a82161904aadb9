"""Every command where standard output is an ASCII terminal, a full disk or a pipe that is closed.

What was published is published: a command that has written its files ends with 0 and says so,
whether or not its answer can be printed.
"""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deniable.cli import main
from tests.cases.effort import one_in, usual
from tests.cases.ledger_places import charge_by_hand
from tests.cases.processes import FORKS
from tests.cases.programs import find
from tests.cases.release_case import write_case
from tests.cases.signed_release import make_key, needs_ssh_keygen
from tests.test_shape import COMMANDS

STUDY = ["--individuals", "40", "--cases", "20", "--variants", "12", "--causal", "1"]
CHARGE = "5f0c21aa" * 4
DATA = ["--data", "column.csv", "--size", "2"]
TRAINING = ["--sample-rate", "0.1", "--steps", "9", "--noise-multiplier", "2"]
LISTED = ["--members", "9", "--prior", "0.5", "0.5"]
RULES = """
list = [{name = "wörd", size = 9}]
table = [{lists = ["wörd"]}]
rule = {preset = "opensafely"}
adversary = {prior = [0.4, 0.5]}
target = {max_posterior = 0.95}
"""
WORDS = {
    "explain": ["--epsilon", "1"],
    "calibrate": ["--gamma", "2"],
    "derive": ["pure-dp:1", "positive-membership"],
    "compose": ["pure-dp:1@add-remove", "pure-dp:1@add-remove"],
    "risk": ["pure-dp:1"],
    "verify": ["one.json", "--family", "bounded"],
    "explore": ["visits.toml", "--out", "päge.html"],
    "plan": ["visits.toml"],
    "preview": ["visits.toml"],
    "release": ["visits.toml", "--out", "öut"],
    "new": ["visits.parquet"],
    "check": ["good/certificate.json"],
    "sign": ["unsigned", "--key", "key"],
    "dossier": ["good", "--for", "nist", "--out", "päge.html"],
    "schema": ["plan"],
    "ledger new": ["öut.ledger", "--dataset", "visits", "--gamma", "2"],
    "ledger show": ["hospital.ledger", "--html", "päge.html"],
    "ledger cost": ["hospital.ledger", "visits.toml"],
    "ledger void": ["hospital.ledger", CHARGE, "--because", "the wrong täble"],
    "ledger export": ["hospital.ledger"],
    "ledger check": ["hospital.ledger"],
    "rules design": ["--preset", "cms", *LISTED],
    "rules judge": ["rules.toml", "lists.csv", "--page", "päge.html"],
    "rules compare": ["cms", "opensafely", *LISTED],
    "rules repair": ["rules.toml"],
    "gwas scan": ["study", "--out", "scän.tsv", "--plot", "plöt.svg"],
    "gwas release": ["study", "--top", "1", "--gamma", "2", "--out", "öut"],
    "gwas frequencies": ["study", "--all-variants", "--epsilon", "90", "--out", "öut"],
    "gwas utility": ["study", "--top", "1", "--gamma", "2", "--trials", "9"],
    "gwas attack": ["study", "--reference", "other"],
    "gwas safe": ["--pool", "500", "--posterior", "0.75", "--prior", "0.5"],
    "gwas simulate": ["--out", "mäde", *STUDY, "--seed", "3"],
    "population exponential": [
        *("--data", "column.csv", "--size", "2", "--candidates", "column.csv"),
        *("--clip", "3", "--epsilon", "1"),
    ],
    "population gaussian": [*DATA, "--sigma", "1", "--delta", "0.05"],
    "population laplace": [*DATA, "--scale", "1", "--checkpoint", "kept"],
    "population discrete-laplace": ["--query", "sum", *DATA, "--scale", "1"],
    "population discrete-gaussian": ["--query", "sum", *DATA, "--scale", "1", "--delta", "0.1"],
    "audit": ["tests.cases.audited:fit", "--data", "people.csv", "--label", "söld", "--runs", "40"],
    "training calibrate": [*TRAINING[:4], "--delta", "1e-5", "--advantage", "0.2"],
    "training explain": [*TRAINING, "--delta", "1e-5"],
    "training certify": [*TRAINING, "--delta", "1e-5", "--out", "öut"],
    "population count": ["--ones", "2", "--population", "5", "--size", "2", "--scale", "1"],
}
"""A command's arguments on the files of `folder`; a new command has its line here."""

WRITTEN = {
    "explore": ["päge.html"],
    "release": ["öut/certificate.json", "öut/report.html", "öut/results.csv"],
    "gwas release": ["öut/certificate.json", "öut/report.html", "öut/results.csv"],
    "gwas frequencies": ["öut/certificate.json", "öut/report.html", "öut/results.csv"],
    "sign": ["unsigned/certificate.json.sig"],
    "dossier": ["päge.html"],
    "ledger new": ["öut.ledger"],
    "rules judge": ["päge.html"],
    "ledger show": ["päge.html"],
    "ledger void": ["hospital.ledger"],
    "training certify": ["öut/certificate.json", "öut/report.html"],
    "gwas scan": ["scän.tsv", "plöt.svg"],
    "gwas simulate": ["mäde.bed", "mäde.bim", "mäde.fam"],
}


def act(words, folder, kind):
    """The program in a fresh process, with such a standard output."""
    os.chdir(folder)
    os.dup2(os.open("stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    match kind:
        case "full":
            os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
        case "closed":
            read, write = os.pipe()
            os.close(read)
            os.dup2(write, 1)
        case _:
            os.dup2(os.open("stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="ascii")
    sys.argv = ["deniable", *words]
    main()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    np.savetxt(folder / "column.csv", [0, 1, 1, 3, 6, 2], fmt="%d")
    rows = {"": [0.25, 0.75], "a": [0.75, 0.25]}
    people = ["x,söld", *(f"{i},{i % 2}" for i in range(20))]
    (folder / "people.csv").write_text("\n".join(people), encoding="utf-8")
    (folder / "rules.toml").write_text(RULES, "utf-8")
    (folder / "lists.csv").write_text("list,published\nwörd,10\n", "utf-8")
    one = {"universe": ["a"], "outputs": ["0", "1"], "rows": rows}
    (folder / "one.json").write_text(json.dumps(one))
    plan = write_case(folder, target="epsilon = 900")  # of which there is nothing to advise
    plan.write_text(plan.read_text(encoding="utf-8").replace("median age", "mediän"), "utf-8")
    for prefix, seed in (("study", "1"), ("other", "2")):
        assert program(["gwas", "simulate", "--out", prefix, *STUDY, "--seed", seed], folder) == 0
    assert program(["release", "visits.toml", "--out", "good"], folder) == 0
    shutil.copytree(folder / "good", folder / "unsigned")
    if find("ssh-keygen"):
        make_key(folder / "key")
    budget = ["--dataset", "visits", "--epsilon", "1000"]
    assert program(["ledger", "new", "hospital.ledger", *budget, "--entity", "person"], folder) == 0
    charge_by_hand(folder / "hospital.ledger", CHARGE)
    return folder


def program(words, folder, kind="file") -> int:
    process = FORKS.Process(target=act, args=(words, folder, kind))
    process.start()
    process.join()
    return process.exitcode


@pytest.fixture
def folder(files, tmp_path, request):
    if request.node.name.endswith("[sign]"):
        needs_ssh_keygen()
    for path in files.iterdir():
        if path.suffix == ".ledger":  # which a command writes
            shutil.copyfile(path, tmp_path / path.name)
        elif path.name == "unsigned":
            shutil.copytree(path, tmp_path / path.name)
        else:
            (tmp_path / path.name).symlink_to(path)
    for name in ("stdout", "stderr"):
        (tmp_path / name).unlink(missing_ok=True)
    return tmp_path


def told(folder: Path) -> str:
    return faults((folder / "stderr").read_text(encoding="utf-8"))


def faults(said: str) -> str:
    """What a program said on its standard error; a warning of large removal is no fault."""
    lines = said.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("For you only"))


def test_every_command_is_here():
    assert WORDS.keys() == COMMANDS.keys()


# Of commands that write no file a part: what they do with their answer is the same.
READ = [*WRITTEN, *one_in(4, [word for word in WORDS if word not in WRITTEN])]


@pytest.mark.parametrize("word", READ)
def test_json_is_utf8_on_an_ascii_terminal(word, folder):
    assert program([*word.split(), *WORDS[word], "--json"], folder, "ascii") == 0, told(folder)
    shown = (folder / "stdout").read_text(encoding="utf-8")
    answer = json.loads(shown, parse_constant=pytest.fail)
    if word.endswith("release"):
        assert answer["out"] == "öut"
    assert told(folder) == ""
    assert all((folder / name).stat().st_size for name in WRITTEN.get(word, ()))


@pytest.mark.parametrize("word", [*(word for word in WORDS if word not in READ), *one_in(3, READ)])
def test_words_are_shown_on_an_ascii_terminal(word, folder):
    assert program([*word.split(), *WORDS[word]], folder, "ascii") == 0, told(folder)
    assert (folder / "stdout").stat().st_size
    assert told(folder) == ""


@pytest.mark.parametrize("word", one_in(2, READ))
def test_where_the_answer_cannot_be_printed_what_is_written_stands(word, folder):
    status = program([*word.split(), *WORDS[word], "--json"], folder, "full")
    last = "The answer could not be printed: No space left on device."
    sentences = told(folder)
    assert sentences.count("\n") == 1
    assert last in sentences
    if word in WRITTEN:
        assert status == 0
        assert sentences.startswith("Written to ")
        assert all((folder / name).stat().st_size for name in WRITTEN[word])
    else:
        assert status == 2
        assert sentences.startswith(last)


@pytest.mark.parametrize("word", one_in(2, READ, 1))
def test_a_reader_that_has_gone_is_no_error(word, folder):
    status = program([*word.split(), *WORDS[word]], folder, "closed")
    assert (status, told(folder)) == (0, "")
    assert all((folder / name).stat().st_size for name in WRITTEN.get(word, ()))


@pytest.mark.parametrize("kind", ["ascii", "full", "closed"])
def test_a_certificate_that_does_not_hold_is_never_passed(kind, folder):
    document = json.loads((folder / "good/certificate.json").read_text(encoding="utf-8"))
    document["guarantee"]["gamma"] = 1.5
    (folder / "forged.json").write_text(json.dumps(document))
    assert program(["check", "forged.json"], folder, kind) == 2


@pytest.mark.parametrize("kind", ["full", "closed"])
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["gwas", "scan", "--help"]], ids=str)
def test_help_and_version(words, kind, folder):
    assert program(words, folder, kind) == (2 if kind == "full" else 0)
    assert told(folder).count("\n") == (kind == "full")


@pytest.mark.parametrize("encoding", [*usual([], ["latin-1"]), "ascii"])
def test_a_plan_in_a_real_process_with_another_encoding(folder, encoding):
    """The forked ones only play the terminal; here Python itself chooses the encoding."""
    found = subprocess.run(
        [sys.executable, "-m", "deniable", "plan", "visits.toml", "--json"],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert (found.returncode, faults(found.stderr.decode(encoding))) == (0, "")
    assert "mediän" in [
        each["name"] for each in json.loads(found.stdout.decode("utf-8"))["queries"]
    ]


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_a_device_is_never_replaced_by_a_file(device, folder):
    """The device is a link here, so that a failure of this test harms nothing."""
    (folder / "device").symlink_to(device)
    assert program(["gwas", "scan", "study", "--out", "device"], folder) == 2
    assert (folder / "device").is_symlink()
    assert told(folder).startswith("Expected a file in an existing folder")
