#!/usr/bin/env bash
# cyvcf2's `aaf` counts 1/2 as one alternative allele, and the missing half of 0/. as the reference.
#
# What: `Variant.aaf` of cyvcf2 0.35.0 is (heterozygous + 2 · homozygous) / (2 · called) by `gt_types`. There a
# call of two different alternatives (1/2) is heterozygous, and a half-call is called: 0/. is homozygous for
# the reference, ./1 heterozygous. Among the alleles that are known the alternatives have a larger share: 0.5 for
# 0.4 where two of six calls are half-calls, 0.667 for 0.5 where two of six are 1/2.
# Who is hurt: filters and panels by allele frequency; fills of missing calls with the commoner allele.
# What Deniable does: it reads the alleles of each call; a half-call is missing as a whole, and lines of
# several alternatives are refused, left out or split.
set -eu
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv v && v/bin/pip install -q cyvcf2==0.35.0
v/bin/python - <<'P'
import sys
import cyvcf2

head = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\tf\n"
)
lines = {
    "half-calls": ("C", ["0/0", "0/1", "1/1", "./.", "./1", "0/."]),
    "two alternatives": ("C,G", ["0/0", "0/1", "1/2", "2/2", "1/2", "0/2"]),
}
with open("made.vcf", "w") as file:
    file.write(head)
    for place, (alt, calls) in enumerate(lines.values(), 1):
        file.write("\t".join(["1", str(place), ".", "A", alt, ".", ".", ".", "GT", *calls]) + "\n")
print("cyvcf2", cyvcf2.__version__)
values = []
for (name, (_, calls)), variant in zip(lines.items(), cyvcf2.VCF("made.vcf", gts012=True)):
    known = [allele for call in calls for allele in call.split("/") if allele != "."]
    true = sum(allele != "0" for allele in known) / len(known)
    values.append((round(variant.aaf, 3), round(true, 3)))
    print(f"{name}: {' '.join(calls)}\n  gt_types {variant.gt_types.tolist()}, aaf {variant.aaf:.3f}, "
          f"alternatives among known alleles {true:.3f}, called {variant.num_called}")
seen = values == [(0.4, 0.5), (0.5, 0.667)]
print("as seen" if seen else "CHANGED")
sys.exit(0 if seen else 1)
P
