#!/bin/bash
# What: JSON-stat gives each number by its place alone, in the order of the categories. pyjstat 2.4.0 writes the numbers
#   of a data frame in the order of its rows, and the categories in the order in which they appear. If the frame is
#   not sorted as its dimensions are, numbers go to other categories. Here four counts are sorted by sex and area, and
#   pyjstat, reading its own file, gives the men of the South the count of the women of the North. A dimension that
#   is named "a", "v" or any other piece of "value" is left out of the file.
# Hurt: anyone who sorts, filters or concatenates a table before it is exchanged, and whoever receives it.
# We: write no JSON-stat. Sort by all dimensions in turn, with every combination, before pyjstat writes.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyjstat==2.4.0 pandas==2.3.3
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import sys
from importlib.metadata import version

import pandas as pd
from pyjstat import pyjstat

print("pyjstat", version("pyjstat"), "pandas", version("pandas"))
people = pd.DataFrame(
    [("North", "men", 11), ("North", "women", 12), ("South", "men", 21), ("South", "women", 22)],
    columns=["area", "sex", "value"],
)


def back(data):
    """What pyjstat reads of what pyjstat writes, by area and sex."""
    text = pyjstat.Dataset.read(data).write()
    read = pyjstat.Dataset.read(text).write("dataframe")
    return {(area, sex): int(value) for area, sex, value in read[["area", "sex", "value"]].values}


true = {(area, sex): value for area, sex, value in people.values}
answers = {
    "as written": back(people),
    "sorted by sex, area": back(people.sort_values(["sex", "area"])),
    "shuffled": back(people.sample(frac=1, random_state=1)),
}
print("true:".ljust(22), true)
for name, answer in answers.items():
    print(f"{name}:".ljust(22), answer)
ids = json.loads(pyjstat.Dataset.read(people.rename(columns={"area": "a"})).write())["id"]
print("dimensions a and sex are written as", ids)
kept, by_sex, shuffled = answers.values()
swapped = by_sex["North", "women"] == 21 and by_sex["South", "men"] == 12
sys.exit(not (kept == true and swapped and shuffled != true and ids == ["sex"]))
PYTHON
