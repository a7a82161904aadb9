"""Printed tables in forms built to be misread: a count or an error that names its place."""

import random
import re

import pytest

from deniable.errors import DataError, InconsistentTables
from deniable.rules import judge
from tests.cases.printed_layouts import LAYOUTS, random_case
from tests.cases.refusals import refuses

SIZES = "region,age,size\nnorth,20,15\nnorth,40,2000\nsouth,20,12\nsouth,40,30\n"
GRID = "region,20,40\nnorth,c,{}\nsouth,0,11\n"
LONG = "region,age,n\nnorth,20,c\nnorth,40,{}\nsouth,20,0\nsouth,40,11\n"


def judged(folder, text, *, columns=("region", "age"), sizes=SIZES, total="none", marks=("c",)):
    for name, content in (("t", text), ("sizes", sizes)):
        (folder / f"{name}.csv").write_text(content, "utf-8")
    rules = {
        "table": [{"columns": list(columns), "total": total}],
        "sizes": {"file": str(folder / "sizes.csv")},
        "marks": {"hidden": list(marks)},
        "rule": {"steps": [{"hide": [1, 9]}]},
        "adversary": {"prior": [0.5, 0.5]},
    }
    answer = judge(rules, folder / "t.csv")
    return {each.cell.name: each.cell.published for each in answer.feasible}


@pytest.mark.parametrize("form", [GRID, LONG], ids=["grid", "long"])
@pytest.mark.parametrize(
    "text", ['"1,234"', "1 234", "1\u00a0234", "1\u202f234", "1'234", "1234.0", "1234 [r]"]
)
def test_thousands_are_thousands(form, text, tmp_path):
    assert judged(tmp_path, form.format(text))["north, 40"] == 1234


@pytest.mark.parametrize("form", [GRID, LONG], ids=["grid", "long"])
@pytest.mark.parametrize(
    "text",
    ["1.234", "12.5", '"12,5"', "1e3", "12%", "+12", "12*", "12?", "(12)", "\u221212", "½", "=1+2",
     '"1,23,456"', "1.234.567", "9" * 30, "12²", "12 of 30", "2024-01-31"],
)  # fmt: skip
def test_a_number_that_is_no_count_is_named_by_row_and_column_and_not_repeated(
    form, text, tmp_path
):
    """Nor is it offered as a mark: a declared "12*" would hide one count alone."""
    with pytest.raises(DataError) as error:
        judged(tmp_path, form.format(text))
    said = str(error.value)
    assert ("row 1 below the header, number 2" if form == GRID else "row 2 below") in said
    assert text.strip('"') not in said
    assert "[marks]" not in said


@pytest.mark.parametrize("form", [GRID, LONG], ids=["grid", "long"])
@pytest.mark.parametrize("text", ["Mary Smith", "JD", "suppressed", "inf", "=cmd"])
def test_a_text_that_may_be_about_a_person_is_not_repeated(form, text, tmp_path):
    with refuses(DataError, "row-below-header") as error:
        judged(tmp_path, form.format(text))
    assert text not in str(error.value)


WRONG = {
    "a number that is none": ("region,20\nZorn,1e3\n", {}),
    "an unknown label": ("region,age,n\nZorn,20,c\nZorn x,20,c\n", {}),
    "an unknown label across": ("region,20,Zorn y\nZorn,c,12\n", {}),
    "a row twice": ("region,age,n\nZorn,20,c\nZorn,20,c\n", {}),
    "a row left out": ("region,age,n\nZorn,20,c\n", {}),
    "a row too short": ("region,age,n\nZorn,20,c\nZorn,40\n", {}),
    "a percentage": ('region,20,40\nZorn,c,"12 (61%)"\nsouth,0,11\n', {}),
    "a size twice": ("region,age,n\nZorn,20,c\n", {"sizes": SIZES + "north,20,3\n"}),
    "no size": ("region,age,n\nZorn,20,c\n", {"sizes": SIZES + "north,60,x\n"}),
    "a total among sizes": ("region,age,n\nZorn,20,c\n", {"sizes": SIZES + "north,all,9\n"}),
    "a head that is none": (
        'Characteristic,"a, N = 25"\nZorn,\nregion,\nZorn,12\n',
        {"columns": ("region", "age")},
    ),
}


