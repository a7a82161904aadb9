#!/bin/bash
# What: pytauargus 0.6.0 protects a table with suppress="OPT(1)" in a folder that you name (workdir=). Its solver also
#   writes five files into the current folder, and leaves them there: FullJJ.log, CSPlogfile.txt, cspSCIP.sta, .bra and
#   .heu. cspSCIP.heu has the true value of each sum that the rule itself hides. Nothing is said.
# Hurt: anyone who runs it in a folder that is shared, synchronised or committed, and hands out "safe()" alone.
# We: run it in a folder of its own, and remove that (benchmarks/rules_peers.py, benchmarks/peers.py).
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pytauargus==0.6.0 pandas==2.3.3 numpy==2.3.3
mkdir "$folder/here"
cd "$folder/here"
"$folder/venv/bin/python" - "$folder/work" <<'PYTHON'
import importlib.metadata
import sys
from pathlib import Path

import pandas as pd
from pytauargus import protect

print("pytauargus", importlib.metadata.version("pytauargus"))
sums = {"north": (4711, 900), "south": (1200, 1500), "west": (1600, 1700)}
rows = [
    (region, sector, float(part))
    for region, two in sums.items()
    for sector, total in zip(("mining", "trade"), two)
    for part in ((total - 2, 1, 1) if total == 4711 else (total // 4,) * 4)
]
data = pd.DataFrame(rows, columns=["region", "sector", "turnover"])
table = protect(
    data, ["region", "sector"], response="turnover", safety_rules="P(10,1)", suppress="OPT(1)",
    workdir=sys.argv[1],
).tables[0]  # fmt: skip
hidden = {int(value) for value, status in zip(table.unsafe(), table.status()) if status == "U"}
left = sorted(path.name for path in Path().iterdir())
read = [line.split() for line in Path("cspSCIP.heu").read_text().splitlines()]
values = {int(float(line[-1])) for line in read if len(line) == 4 and line[0].startswith("x")}
print("sums that the rule hides:", *sorted(hidden))
print("left in the current folder:", *left)
print("values in cspSCIP.heu:", *sorted(values))
sys.exit(0 if hidden and hidden <= values else 1)
PYTHON
