"""Tables in the layouts of ten programs are judged without a script, as enumeration judges them."""

import shutil
import subprocess

import pandas as pd
import pytest

from deniable.rules import judge
from tests.cases.effort import usual
from tests.cases.printed_layouts import LAYOUTS, THREE, VALUES, differences, random_case


def judged(case, source, folder, **table):
    sizes = folder / "sizes.csv"
    sizes.write_text(case.sizes_text(), "utf-8")
    return judge(case.rules(str(sizes), **table), source)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_printed_table_is_judged_as_by_enumeration(name, tmp_path):
    show, options, keys = LAYOUTS[name]
    for seed in range(usual(2 if options.get("large") else 4, 30)):
        case = random_case(seed, **options)
        table = tmp_path / "t.csv"
        table.write_text(show(case), "utf-8")
        answer = judged(case, table, tmp_path)
        assert differences(case, keys(case), answer) == [], show(case)


def people(case):
    """A row a counted person, as a program gets them."""
    rows = [group for group, n in case.counts.items() for _ in range(n)]
    return pd.DataFrame(rows, columns=list(case.columns))


def every_value_is_counted(seed, **options):
    """A case in whose counted people every value of a column occurs, so that programs list it."""
    while True:
        case = random_case(seed, **options)
        if all(set(people(case)[name]) == set(VALUES[name]) for name in case.columns):
            return case
        seed += 1000


def masked(table):
    return table.astype(str).mask((table > 0) & (table < 3), "c")


def test_tables_that_pandas_makes_are_judged_as_by_enumeration(tmp_path):
    """As a file and as the frame itself; `dropna=False` keeps what has nobody."""
    for seed in range(3):
        case = every_value_is_counted(seed, columns=THREE)
        rows = people(case)
        values = [rows[name] for name in case.columns]
        levels = pd.crosstab(values[0], values[1:], margins=True, dropna=False)
        keys = [key for key in case.printed() if (key[1] is None) == (key[2] is None)]
        text = masked(levels).to_csv()
        path = tmp_path / "t.csv"
        path.write_text(text, "utf-8")
        for source in (path, masked(levels)):
            assert differences(case, keys, judged(case, source, tmp_path)) == [], text
        case = every_value_is_counted(seed)
        rows = people(case)
        table = masked(pd.crosstab(rows.region, rows.age, margins=True))
        assert differences(case, case.printed(), judged(case, table, tmp_path)) == []


IN_R = """
d <- read.csv("people.csv", colClasses = "character")
mask <- function(t) { t[t > 0 & t < 3] <- "c"; t }
t <- addmargins(table(region = d$region, age = d$age))
write.csv(mask(t), "table.csv")
write.csv(as.data.frame(mask(t), responseName = "Freq"), "long.csv")
"""
FLAT_IN_R = """
d <- read.csv("people.csv", colClasses = "character")
f <- ftable(addmargins(table(d[, c("region", "age", "sex")])), row.vars = ROWS)
f[f > 0 & f < 3] <- "c"
write.table(format(f, quote = FALSE), "flat.csv", sep = ",", row.names = FALSE, col.names = FALSE)
write.ftable(f, "written.csv", sep = ",", quote = TRUE)
"""


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
@pytest.mark.parametrize(
    ("program", "columns"),
    [(IN_R, ("region", "age")), (FLAT_IN_R.replace("ROWS", "1:2"), THREE),
     (FLAT_IN_R.replace("ROWS", "1"), THREE)],
    ids=["table", "ftable with two names down", "ftable with two names across"],
)  # fmt: skip
def test_tables_that_r_makes_are_judged_as_by_enumeration(program, columns, tmp_path):
    case = every_value_is_counted(1, columns=columns)
    people(case).to_csv(tmp_path / "people.csv", index=False)
    subprocess.run(["Rscript", "-e", program], cwd=tmp_path, check=True, capture_output=True)
    made = sorted(path for path in tmp_path.glob("*.csv") if path.stem != "people")
    assert len(made) == 2
    for path in made:
        answer = judged(case, path, tmp_path)
        assert differences(case, case.printed(), answer) == [], path.read_text("utf-8")
        (tmp_path / "sizes.csv").unlink()
