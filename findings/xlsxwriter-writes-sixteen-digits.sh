#!/bin/sh
# XlsxWriter: a number comes back as another, and a text that looks like two escapes too.
#
# What: XlsxWriter 3.3.1 writes numbers with 16 digits, and a double needs 17. 0.1 + 0.2 is stored as
#   0.3, and a quarter of 10,000 random numbers come back as others. Excel itself stores 17 digits. A text
#   such as _x005F_x0041_ is escaped once, where two escapes overlap, and every reader shows _x005FA.
# Who is hurt: anyone who compares a workbook with the table that it was made from, or joins on a number.
# What Deniable does: deniable export passes numbers that format themselves with all digits, and refuses
#   texts that would come back as others. deniable check --export compares every cell.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet xlsxwriter==3.3.1 python-calamine==0.9.1
"$work/venv/bin/python" - <<'PYTHON'
import io
import random
import sys
from importlib.metadata import version

import python_calamine
import xlsxwriter

print("XlsxWriter", version("xlsxwriter"), "python-calamine", version("python-calamine"))


def back(values):
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet("a")
    for row, value in enumerate(values):
        write = sheet.write_string if isinstance(value, str) else sheet.write_number
        write(row, 0, value)
    book.close()
    made = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(file.getvalue()))
    return [row[0] for row in made.get_sheet_by_name("a").to_python()]


random.seed(1)
numbers = [random.random() for _ in range(10_000)]
changed = sum(one != other for one, other in zip(numbers, back(numbers), strict=True))
(total,) = back([0.1 + 0.2])
(text,) = back(["_x005F_x0041_"])
print("0.1 + 0.2, which is", 0.1 + 0.2, "is read as", total)
print(changed, "of 10,000 random numbers are read as others")
print("the text _x005F_x0041_ is read as", text)
sys.exit(0 if total == 0.3 and changed > 1000 and text == "_x005FA" else 1)
PYTHON
