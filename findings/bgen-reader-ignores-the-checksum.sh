#!/usr/bin/env bash
# Surprise: bgen: each variant of a BGEN file is packed by zlib, which puts a checksum behind it. The reader does not compare
# it: probabilities that were changed on a disk or on the way are read, and nothing is raised.
# Who is hurt: anyone who takes an answer without an error for one of a whole file.
# What we do: each variant is unpacked by Python's zlib as well, which compares the checksum.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install --quiet bgen==1.10.3 numpy==2.4.6
v/bin/python - <<'PYTHON'
import sys
import zlib
from importlib.metadata import version
from pathlib import Path

import numpy as np
from bgen import BgenReader, BgenWriter

shares = np.random.default_rng(0).dirichlet((1, 1, 1), 8)
with BgenWriter("s.bgen", 8, samples=list("abcdefgh"), compression="zlib") as writer:
    writer.add_variant("v", "v", "1", 5, ["G", "A"], shares, bit_depth=8)
with BgenReader("s.bgen", delay_parsing=True) as file:
    whole = next(file).probabilities[7].tolist()
path = Path("s.bgen")
data = path.read_bytes()
start = data.index(b"\x78", data.rindex(b"A"))
unpacked = bytearray(zlib.decompress(data[start:]))
unpacked[-1] ^= 8  # a bit of the last person's probabilities
changed = zlib.compress(unpacked)[:-4] + data[-4:]
assert len(changed) == len(data[start:])
path.write_bytes(data[:start] + changed)
with BgenReader("s.bgen", delay_parsing=True) as file:
    read = next(file).probabilities[7].tolist()
try:
    zlib.decompress(changed)
except zlib.error as error:
    refused = str(error)
else:
    sys.exit("zlib took it")
print(f"bgen {version('bgen')}")
print("written:", [round(each, 4) for each in whole])
print("read:   ", [round(each, 4) for each in read], "and no error")
print("zlib:   ", refused)
sys.exit(whole == read)
PYTHON
