#!/bin/sh
# numkong 7.8.6 says that its products and distances take the types 'u1' (bits, packed by eights) and 'u8' (bytes). It
# reads them as NumPy's codes: 'u1' is a byte, and `hamming` and `dots_pack` of packed bits give the distance and the
# product of bytes, without a word. 'u8' is eight bytes, and bytes are refused as it. 'uint1' is what 'u1' says.
# Hurt: anyone who compares bit vectors (fingerprints, genotypes) as the help says: 1 instead of 4 differing bits.
# Deniable: writes 'uint1' where it counts genotypes, and compares one product with NumPy's before it relies on any.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numkong==7.8.6 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import numkong
import numpy as np

print("numkong", numkong.__version__)
one, other = np.array([0b11110000, 1], np.uint8), np.array([0b10101010, 1], np.uint8)
common, apart = int(np.bitwise_count(one & other).sum()), int(np.bitwise_count(one ^ other).sum())
print(f"bits in common {common}, bits that differ {apart}")
print("help:", next(line.strip() for line in numkong.hamming.__doc__.splitlines() if "Supported" in line))
answers = {}
for kind in ("u1", "uint1"):
    packed = numkong.dots_pack(other[None], dtype=kind)
    product = int(np.asarray(numkong.dots_packed(one[None], packed))[0, 0])
    answers[kind] = product, int(numkong.hamming(one, other, kind))
    print(f"{kind!r}: dots_packed {product}, hamming {answers[kind][1]}, {packed!r}")
try:
    numkong.dot(one, other, "u8")
    refused = False
except LookupError as error:
    refused = True
    print(f"'u8': {error}")
bytewise = int(one.astype(int) @ other), int((one != other).sum())
as_before = answers == {"u1": bytewise, "uint1": (common, apart)} and refused
sys.exit(0 if as_before else "the behaviour changed")
PYTHON
