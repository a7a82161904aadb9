"""Tables as programs print them: layouts, margins, marks, and what is refused."""

import math

import pandas as pd
import polars as pl
import pytest

from deniable.errors import DataError, InconsistentTables
from deniable.rules import judge
from tests.cases.effort import usual
from tests.cases.long_tables import wrong_statements
from tests.cases.refusals import refuses

SIZES = "region,age,size\nnorth,20,15\nnorth,40,20\nsouth,20,12\nsouth,40,30\n"
COUNTS = {"north, 20": "*", "north, 40": 12, "south, 20": 0, "south, 40": 11}

R_LONG = (
    '"","region","age","Freq"\n"1","north","20",c\n"2","south","20",0\n"3","north","40",12\n'
    '"4","south","40",11\n'
)
STATA = "region,20,40,Total\nnorth,c,12,12\nsouth,0,11,11\nTotal,0,23,23\n"
PANDAS = "region,20,40,All\nnorth,c,12,12\nsouth,0,11,11\nAll,0,23,23\n"
R_WIDE = '"","20","40","Sum"\n"north","c",12,12\n"south",0,11,11\n"Sum",0,23,23\n'
GERMAN = "region;20;40;Gesamt\nnorth;c;12;12\nsouth;0;11;11\nGesamt;0;23;23\n"
ONS = "Table 1: People\nregion,age,Count\nnorth,20,c\nnorth,40,12\nsouth,20,0\nsouth,40,11\n"
SDMX = (
    "freq,age,region,OBS_VALUE,OBS_FLAG\nA,20,north,c,\nA,40,north,12,\nA,20,south,0,b\n"
    "A,40,south,11,\n"
)
PERCENT = 'region,20,40\nnorth,c,"12 (60%)"\nsouth,0 (0%),11 (37%)\n'


def rules(tmp_path, total="none", columns=("region", "age"), **marks):
    sizes = tmp_path / "population.csv"
    sizes.write_text(SIZES, "utf-8")
    return {
        "table": [{"columns": list(columns), "total": total}],
        "sizes": {"file": str(sizes)},
        "marks": marks or {"hidden": ["c"]},
        "rule": {"steps": [{"hide": [1, 9]}]},
        "adversary": {"prior": [0.5, 0.5]},
    }


def judged(tmp_path, text, **options):
    table = tmp_path / "t.csv"
    table.write_text(text, "utf-8")
    return judge(rules(tmp_path, **options), table)


def inner(answer):
    return {e.cell.name: e.cell.published for e in answer.feasible if not e.cell.is_total}


@pytest.mark.parametrize(
    ("text", "total"),
    [(R_LONG, "none"), (STATA, "shown"), (PANDAS, "shown"), (R_WIDE, "shown"), (GERMAN, "shown"),
     (ONS, "none"), (SDMX, "none"), (PERCENT, "none")],
    ids=["R data frame", "Stata", "pandas", "R table", "semicolons", "ONS", "SDMX", "percent"],
)  # fmt: skip
def test_layouts_are_read_without_a_script(tmp_path, text, total):
    answer = judged(tmp_path, text, total=total)
    assert inner(answer) == COUNTS
    assert len(answer.read_as) == 1


def test_columns_that_are_not_read_are_named(tmp_path):
    assert "not read: freq, OBS_FLAG" in judged(tmp_path, SDMX).read_as[0]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_data_frames_are_read(tmp_path, library):
    columns = {"region": ["north", "north", "south", "south"], "age": ["20", "40"] * 2}
    frame = library({**columns, "n": ["c", "12", "0", "11"]})
    assert inner(judge(rules(tmp_path), frame)) == COUNTS


def test_verdicts_equal_enumeration(tmp_path):
    assert [
        line for seed in range(usual(100, 300)) for line in wrong_statements(seed, tmp_path)
    ] == []


LONG = "region,age,n\nnorth,20,c\nnorth,40,12\nsouth,20,0\nsouth,40,11\n"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (LONG.replace("20,c", "20,[z]"), "unpublished-z"),
        (LONG.replace("south,20,0\n", ""), "out-mean-absent-zero-hidden"),
        (LONG.replace("south,20", "east,20"), "add-size"),
        (LONG + "Insgesammt,40,23\n", "add-size"),
        (LONG + "south,40,11\n", "each-cell-once-one"),
        (LONG + "Total,40,23\n", "total-how-it-was-made"),
    ],
    ids=["mark", "list without a count", "count without a list", "margin", "repeated", "total"],
)
def test_wrong_tables_are_refused_with_the_remedy(tmp_path, text, remedy):
    with refuses(DataError, remedy):
        judged(tmp_path, text)


