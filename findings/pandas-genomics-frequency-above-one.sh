#!/bin/bash
# What: `maf` of pandas-genomics 1.0.1, the frequency of the commonest alternative allele, says that missing alleles are
#   ignored. They are left out of the denominator, and stay among the alleles as one of their own. As soon as more
#   alleles are missing than any alternative has, the "frequency" is the ratio of missing to known alleles. Here
#   100 people have 11 copies of C: 0.055, and with 20 more people who were not called 0.2. With 80 missing beside
#   50 called it is 1.6. A filter for common variants keeps those that were badly called.
#   `hwe_pval` takes 2 degrees of freedom for two alleles, as its help says, where there is 1: 0.135 for 0.0455.
# Hurt: anyone who publishes frequencies, or chooses variants by them. Rare variants look common.
# We: count alleles ourselves, over the calls that are whole.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pandas-genomics==1.0.1 pandas==2.3.3 numpy==1.26.4
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version

from pandas_genomics.arrays import GenotypeArray
from pandas_genomics.scalars import Variant
from scipy.stats import chi2

print("pandas-genomics", version("pandas-genomics"), "pandas", version("pandas"))
variant = Variant("1", 100, id="v", ref="A", alt=["C"], ploidy=2)


def called(reference, both, alternative, missing=0):
    calls = [("A", "A")] * reference + [("A", "C")] * both + [("C", "C")] * alternative + [()] * missing
    return GenotypeArray([variant.make_genotype(*call) for call in calls])


seen = []
for counts in ((90, 9, 1, 0), (90, 9, 1, 5), (90, 9, 1, 20), (40, 9, 1, 80)):
    answer = float(called(*counts).maf)
    true = (counts[1] + 2 * counts[2]) / (2 * sum(counts[:3]))
    seen.append((round(answer, 4), true))
    print(f"A/A, A/C, C/C, missing {counts}: maf {answer:.4f}, truly {true:.4f}")
value, true = float(called(30, 40, 30).hwe_pval), chi2.sf(4, 1)  # 25, 50 and 25 are expected: χ² = 4
print(f"Hardy-Weinberg of (30, 40, 30): {value:.4f}, with one degree of freedom {true:.4f}")
expected = [(0.055, 0.055), (0.055, 0.055), (0.2, 0.055), (1.6, 0.11)]
sys.exit(not (seen == expected and abs(value - chi2.sf(4, 2)) < 1e-9))
PYTHON
