"""Folders that say more than what the gate judges: none passes without a person."""

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
