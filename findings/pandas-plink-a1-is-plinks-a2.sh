#!/usr/bin/env bash
# pandas-plink calls PLINK's A1 "a0" and PLINK's A2 "a1", and counts A2.
#
# What: of one .bed file bed-reader (as PLINK) gives copies of A1, the allele of the .bim file's fifth
# column. pandas-plink 2.3.2 names that column a0 and the sixth a1, and counts "a1" by default: each
# number is 2 minus the other library's, with nothing but the name to tell.
# Who is hurt: anyone who fills missing calls with 0 copies (the commoner homozygote in one library, the
# rarer one in the other), or who takes an effect of "A1" from one program to the other.
# What Deniable does: it counts A1 as PLINK does, matches alleles by name, and refuses to fill what the
# owner sees where allele 2 is the rarer one.
set -eu
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv v && v/bin/pip install -q pandas-plink==2.3.2 bed-reader==1.0.6
v/bin/python - <<'P'
import importlib.metadata, sys, warnings
warnings.simplefilter("ignore")
from bed_reader import open_bed
from pandas_plink import read_plink, read_plink1_bin

calls = [0, 1, 2, 0]  # copies of A1, which is C
code = {0: 3, 1: 2, 2: 0}
open("s.fam", "w").writelines(f"f{i} i{i} 0 0 0 1\n" for i in range(4))
open("s.bim", "w").write("1\trs1\t0\t100\tC\tA\n")
open("s.bed", "wb").write(bytes([0x6C, 0x1B, 1, sum(code[c] << 2 * i for i, c in enumerate(calls))]))
for name in ("bed-reader", "pandas-plink"):
    print(name, importlib.metadata.version(name))
bed = open_bed("s.bed")
one = bed.read().ravel().astype(int).tolist()
print("bed-reader:      A1", bed.allele_1[0], " A2", bed.allele_2[0], " copies of A1:", one)
bim, _, values = read_plink("s", verbose=False)
two = values.compute().ravel().astype(int).tolist()
print("read_plink:      a0", bim.a0[0], " a1", bim.a1[0], " values:", two)
array = read_plink1_bin("s.bed", "s.bim", "s.fam", verbose=False)
three = array.values.ravel().astype(int).tolist()
print("read_plink1_bin: a0", array.a0.item(), " a1", array.a1.item(), " values:", three)
seen = one == calls and two == three == [2 - c for c in calls] and (bim.a0[0], bim.a1[0]) == ("C", "A")
print("as seen" if seen else "CHANGED")
sys.exit(0 if seen else 1)
P
