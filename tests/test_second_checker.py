"""A second checker, written from the reference pages alone, says the same as Deniable's."""

import ast
import copy
import json
import shutil
import sys
from pathlib import Path

import pytest

import deniable
from second_checker.__main__ import examine, main
from second_checker.schemas import is_number, leaves
from tests.compare_checkers import GOLDEN, NAMES, compare, get, put, sealed

FOLDER = Path(__file__).resolve().parents[1] / "second_checker"
UNTOLD = ("members", "study", "frequencies", "training")
"""Of these it says that it does not check everything on which the claims rest."""


def golden(name):
    return json.loads((GOLDEN / name / "certificate.json").read_bytes())


@pytest.mark.parametrize("name", sorted({*NAMES, *UNTOLD}))
def test_golden_releases_are_verified_or_it_says_what_it_does_not_check(name, capsys):
    status = main([str(GOLDEN / name)])
    *lines, verdict = capsys.readouterr().out.splitlines()
    assert verdict == ("cannot tell" if name in UNTOLD else "verified")
    assert status == (2 if name in UNTOLD else 0)
    assert not any(line.startswith("refused") for line in lines)
    assert any(line.startswith("on trust: /created") for line in lines)
    assert any(line.startswith("cannot tell without") for line in lines) == (name in UNTOLD)


def test_it_imports_nothing_of_the_package_and_is_short():
    sources = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.rglob("*.py"))]
    assert sum(source.count("\n") for source in sources) <= 1500
    imported = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                imported |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"flint"}
    assert not {"importlib", "subprocess", "runpy"} & imported


def test_changed_certificates_get_the_same_verdict_of_both():
    verdicts, differences = compare(300, 2026, [].append)
    assert differences == []
    assert verdicts["refused", "refused"] > 150
    assert verdicts["verified", "verified"] > 10


def test_a_changed_file_is_refused(tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(GOLDEN / "plan", folder)
    assert main([str(folder)]) == 0
    report = folder / "report.html"
    report.write_bytes(report.read_bytes() + b" ")
    assert main([str(folder)]) == 2


@pytest.mark.parametrize("key", ["epsilon", "scale", "half_width_95"])
def test_less_noise_than_is_paid_for_is_refused_to_the_last_digit(key):
    certificate = golden("plan")
    part = certificate["queries"][0]["parts"][0]
    part[key] *= (1 + 2**-40) if key == "epsilon" else (1 - 2**-40)
    assert examine(sealed(certificate)).verdict == "refused"


@pytest.mark.parametrize("name", NAMES)
def test_huge_numbers_get_a_verdict_of_both(name, tmp_path):
    document = golden(name)
    numbers = {get(document, leaf) for leaf in leaves(document) if is_number(get(document, leaf))}
    for number in sorted(numbers)[::4]:
        new = copy.deepcopy(document)
        for leaf in leaves(document):
            if is_number(get(document, leaf)) and get(document, leaf) == number:
                put(new, leaf, 1e300)
        path = tmp_path / "certificate.json"
        path.write_bytes(sealed(new))
        try:
            holds = deniable.check(path).holds
        except deniable.errors.DeniableError:
            holds = False
        assert examine(path.read_bytes()).verdict != ("refused" if holds else "verified")
