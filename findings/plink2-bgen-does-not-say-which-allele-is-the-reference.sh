#!/usr/bin/env bash
# plink2's plain BGEN export writes the reference last, and nothing in the file says so.
#
# What: `plink2 --export bgen-1.2` writes alleles as ALT, REF; with `ref-first` as REF, ALT, as UK Biobank has
# them. The two files differ in the order alone: flags and .sample file are the same, and a reader that counts
# the second allele (bgen's `alt_dosage`) gets copies of REF from one and of ALT from the other.
# Who is hurt: anyone who fills missing calls with the "reference" or compares effects between cohorts: of a
# rare variant a missing call becomes homozygous for the rare allele, and the variant the top hit (χ² 15.9 for 0.70).
# What Deniable does: it asks for --allele-order before it fills missing calls of a BGEN, or fills them from a
# panel by the alleles' names; its advice says `ref-first`.
# Needs plink2 on the path (apt install plink2; seen with v2.00a3.5).
set -eu
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv v && v/bin/pip install -q bgen==1.10.3
printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n1\t100\tv\tA\tC\t.\t.\t.\tGT\t0/0\t0/0\t0/1\t0/0\n' > made.vcf
plink2 --version
plink2 --vcf made.vcf --export bgen-1.2 --out last > log
plink2 --vcf made.vcf --export bgen-1.2 ref-first --out first > log
v/bin/python - <<'P'
import sys
from bgen import BgenReader

read = {}
for name in ("last", "first"):
    variant = next(iter(reader := BgenReader(f"{name}.bgen")))
    read[name] = list(variant.alleles), variant.alt_dosage.astype(int).tolist()
    print(f"{name}.bgen: alleles {read[name][0]}, dosage of the second {read[name][1]}")
headers = [open(f"{name}.bgen", "rb").read()[:40] for name in read]
samples = [open(f"{name}.sample").read() for name in read]
print("headers and .sample files are the same:", headers[0] == headers[1] and samples[0] == samples[1])
seen = read == {"last": (["C", "A"], [2, 2, 1, 2]), "first": (["A", "C"], [0, 0, 1, 0])}
seen = seen and headers[0] == headers[1] and samples[0] == samples[1]
print("as seen" if seen else "CHANGED")
sys.exit(0 if seen else 1)
P
