"""Every command of the program on small files, as somebody types it."""

import io
import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np

from deniable.cli import main
from tests.cases.ledger_places import charge_by_hand
from tests.cases.processes import FORKS
from tests.cases.programs import find
from tests.cases.release_case import write_case
from tests.cases.signed_release import make_key

STUDY = ["--individuals", "40", "--cases", "20", "--variants", "12", "--causal", "1"]
CHARGE = "5f0c21aa" * 4
DATA = ["--data", "column.csv", "--size", "2"]
TRAINING = ["--sample-rate", "0.1", "--steps", "9", "--noise-multiplier", "2"]
LISTED = ["--members", "9", "--prior", "0.5", "0.5"]
CURVE = """
[data]
source = "people.csv"
types = { x = "integer", "söld" = "integer" }
[target]
epsilon = 900
[[query]]
name = "still wäiting"
statistic = "survival"
time = "x"
event = { column = "söld", is = 1 }
grid = { step = 5, horizon = 15 }
"""
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
    "export": ["curves", "--to", "survfit", "--out", "cürve.csv"],
    "ledger new": ["öut.ledger", "--dataset", "visits", "--gamma", "2"],
    "ledger show": ["hospital.ledger", "--html", "päge.html"],
    "ledger cost": ["hospital.ledger", "visits.toml"],
    "ledger void": ["hospital.ledger", CHARGE, "--because", "the wrong täble"],
    "ledger export": ["hospital.ledger"],
    "ledger check": ["hospital.ledger"],
    "gate": ["good", "--max-posterior", "1", "--person", "person", "--page", "päge.html"],
    "rules design": ["--preset", "cms", *LISTED],
    "rules judge": ["rules.toml", "lists.csv", "--page", "päge.html"],
    "rules compare": ["cms", "opensafely", *LISTED],
    "rules repair": ["rules.toml"],
    "rules book new": ["öut.book"],
    "rules book add": [
        *("wards.book", "rules.toml", "lists.csv", "--name", "2025", "--published", "2025-03-01"),
    ],
    "rules book show": ["wards.book"],
    "rules book check": ["wards.book"],
    "gwas scan": ["study", "--out", "scän.tsv", "--plot", "plöt.svg"],
    "gwas release": ["study", "--top", "1", "--gamma", "2", "--out", "öut"],
    "gwas frequencies": ["study", "--all-variants", "--epsilon", "90", "--out", "öut"],
    "gwas utility": ["study", "--top", "1", "--gamma", "2", "--trials", "9"],
    "gwas attack": ["study", "--reference", "other"],
    "gwas safe": ["--pool", "500", "--prior", "0.5", "0.5", "--max-posterior", "0.75"],
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
    "training compare": [
        "--noise-multiplier",
        "2",
        "--steps-per-epoch",
        "8",
        "--epochs",
        "1",
        "--delta",
        "1e-5",
    ],
    "training certify": [*TRAINING, "--delta", "1e-5", "--out", "öut"],
    "population count": ["--ones", "2", "--population", "5", "--size", "2", "--scale", "1"],
}
"""A command's arguments on the files of `folder`; a new command has its line here."""

ENDLESS = {"serve", "studio"}
"""Commands that go on until they are stopped, which have tests of their own."""

WRITTEN = {
    "explore": ["päge.html"],
    "release": ["öut/certificate.json", "öut/report.html", "öut/results.csv"],
    "gwas release": ["öut/certificate.json", "öut/report.html", "öut/results.csv"],
    "gwas frequencies": ["öut/certificate.json", "öut/report.html", "öut/results.csv"],
    "sign": ["unsigned/certificate.json.sig"],
    "dossier": ["päge.html"],
    "export": ["cürve.csv"],
    "ledger new": ["öut.ledger"],
    "gate": ["päge.html"],
    "rules judge": ["päge.html"],
    "rules book new": ["öut.book"],
    "rules book add": ["wards.book"],
    "ledger show": ["päge.html"],
    "ledger void": ["hospital.ledger"],
    "training certify": ["öut/certificate.json", "öut/report.html"],
    "gwas scan": ["scän.tsv", "plöt.svg"],
    "gwas simulate": ["mäde.bed", "mäde.bim", "mäde.fam"],
}


def _act(words, folder, kind):
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


def run(words, folder, kind="file") -> int:
    """The exit status of a line in a folder; its output is the file `stdout` there."""
    process = FORKS.Process(target=_act, args=(words, folder, kind))
    process.start()
    process.join()
    return process.exitcode


def write_files(folder: Path) -> Path:
    """Write what `WORDS` name into a folder."""
    np.savetxt(folder / "column.csv", [0, 1, 1, 3, 6, 2], fmt="%d")
    rows = {"": [0.25, 0.75], "a": [0.75, 0.25]}
    people = ["x,söld", *(f"{i},{i % 2}" for i in range(20))]
    (folder / "people.csv").write_text("\n".join(people), encoding="utf-8")
    (folder / "rules.toml").write_text(RULES, "utf-8")
    (folder / "lists.csv").write_text("list,published\nwörd,10\n", "utf-8")
    assert run(["rules", "book", "new", "wards.book"], folder) == 0
    one = {"universe": ["a"], "outputs": ["0", "1"], "rows": rows}
    (folder / "one.json").write_text(json.dumps(one))
    plan = write_case(folder, target="epsilon = 900")  # of which there is nothing to advise
    plan.write_text(plan.read_text(encoding="utf-8").replace("median age", "mediän"), "utf-8")
    for prefix, seed in (("study", "1"), ("other", "2")):
        assert run(["gwas", "simulate", "--out", prefix, *STUDY, "--seed", seed], folder) == 0
    assert run(["release", "visits.toml", "--out", "good"], folder) == 0
    (folder / "curve.toml").write_text(CURVE, "utf-8")
    assert run(["release", "curve.toml", "--out", "curves"], folder) == 0
    shutil.copytree(folder / "good", folder / "unsigned")
    if find("ssh-keygen"):
        make_key(folder / "key")
    budget = ["--dataset", "visits", "--epsilon", "1000"]
    assert run(["ledger", "new", "hospital.ledger", *budget, "--entity", "person"], folder) == 0
    charge_by_hand(folder / "hospital.ledger", CHARGE)
    return folder


def link_files(files: Path, folder: Path) -> Path:
    """Put them into a folder of a test's own; what a command changes is copied."""
    for path in files.iterdir():
        if path.suffix in (".ledger", ".book"):  # which a command writes
            shutil.copyfile(path, folder / path.name)
        elif path.name == "unsigned":
            shutil.copytree(path, folder / path.name)
        else:
            (folder / path.name).symlink_to(path)
    for name in ("stdout", "stderr"):
        (folder / name).unlink(missing_ok=True)
    return folder
