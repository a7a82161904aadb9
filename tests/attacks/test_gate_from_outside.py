"""Folders that say more than what the gate judges: none passes without a person."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from deniable.airlock import gate

RULES = """
[rule]
steps = [{ hide = [1, 7] }, { round = 5 }]
[adversary]
prior = [0.5, 0.5]
"""
NAMED = '[[list]]\nname = "{}"\nsize = 40\n'
LISTS = (
    NAMED.format("a") + NAMED.format("b") + '[[table]]\nname = "t"\nlists = ["a", "b"]\n' + RULES
)
TABLE = "list,n\na,*\nb,20\n"
WARDS = '[[table]]\nname = "t"\ncolumns = ["ward"]\ncount = "n"\n[sizes]\nfile = "s.csv"\n' + RULES
SIZES = "ward,size\n1,40\n2,40\n3,40\n"
COUNTS = "ward,n\n1,15\n2,20\n3,*\n"


def verdict(folder, **files):
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_text(text, "utf-8")
    return gate(folder, max_posterior="0.95").verdict


def test_folders_without_more_pass(tmp_path):
    assert verdict(tmp_path, r_toml=LISTS, t_csv=TABLE) == "pass"
    assert verdict(tmp_path, r_toml=WARDS, s_csv=SIZES, t_csv=COUNTS) == "pass"


@pytest.mark.parametrize("true", [(1, 2, 3), (15, 20, 1), (3, 3, 3), (2, 2, 2), (1, 1, 2)])
def test_names_that_are_numbers_hide_no_counts_beside_them(tmp_path, true):
    """Wards 1 to 3: a column of true counts had no number that the table did not have anyway."""
    rows = zip(COUNTS.splitlines(), ("count", *true), strict=True)
    text = "".join(f"{row},{number}\n" for row, number in rows)
    assert verdict(tmp_path, r_toml=WARDS, s_csv=SIZES, t_csv=text) != "pass"


@pytest.mark.parametrize("head", ["3", "n of 2"])
def test_a_head_that_is_a_number_is_seen(tmp_path, head):
    rules = LISTS.replace('"a"', '"2"').replace('"b"', '"3"')
    assert verdict(tmp_path, r_toml=rules, t_csv="list,n\n2,*\n3,20\n") == "pass"
    assert verdict(tmp_path, r_toml=rules, t_csv=f"list,{head}\n2,*\n3,20\n") != "pass"


def test_a_table_that_is_not_here_may_be_elsewhere(tmp_path):
    """The rules say that a second one was made of the same lists; its total may be there."""
    more = LISTS.replace("[rule]", '[[table]]\nname = "u"\nlists = ["a"]\n[rule]', 1)
    assert verdict(tmp_path, r_toml=more, t_csv=TABLE) == "person"
    assert verdict(tmp_path, u_csv="list,n\na,*\n") == "pass"


@pytest.mark.parametrize(
    "text",
    [",list,n\n3,a,*\n20,b,20\n", "list,share,n\na,7 %,*\nb,50 %,20\n", "list,n,\na,*,3\nb,20,20\n",
     "list,n\na,*\nb,20\nb,19\n", "list,n\na,* (3)\nb,20\n", "list,n\na,*\nb,20 (48%)\n",
     "list,n\nAnn,*\nb,20\n", "list,Ann\na,*\nb,20\n", "Ann has it\nlist,n\na,*\nb,20\n",
     "list,n\na,*\nb,20\n\nAnn,3\n", "list,n\nA,*\nb,20\n"],
)  # fmt: skip
def test_no_table_passes_with_more_in_it(tmp_path, text):
    assert verdict(tmp_path, r_toml=LISTS, t_csv=text) != "pass"


@pytest.mark.parametrize(
    "adversary",
    ["sample = { n = 1, N = 1000 }", "prior = [0.1, 0.4]", "prior = [0.6, 0.9]", ""],
)
def test_somebody_who_is_half_sure_is_feared(tmp_path, adversary):
    rules = LISTS.replace("prior = [0.5, 0.5]", adversary)
    assert verdict(tmp_path, r_toml=rules, t_csv=TABLE) != "pass"


@contextmanager
def as_somebody_else():
    """Who may read everything is nobody for a while: root sees through closed files."""
    if (who := os.geteuid()) == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(who)


@pytest.mark.parametrize("closed", ["t.csv", "r.toml", "figure.png", "folder", "listed", "notes"])
def test_what_cannot_be_read_waits_for_a_person_and_the_rest_is_judged(closed):
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        place.chmod(0o755)
        for name, text in {"r.toml": LISTS, "t.csv": TABLE, "figure.png": "", "notes": "x"}.items():
            (place / name).write_text(text)
        for name in ("folder", "listed"):
            (place / name).mkdir()
            (place / name / "inside.csv").write_text("n\n1\n")
        before = {each.file: each for each in gate(place, max_posterior="0.95").files}
        (place / closed).chmod(0o444 if closed == "listed" else 0)
        with as_somebody_else():
            after = {each.file: each for each in gate(place, max_posterior="0.95").files}
        (place / closed).chmod(0o755)
    shut = {"folder": "folder", "listed": "listed/inside.csv"}.get(closed, closed)
    assert (after[shut].verdict == "person", after[shut].sha256) == (closed != "t.csv", None)
    assert after["figure.png"].verdict == after["notes"].verdict == "person"
    others = {name for name in before if not name.startswith(closed) and closed[0] not in "rt"}
    assert all(after[name] == before[name] for name in others)
