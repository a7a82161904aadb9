"""Grids as pandas, R and spreadsheets write them: margins under other names, several labels."""

import itertools
import random

import pandas as pd
import pytest

from deniable.errors import DataError
from deniable.rules import judge
from tests.cases.refusals import refuses

NAMES = ("All", "Total", "total", "Sum", "Gesamt", "SUMME", "Grand Total", "Gesamtergebnis")


def people(seed, rows, columns):
    draw = random.Random(seed)
    pairs = list(itertools.product(rows, columns))
    return [pair for pair in pairs for _ in range(draw.randint(1, 9))]


def rules(names, total="exact"):
    return {
        "list": [{"name": name, "size": 30} for name in names],
        "table": [{"lists": list(names), "total": total}],
        "rule": {"steps": [{"hide": [1, 3]}]},
        "adversary": {"prior": [0.2, 0.2]},
    }


def hidden(frame, margins):
    """Counts of 1 to 3 hidden, margins aside."""
    return frame.astype(object).apply(
        lambda row: [
            "*" if 1 <= count <= 3 and row.name not in margins and column not in margins else count
            for column, count in row.items()
        ],
        axis=1,
        result_type="broadcast",
    )


@pytest.mark.parametrize(
    ("name", "separator", "seed"),
    [(name, separator, seed) for seed, name in enumerate(NAMES) for separator in ",;\t"],
)
def test_a_crosstab_with_margins_is_read(tmp_path, name, separator, seed):
    given = people(seed, "ab", ["x1", "x2", "x3"])
    frame = pd.DataFrame(given, columns=["r", "c"])
    table = hidden(pd.crosstab(frame.r, frame.c, margins=True, margins_name=name), {name})
    file = tmp_path / "g.csv"
    file.write_text(table.to_csv(sep=separator), encoding="utf-8")
    cells = [f"{r}{c}" for r in "ab" for c in ("x1", "x2", "x3")]
    answer = judge(rules(cells), file)
    plain = tmp_path / "plain.csv"
    plain.write_text(table.rename(index={name: "total"}, columns={name: "total"}).to_csv())
    assert answer.as_json()["feasible"] == [
        {**each, "table": "g"} for each in judge(rules(cells), plain).as_json()["feasible"]
    ]
    assert sum(each.cell.is_total for each in answer.feasible) == 2 + 3 + 1
    totals = {each.cell.name: each.cell.published for each in answer.feasible if each.cell.is_total}
    assert totals["total"] == len(given)
    assert totals["total of a"] == sum(r == "a" for r, _ in given)


@pytest.mark.parametrize("name", NAMES[:4])
def test_margins_of_rows_or_of_columns_alone(tmp_path, name):
    both = pd.DataFrame({"x": [10, 11, 21], "y": [12, 13, 25], name: [22, 24, 46]})
    both.index = pd.Index(["a", "b", name], name="row")
    cells = ["ax", "ay", "bx", "by"]
    for table in (both.drop(columns=name), both.drop(index=name)):
        file = tmp_path / "g.csv"
        file.write_text(table.to_csv())
        answer = judge(rules(cells), file)
        assert sum(each.cell.is_total for each in answer.feasible) == 2


def test_two_variables_in_the_rows_and_in_the_columns(tmp_path):
    given = people(3, itertools.product("fm", "oy"), "xz")
    frame = pd.DataFrame([(s, a, x) for (s, a), x in given], columns=["sex", "age", "x"])
    long = tmp_path / "long.csv"
    long.write_text(pd.crosstab([frame.sex, frame.age], frame.x, margins=True).to_csv())
    wide = tmp_path / "wide.csv"
    wide.write_text(pd.crosstab(frame.x, [frame.sex, frame.age], margins=True).to_csv())
    cells = [f"{s}{a}{x}" for s in "fm" for a in "oy" for x in "xz"]
    turned = [f"{s}{a}{x}" for x in "xz" for s in "fm" for a in "oy"]
    counts = {f"{s}{a}{x}": sum(each == ((s, a), x) for each in given)
              for s in "fm" for a in "oy" for x in "xz"}  # fmt: skip
    asked = rules(cells) | {"rule": {"steps": [{"round": 1}]}}
    for file, order in ((long, cells), (wide, turned)):
        asked["table"] = [{"lists": order, "total": "exact"}]
        answer = judge(asked, file)
        published = {e.cell.name: e.cell.published for e in answer.feasible if not e.cell.is_total}
        assert published == counts
        assert answer.feasible[-1].cell.published == len(given)


def test_a_list_called_all_is_a_list(tmp_path):
    """Only what no list is called is a margin, in rows, in a grid and without a [[table]]."""
    file = tmp_path / "t.csv"
    file.write_text("group,count\nAll,9\nSum,12\n")
    asked = rules(["All", "Sum"], "none")
    assert [each.cell.is_total for each in judge(asked, file).feasible] == [False, False]
    del asked["table"]
    assert [each.cell.is_total for each in judge(asked, file).feasible] == [False, False]
    grid = tmp_path / "g.csv"
    grid.write_text("who,All,some\nx,4,5\ny,6,7\n")
    answer = judge(rules(["xA", "xs", "yA", "ys"], "none"), grid)
    assert [each.cell.published for each in answer.feasible] == [4, 5, 6, 7]


@pytest.mark.parametrize("name", NAMES)
def test_a_total_below_a_column_of_counts(tmp_path, name):
    file = tmp_path / "t.csv"
    file.write_text(f"group,count\na,9\nb,12\n{name},21\n")
    answer = judge(rules(["a", "b"]), file)
    assert [each.cell.is_total for each in answer.feasible] == [False, False, True]
    assert judge(rules(["a", "b"]), {"a": 9, "b": 12, name: 21}).feasible[2].cell.is_total


def test_margins_that_have_no_known_name_are_asked_for(tmp_path):
    file = tmp_path / "g.csv"
    file.write_text("who,x,y,Altogether\na,4,5,9\nb,6,7,13\n")
    with refuses(DataError, "as-many-cells-as-table"):
        judge(rules(["ax", "ay", "bx", "by"]), file)