def test_totals_that_disagree_with_their_cells_are_refused(tmp_path):
    with pytest.raises(InconsistentTables):
        judged(tmp_path, LONG + "Total,40,22\n", total="exact")


def test_a_mark_that_contradicts_the_rule_is_refused(tmp_path):
    with refuses(DataError, "hides-up"):
        judged(tmp_path, LONG.replace("20,c", "20,<8"), hidden=["<8"])


def test_stacked_variables_give_hidden_cells_away(tmp_path):
    # As gtsummary prints them: "N" of a column less the cells that are shown is the hidden one.
    table = tmp_path / "t.csv"
    table.write_text(
        'Characteristic,"drug, N = 25","control, N = 20"\nregion,,\nnorth,12 (48%),17 (85%)\n'
        'south,13 (52%),<5\n"age, n (%)",,\n20,12 (48%),<5\n40,13 (52%),17 (85%)\n',
        "utf-8",
    )
    sizes = pd.DataFrame({
        "region": ["north", "north", "south", "south"], "age": ["20", "40"] * 2,
        "arm": ["drug", "control", "control", "drug"], "size": [15, 20, 12, 30],
    })  # fmt: skip
    stacked = rules(
        tmp_path, "exact", ("region", "age", "arm"), hidden=["<5"], absent="unpublished"
    )
    answer = judge(
        stacked | {"sizes": {"file": sizes}, "rule": {"steps": [{"hide": [1, 4]}]}}, table
    )
    bounds = {e.cell.name: (e.interval.lower, e.interval.upper) for e in answer.feasible}
    assert bounds["south, control"] == bounds["20, control"] == (3, 3)


def test_heads_of_several_rows_are_read(tmp_path):
    # As pandas writes a frame whose columns have several levels.
    text = "diagnosis,flu,flu\nage,20,40\nregion,,\nnorth,c,12\nsouth,0,11\n"
    answer = judged(tmp_path, text, columns=("region", "age", "diagnosis"))
    assert inner(answer) == {f"{name}, flu": mark for name, mark in COUNTS.items()}


def test_each_table_may_have_a_hidden_mark_of_its_own(tmp_path):
    """A list of marks is for several tables: each mark hides a cell, and means the same."""
    asked = rules(tmp_path, columns=("region", "arm"), hidden=["<10", "*", "c"])
    (tmp_path / "population.csv").write_text("region,size\nnorth,15\nsouth,20\n", "utf-8")
    asked["table"] *= 2
    beliefs = []
    for marks in (("<10", "*"), ("c", "c")):
        places = [tmp_path / f"{number}.csv" for number in range(2)]
        for place, mark, arm in zip(places, marks, ("drug", "placebo"), strict=True):
            place.write_text(f"region,arm,n\nnorth,{arm},{mark}\nsouth,{arm},12\n", "utf-8")
        beliefs.append(judge(asked, *places).as_json()["worst"])
    assert beliefs[0] == beliefs[1]


def test_two_hidden_marks_in_one_table_reveal_more_than_one(tmp_path):
    """Who reads that "<5" is hidden by the rule, and "*" beside it, knows more of both counts."""
    counts, hides = [(a, 8 - a) for a in range(9)], range(1, 5)
    one = [b for a, b in counts if a in hides or b in hides]
    two = [b for a, b in counts if a in hides and b not in hides]
    # Each way has the same chance per person: binomials of 10 and 10 people, given their sum.
    share = [
        sum(b * math.comb(10, 8 - b) * math.comb(10, b) for b in each)
        / sum(10 * math.comb(10, 8 - b) * math.comb(10, b) for b in each)
        for each in (one, two)
    ]
    assert share[1] > 0.5 > share[0]
    asked = rules(tmp_path, "exact", ("region",), hidden=["<5", "*"])
    (tmp_path / "population.csv").write_text("region,size\na,10\nb,10\n", "utf-8")
    asked["table"][0]["secondary"] = True
    asked["rule"]["steps"] = [{"hide": [1, 4]}]
    table = tmp_path / "t.csv"
    table.write_text("region,n\na,*\nb,*\nTotal,8\n", "utf-8")
    assert judge(asked, table).worst.highest.upper < share[1]
    table.write_text("region,n\na,<5\nb,*\nTotal,8\n", "utf-8")
    with refuses(DataError, "publish-one"):
        judge(asked, table)
