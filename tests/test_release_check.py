"""`make release-check` holds for the tree, and sees a tree in which two places disagree."""

import json
import shutil
from pathlib import Path

import pytest

from distribution import release_check
from distribution.inventory import bill_of_materials, pinned
from distribution.man_pages import man_pages

ROOT = Path(__file__).resolve().parents[1]
READ = (
    ".github", ".zenodo.json", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE",
    "Makefile", "README.md", "codemeta.json", "distribution", "examples", "hatch_build.py", "paper",
    "pyproject.toml", "requirements.lock", "docs/reference/bibliography.md",
    "src/deniable/__init__.py",
)  # fmt: skip
"""What the checks look at, but for the wheel's."""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A copy of what is looked at, and looked at instead."""
    for name in READ:
        source, to = ROOT / name, tmp_path / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, to)
    monkeypatch.setattr("distribution.descriptions.ROOT", tmp_path)
    monkeypatch.setattr(release_check, "ROOT", tmp_path)
    return tmp_path


def test_the_tree_could_be_released(capsys):
    status = release_check.main([])
    output = capsys.readouterr().out
    assert (status, output.count("ok  "), "failed" in output) == (0, 8, False), output


FAULTS = [
    ("versions_agree", "CITATION.cff", "version: 0.1.0", "version: 0.1.1"),
    ("pythons_agree", "README.md", "Python 3.11 to 3.14", "Python 3.11 to 3.15"),
    ("pythons_agree", ".github/workflows/tests.yml", '["3.12", "3.13", "3.14"]', '["3.12"]'),
    ("pythons_agree", "pyproject.toml", ">=3.11,<3.15", ">=3.11,<3.16"),
    ("descriptions_are_current", "pyproject.toml", '"scipy>=1.14"', '"scipy>=1.15"'),
    ("descriptions_are_current", "CITATION.cff", "disclosure control", "cookery"),
    ("descriptions_are_current", "pyproject.toml", 'repository = ""', 'repository = "https://x.example"'),
    ("inventory_is_whole", "requirements.lock", "scipy==", "scipi=="),
    ("inventory_is_whole", "requirements.lock", "--hash=sha256:0", "--hash=md5:0"),
    ("workflows_can_be_read", ".github/workflows/publish.yml", "id-token:", "packages:"),
    ("workflows_can_be_read", ".github/workflows/tests.yml", "make release-check", "make release"),
    ("workflows_can_be_read", "distribution/Containerfile", "COPY src", "COPY source"),
    ("paper_keeps_its_form", "paper/paper.md", "[@li-2013]", "[@nobody]"),
    ("paper_keeps_its_form", "paper/paper.md", "# Quality", "# Quality\n" + "word " * 400),
]  # fmt: skip


@pytest.mark.parametrize(("check", "path", "before", "after"), FAULTS)
def test_a_tree_in_which_two_places_disagree_is_seen(tree, capsys, check, path, before, after):
    text = (tree / path).read_text(encoding="utf-8")
    assert before in text
    (tree / path).write_text(text.replace(before, after), encoding="utf-8")
    assert release_check.main([check]) == 1
    assert capsys.readouterr().out.split()[:2] == ["failed", f"{check}:"]


def test_the_inventory_names_each_pinned_package_with_all_its_digests():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    components = bill_of_materials(lock)["components"]
    assert len(components) == sum("==" in line for line in lock.splitlines())
    digests = [each["value"] for component in components for each in component["properties"]]
    assert len(digests) == lock.count("--hash=sha256:")
    assert all(digest in lock for digest in digests)
    assert json.dumps(bill_of_materials(lock)) == json.dumps(bill_of_materials(lock))
    assert {name for name, _, _ in pinned(lock)} >= {"numpy", "opendp"}


def test_each_option_of_help_stands_on_a_man_page():
    pages = man_pages()
    assert "\\-\\-prior LOW HIGH" in pages["deniable-explain"]
    assert "deniable\\-ledger\\-show" in pages["deniable-ledger"]
    assert len(pages) == len(set(pages))
