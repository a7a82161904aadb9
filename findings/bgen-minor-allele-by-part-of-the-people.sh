#!/usr/bin/env bash
# The library bgen names the wrong minor allele unless the number of people is a multiple of 100.
#
# What: `BgenVar.minor_allele` and `minor_allele_dosage` of bgen 1.9.7 agree with the dosages that the
# same object gives (`alt_dosage`) for 100, 200 or 1,000 people. For 4, 60, 150 or 250 people they name
# the commoner allele for up to half of all variants, and the "minor allele dosage" has a frequency above 1/2.
# bgen 1.10.3 is right.
# Who is hurt: anyone who takes the counted allele, or a filter by minor allele frequency, from them.
# What Deniable does: it reads probabilities only and counts the copies of a named allele itself.
set -eu
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv v && v/bin/pip install -q bgen==1.9.7 numpy==1.26.4
v/bin/python - <<'P'
import importlib.metadata, struct, sys
import numpy as np
from bgen import BgenReader

def write(path, genotypes, people):
    """BGEN 1.2: layout 2, not packed, 8 bits; genotypes are copies of C, the second allele."""
    text = lambda t: struct.pack("<H", len(t)) + t
    names = b"".join(text(f"s{i}".encode()) for i in range(people))
    samples = struct.pack("<II", 8 + len(names), people) + names
    header = struct.pack("<III", 20, len(genotypes), people) + b"bgen" + struct.pack("<I", 1 << 31 | 2 << 2)
    out = struct.pack("<I", len(header) + len(samples)) + header + samples
    for k, copies in enumerate(genotypes):
        out += text(b"v") + text(f"r{k}".encode()) + text(b"1") + struct.pack("<IH", 100 + k, 2)
        out += b"".join(struct.pack("<I", 1) + allele for allele in (b"A", b"C"))
        body = struct.pack("<IHBB", people, 2, 2, 2) + bytes([2] * people) + bytes([0, 8])
        body += b"".join(bytes([255 * (x == 0), 255 * (x == 1)]) for x in copies)
        out += struct.pack("<I", len(body)) + body
    open(path, "wb").write(out)

print("bgen", importlib.metadata.version("bgen"))
rng, wrong = np.random.default_rng(1), {}
for people in (4, 60, 100, 150, 200, 250, 1000):
    rows = [rng.binomial(2, p, people) for p in rng.uniform(0.05, 0.95, 200)]
    rows = [row for row in rows if row.sum() != people]
    write("made.bgen", rows, people)
    wrong[people] = 0
    for row, variant in zip(rows, BgenReader("made.bgen")):
        assert np.array_equal(variant.alt_dosage, row)
        wrong[people] += variant.minor_allele_dosage.mean() > 1
    print(f"{people:5} people: the commoner allele is called minor in {wrong[people]:3} of {len(rows)} variants")
seen = all((count > 0) == (people % 100 > 0) for people, count in wrong.items())
print("as seen" if seen else "CHANGED")
sys.exit(0 if seen else 1)
P
