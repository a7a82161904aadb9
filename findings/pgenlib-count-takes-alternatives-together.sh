#!/usr/bin/env bash
# Surprise: pgenlib: at a variant with two alternatives `count` and `read` of one reader speak of different alleles. `read` counts
# copies of the first alternative by default, `count` copies of anything but the reference, and takes no allele to
# count. Nothing is raised: frequencies by `count` are those of no allele of the file.
# Who is hurt: anyone who counts a multiallelic .pgen by the fast way and pairs it with the names of its alternatives.
# What we do: lines with several alternatives are read call by call, each alternative by its number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install --quiet Pgenlib==0.95.1 numpy==2.4.6
v/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pgenlib

calls = [(0, 1), (0, 2), (1, 2), (2, 2)]  # of four people; 0 is the reference
with pgenlib.PgenWriter(b"m.pgen", 4, variant_ct=1, allele_ct_limit=3) as writer:
    writer.append_alleles(np.array(calls, np.int32).reshape(-1), all_phased=False)
reader = pgenlib.PgenReader(b"m.pgen", 4, 1, None, np.array([0, 3], np.uintp))
counts, copies = np.empty(4, np.uint32), np.empty(4, np.int8)
reader.count(0, counts)
reader.read(0, copies)
read = np.bincount(copies, minlength=3).tolist()
first = np.bincount([call.count(1) for call in calls], minlength=3).tolist()
other = np.bincount([sum(allele > 0 for allele in call) for call in calls], minlength=3).tolist()
print(f"Pgenlib {version('Pgenlib')}; calls {calls}")
print(f"read:  people with 0, 1, 2 copies {read}; of allele 1 truly {first}")
print(f"count: people with 0, 1, 2 copies {counts.tolist()[:3]}; of all but the reference truly {other}")
sys.exit(not (read == first != counts.tolist()[:3] == other))
PYTHON
