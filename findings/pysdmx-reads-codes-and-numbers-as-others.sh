#!/bin/sh
# pysdmx: reading SDMX-CSV changes codes and numbers.
#
# What: the reader of SDMX-CSV 2.0 in pysdmx 1.21.0 lets pandas guess the type of each column. A
#   dimension whose codes are digits loses its leading zeros, so that areas 01 and 1 become one, and a
#   code 1e3 next to digits becomes 1000.0. With one code such as _T in the column, all codes stay. With
#   pandas 2 the last digit of a measure can be wrong: what pysdmx itself has written,
#   31.079666434342673, comes back as 31.079666434342677. pandas 3 reads the digits right.
# Who is hurt: anyone who exchanges tables by area, age or product code, adds up a dimension, or
#   compares what was received with what was sent.
# What Deniable does: deniable check reads an exported file by fields as texts. The how-to tells readers
#   to read codes as texts.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet "pysdmx[data]==1.21.0" "pandas==2.3.3"
"$work/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

import pysdmx.io

print("pysdmx", version("pysdmx"), "pandas", version("pandas"))
HEADER = "STRUCTURE,STRUCTURE_ID,ACTION,AREA,OBS_VALUE\n"
LINE = "datastructure,X:Y(1.0),I,{},{}\n"


def read(*rows):
    text = HEADER + "".join(LINE.format(*row) for row in rows)
    (dataset,) = pysdmx.io.get_datasets(text)
    return dataset.data["AREA"].tolist(), dataset.data["OBS_VALUE"].tolist()


digits, _ = read(("01", 5), ("1", 7))
numbers, _ = read(("01", 5), ("1e3", 7))
texts, _ = read(("01", 5), ("1", 7), ("_T", 12))
_, values = read(("_T", "31.079666434342673"))
print("codes 01 and 1 are read as", digits)
print("codes 01 and 1e3 are read as", numbers)
print("codes 01, 1 and _T are read as", texts)
print("31.079666434342673 is read as", values[0])
as_seen = (
    digits == ["1", "1"]
    and numbers == ["1.0", "1000.0"]
    and texts == ["01", "1", "_T"]
    and values == ["31.079666434342677"]
)
sys.exit(0 if as_seen else 1)
PYTHON
