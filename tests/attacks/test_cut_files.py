"""Studies and tables cut at every byte near their end, or with bytes behind it: nothing is silent.

What cannot be known is listed here and in the pages: text that ends with a whole line, or within
the last value of one, and bytes behind the records of a .pgen file.
"""

import csv
import io

import numpy as np
import pytest

from deniable import preview
from deniable.errors import DeniableError
from deniable.gwas.files import count_study
from tests.cases.effort import one_in, some_pairs
from tests.cases.study_formats import installed, listed, write_study

PEOPLE, VARIANTS = 23, 6
NEAR = 130
"""Bytes: the last line of each text, and some of the one before it."""
LAST = dict.fromkeys(installed(), 25) | {"vcz": 1}
"""Bytes before each of which a file is cut; of those before them some."""
BEHIND = {"zero": b"\0", "line": b"\n", "tab": b"\t", "word": b"x", "words": b"x\tx\nx\n"}


def drawn():
    calls = np.random.default_rng(3).integers(-1, 3, (VARIANTS, PEOPLE)).astype(np.int8)
    calls[-1, -1] = 1
    return calls


def counted(path, status):
    """What a study counts, or nothing where it is refused."""
    try:
        study = count_study(path, phenotype=status, missing="leave")
    except DeniableError:
        return None
    counts = study.counts.cases.tolist(), study.counts.controls.tolist()
    return study.variants.identifier.tolist(), *counts


def written(folder, form):
    cases = [place % 2 == 0 for place in range(PEOPLE)]
    return write_study(folder / "s", form, listed("1", VARIANTS), drawn(), cases)


def of_study(folder):
    """Its files; an index is nobody's genotypes, and a phenotype file a list of its own."""
    every = sorted(file for file in folder.rglob("*") if file.is_file())
    return [file for file in every if file.suffix not in (".status", ".bgi")]


def lacks_a_value(whole, kept):
    """Whether text ends with a line, whose end may be missing, or within the last word of one."""
    return (
        whole[kept - 1 : kept] == b"\n"
        or b"\n" in whole[kept : kept + 1]
        or not any(each in b" \t\n" for each in whole[kept - 1 : -1])
    )


@pytest.mark.parametrize("form", installed())
def test_a_cut_study_is_refused_or_says_nothing_of_the_cut(tmp_path, form):
    path, status = written(tmp_path, form)
    expected = counted(path, status)
    assert expected is not None
    for number, file in enumerate(of_study(tmp_path)):
        whole = file.read_bytes()
        text = file.suffix in (".vcf", ".fam", ".bim", ".psam", ".pvar")
        near = range(max(len(whole) - NEAR, 0), len(whole))
        # A Zarr store has dozens of files. Each file is cut before its last bytes, and elsewhere.
        for kept in {*one_in(25 if form == "vcz" else 3, near, number), *near[-LAST[form] :]}:
            file.write_bytes(whole[:kept])
            if text and lacks_a_value(whole, kept):
                continue
            assert counted(path, status) is None, (file.name, kept, len(whole))
        file.write_bytes(whole)


@pytest.mark.parametrize("form", installed())
def test_bytes_behind_a_study_change_no_count(tmp_path, form):
    path, status = written(tmp_path, form)
    expected = counted(path, status)
    for number, file in enumerate(of_study(tmp_path)):
        whole = file.read_bytes()
        behind = [*(BEHIND | {"twice": whole}).items()]
        for name, more in one_in(3, behind, number) if form == "vcz" else behind:
            file.write_bytes(whole + more)
            assert counted(path, status) in (None, expected), (file.name, name)
            if file.suffix in (".bed", ".bgen"):
                assert counted(path, status) is None, (file.name, name)
        file.write_bytes(whole)


PLAN = {
    "data": {"adjacency": "add-remove"},
    "target": {"epsilon": 1},
    "query": [
        {"name": "s", "statistic": "sum", "column": "v", "bounds": [0, 100]},
        {"name": "n", "statistic": "count", "group_by": ["g"], "keys": {"g": ["a", "b"]}},
    ],
}


@pytest.mark.parametrize(("mark", "end"), some_pairs([",", "\t"], ["\n", "\r\n"]))
def test_a_table_cut_before_its_last_value_is_refused(tmp_path, mark, end):
    text = io.StringIO()
    rows = [["id", "g", "v"], [1, "a", 10], [2, "b", 20], [3, "a", 35]]
    csv.writer(text, delimiter=mark, lineterminator=end).writerows(rows)
    whole, path = text.getvalue().encode(), tmp_path / "t.csv"
    last = whole.rstrip().rindex(end.encode()) + len(end)
    for kept in range(last, len(whole) + 1):
        path.write_bytes(whole[:kept])
        source = {"source": str(path), "csv": {"delimiter": mark}}
        plan = {**PLAN, "data": {**PLAN["data"], **source}}
        known = kept == last or whole[last:kept].count(mark.encode()) == 2
        if known:
            preview(plan)
            continue
        with pytest.raises(DeniableError):
            preview(plan)
