"""What the catalogue calls machine-checked is stated and proved in proofs/, with nothing left open.

Coq itself runs with `make proofs`, here only where all cases are wanted and it is installed.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deniable.theorems.catalogue import CATALOGUE, catalogue
from proofs.check import ALLOWED, axioms, files, left_open, without_comments
from tests.cases.effort import THOROUGH

FOLDER = Path(__file__).resolve().parents[1] / "proofs"
CHECKED = sorted({name for each in CATALOGUE for name in each.checked})
PAGE = FOLDER.parent / "docs" / "explanation" / "what-is-machine-checked.md"


def statements(text: str) -> set[str]:
    return set(re.findall(r"^(?:Theorem|Lemma) (\w+)", without_comments(text), re.MULTILINE))


def with_axioms_listed(text: str) -> set[str]:
    """The names of which a file prints what they rest on, by themselves or in one list."""
    text = without_comments(text)
    alone = set(re.findall(r"^Print Assumptions (\w+)\.", text, re.MULTILINE))
    for name, body in re.findall(r"^Definition (\w+) := \(([^)]*)\)\.", text, re.MULTILINE):
        if name in alone:
            alone |= set(re.findall(r"\w+", body))
    return alone


@pytest.mark.parametrize("name", CHECKED)
def test_what_is_named_is_stated_and_its_axioms_are_listed(name):
    file, _, statement = name.partition(":")
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert FOLDER / file in files()
    assert statement in statements(text)
    assert statement in with_axioms_listed(text)


def test_a_statement_of_the_catalogue_is_named_like_a_function():
    """Then a reader finds one by the other."""
    functions = {each.name for each in CATALOGUE} | {"pure_dp_to_min_posterior"}
    named = {name.partition(":")[2] for name in CHECKED}
    text = (FOLDER / "catalogue.v").read_text(encoding="utf-8")
    for statement in with_axioms_listed(text) - {"catalogue"}:
        stem = re.sub("_(add_remove|replace_one)$", "", statement)
        assert stem in functions or statement in named | {"pure_dp_to_advantage"}


def test_every_file_is_compiled():
    assert sorted(files()) == sorted(FOLDER.glob("*.v"))


@pytest.mark.parametrize("file", files(), ids=lambda file: file.name)
def test_nothing_is_left_open(file):
    text = file.read_text(encoding="utf-8")
    assert left_open(text) == []
    depth = 0
    for line in without_comments(text).splitlines():
        depth += line.startswith("Section ") - line.startswith("End ")
        if re.match(r"\s*(Variable|Hypothes[ie]s|Context|Let)", line):
            assert depth > 0, f"{line!r} outside a section is an axiom"
    assert depth == 0
    # Each proof that is begun is ended; all on one line counts as both.
    assert len(re.findall(r"\bProof\b", text)) == len(re.findall(r"\b(Qed|Defined)\.", text))


@pytest.mark.parametrize(
    "text",
    [
        "Lemma l : False.\nProof. Admitted.",
        "Axiom a : False.",
        "Parameters (x y : nat).",
        "Proof. admit. Qed.",
        "(* (* *) *) Conjecture c : 1 = 2.",
        "Unset Guard Checking.",
    ],
)
def test_what_leaves_a_proof_out_is_seen(text):
    assert left_open(text)


def test_a_comment_leaves_nothing_open():
    assert left_open("(* Admitted, (* Axiom *) admit *) Lemma admitted : True.") == []


def test_an_axiom_of_our_own_is_seen():
    printed = (
        "Closed under the global context\nAxioms:\nours : False\n"
        "boolp.propositional_extensionality : forall P Q : Prop, P <-> Q -> P = Q\n"
        "boolp.constructive_indefinite_description\n  : forall (A : Type), A\n"
    )
    assert axioms(printed) - ALLOWED == {"ours"}
    assert len(axioms(printed)) == 3


def test_the_catalogue_says_which():
    rows = {row.name: row for row in catalogue()}
    assert rows["pure_dp_to_max_posterior"].checked.startswith("catalogue.v:")
    assert rows["pure_dp_to_max_posterior"].line.endswith("[machine-checked]")
    assert rows["discrete_gaussian_to_gaussian_dp"].checked == ""
    assert "machine-checked" not in rows["discrete_gaussian_to_gaussian_dp"].line


def test_the_page_names_statements_that_exist():
    text = PAGE.read_text(encoding="utf-8")
    pairs = re.findall(r"`(\w+\.v)`:`(\w+)`", text)
    assert len(pairs) > 10
    for file, statement in pairs:
        assert statement in statements((FOLDER / file).read_text(encoding="utf-8")), statement


@pytest.mark.skipif(
    not THOROUGH or shutil.which("coqc") is None, reason="needs DENIABLE_THOROUGH=1 and coqc"
)
def test_coq_agrees():
    run = subprocess.run(
        ["make", "proofs"], cwd=FOLDER.parent, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(" holds (") == len(files())