@pytest.mark.parametrize(("text", "options"), WRONG.values(), ids=WRONG)
def test_no_label_stands_in_an_error(text, options, tmp_path):
    sizes = options.pop("sizes", SIZES).replace("north", "Zorn")
    with pytest.raises(DataError) as error:
        judged(tmp_path, text, sizes=sizes, **options)
    assert "Zorn" not in str(error.value)
    assert re.search(r"row \d (below the header|of \[sizes\] file)", str(error.value))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (GRID.format(12) + "south,0,11\n", 'row 3 below the header, number 1'),
        ("region,20,20\nnorth,c,12\nsouth,0,11\n", 'row 1 below the header, number 2'),
        ("region,region,age,n\nnorth,a,20,c\n", 'column "region" once'),
        ("region,20,40,Total,All\nnorth,c,12,15,15\nsouth,0,11,11,11\n", "number 4"),
        ("freq,region\\age\t20\t40\nA,north\tc\t12\nA,south,x\t0\t11\n", "row 3"),
        ("freq,region\\age\t20\t40\nA,north\tc\t12\nB,north\tc\t12\n", '"freq"'),
        ("region | 20 40\n-----+-----\nnorth | c 12\nsouth | 0 11\n", "spaces"),
        ("region |  20  40 |\n-------+--------+\nnorth |   c 12  |\nsouth |   0  11 |\n", "spaces"),
    ],
    ids=["row", "column", "key column", "margin", "keys", "left-out key", "Stata", "Stata, moved"],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_refused(text, place, tmp_path):
    with pytest.raises(DataError) as error:
        judged(tmp_path, text, total="exact" if "Total" in text else "none")
    assert place in str(error.value)


@pytest.mark.parametrize(
    ("north", "total"),
    [("c,12,99", "exact"), ("c,12,13", "shown"), ("c,12,c", "shown"), ("c,12,c", "independent")],
)
def test_margins_that_do_not_add_up_are_named(north, total, tmp_path):
    text = f"region,20,40,Total\nnorth,{north}\nsouth,0,11,11\n"
    with refuses(InconsistentTables, "row-north-total"):
        judged(tmp_path, text, total=total)


def test_a_mark_in_an_exact_margin_says_nothing(tmp_path):
    cells = judged(tmp_path, "region,20,40,Total\nnorth,c,12,c\nsouth,0,11,11\n", total="exact")
    assert cells["north, total"] == "*"


BY_SEX = "region,age,sex,size\n" + "".join(
    f"{r},{a},{s},20\n" for r in ("north", "south") for a in ("20", "40") for s in "fm"
)


@pytest.mark.parametrize(
    "head",
    [",20,,40,\nregion,f,m,f,m\n", "age,20,,40,\nregion,f,m,f,m\n",
     "age,20,,40,\nsex,f,m,f,m\nregion,,,,\n", "Table 1,,,,\n,20,20,40,40\nregion,f,m,f,m\n"],
)  # fmt: skip
def test_merged_heads_name_all_their_columns(head, tmp_path):
    text = head + "north,10,11,12,13\nsouth,14,15,16,17\n"
    cells = judged(tmp_path, text, columns=("region", "age", "sex"), sizes=BY_SEX)
    assert cells["north, 20, m"] == 11
    assert cells["south, 40, f"] == 16


def test_stars_that_are_a_mark_stay_one(tmp_path):
    assert judged(tmp_path, GRID.replace("c", "**").format("**"), marks=("**",))["north, 40"] == "*"


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_damaged_cell_of_any_layout_is_an_error_or_another_count(name, tmp_path):
    show, options, _ = LAYOUTS[name]
    case = random_case(3, **options)
    text, draw = show(case), random.Random(name)
    (tmp_path / "sizes.csv").write_text(case.sizes_text(), "utf-8")
    rules = case.rules(str(tmp_path / "sizes.csv"))
    table, refused = tmp_path / "t.csv", 0
    for _ in range(40):
        place = draw.randrange(len(text))
        damage = draw.choice(["Zoë Q", "", "\t", "|", '"', "\\", "-7", "0.5", "\n", "☃", ","])
        table.write_text(text[:place] + damage + text[place + 1 :], "utf-8")
        try:
            judge(rules, table)
        except (DataError, InconsistentTables):
            refused += 1
    assert refused > 0
