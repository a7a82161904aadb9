#!/usr/bin/env bash
# cyvcf2 gives allele 65537 of a VCF as allele 1, and htslib below it gives 4294967297 so.
#
# What: `Variant.genotype.array()` and `Variant.genotypes` of cyvcf2 0.35.0 keep an allele's number in 16 bits and
# say nothing where it has more: 1/65537 is 1/1, 0/65536 is 0/0, and 65535 is the −1 of a missing allele. htslib
# refuses numbers from 2^30 − 1 to 2^32 − 1, and takes larger ones modulo 2^32: in `format("GT", int)`, which has
# 32 bits, 4294967297 is allele 1, too. The position of a line, `POS`, has 32 bits: 3000000000 is −1294967296.
# Who is hurt: anyone who counts alleles of a damaged file. Its numbers then look like those of a whole one.
# What Deniable does: it reads 32 bits, and refuses a call of an allele that its line does not name, and a
# position beyond 32 bits. Numbers of 2^32 and more cannot be told from small ones.
set -eu
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv v && v/bin/pip install -q cyvcf2==0.35.0
v/bin/python - <<'P'
import sys
import cyvcf2

head = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n"
)
calls = ["0/1", "1/65537", "0/65536", "0/65535", "0/4294967297"]
with open("made.vcf", "w") as file:
    file.write(head)
    for call in calls:
        file.write("\t".join(["1", "3000000000", ".", "A", "C", ".", ".", ".", "GT", call]) + "\n")
print("cyvcf2", cyvcf2.__version__)
seen = []
for call, variant in zip(calls, cyvcf2.VCF("made.vcf")):
    short = variant.genotype.array()[0, :2].tolist()
    long = ((variant.format("GT", int)[0] >> 1) - 1).tolist()
    seen.append((short, long, variant.POS))
    print(f"{call}: in 16 bits {short}, in 32 bits {long}, POS {variant.POS}, start {variant.start}")
expected = [([0, 1], [0, 1]), ([1, 1], [1, 65537]), ([0, 0], [0, 65536]), ([0, -1], [0, 65535]), ([0, 1], [0, 1])]
good = seen == [(*each, 3000000000 - 2**32) for each in expected]
print("as seen" if good else "CHANGED")
sys.exit(0 if good else 1)
P
