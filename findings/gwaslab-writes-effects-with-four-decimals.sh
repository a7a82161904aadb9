#!/bin/bash
# What: gwaslab 4.2.3 writes effects and their standard errors with four decimals, in every format for other programs,
#   the GWAS Catalog's GWAS-SSF among them, unless `float_formats` asks for more. A disease that is
#   analysed as 0 and 1 in a large biobank has effects of 10⁻⁴. Of 1,000 such variants every standard error becomes
#   0.0000 or 0.0001. The next program divides: z is infinite or no number for 404, and up to 1.66 times too large for
#   others. P-values have five digits, so that the same line contradicts itself.
# Hurt: anyone who shares summary statistics through it, or weights studies by the errors that it wrote.
# We: write all digits (`gwas scan --format gwas-ssf`). Our attack on such a table goes on with the p-values: 600
#   variants whose effects and errors all read 0 are still worth 112 exact frequencies, of 122.
# Exits with 1 if the behaviour changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet gwaslab==4.2.3 pandas==2.3.3 numpy==2.4.6
venv/bin/python -W ignore - <<'PYTHON' 2>log || { cat log; exit 1; }
import gzip
import sys
from importlib.metadata import version
from pathlib import Path

import gwaslab
import numpy as np
import pandas as pd
from scipy.stats import norm

print("gwaslab", version("gwaslab"), "pandas", pd.__version__)
random = np.random.default_rng(0)
error = random.uniform(2e-5, 9e-5, 1000)
z = random.normal(0, 3, 1000)
study = pd.DataFrame({"CHR": 1, "POS": np.arange(1000) * 100 + 1, "EA": "A", "NEA": "G", "EAF": 0.3})
study = study.assign(BETA=z * error, SE=error, P=2 * norm.sf(abs(z)), N=400_000)
names = dict(zip(("chrom", "pos", "ea", "nea", "eaf", "beta", "se", "p", "n"), study.columns))
sumstats = gwaslab.Sumstats(study, **names, build="38", verbose=False)
sumstats.to_format("study", fmt="ssf", verbose=False)
(path,) = Path().glob("study*.gz")
with gzip.open(path, "rt") as file:
    written = pd.read_csv(file, sep="\t")
print(path.name, written.columns.tolist())
print(written[["beta", "standard_error", "p_value"]].head(3).to_string(index=False))
print(study[["BETA", "SE", "P"]].head(3).to_string(index=False))
new = written["beta"] / written["standard_error"]
finite = np.isfinite(new)
ratio = (new / z)[finite]
print(f"standard errors in the file: {sorted(set(written['standard_error']))}")
lost = int((~finite).sum())
print(f"z from the file: infinite or none {lost} of 1000, others times {ratio.min():.2f} to {ratio.max():.2f}")
sys.exit(not (set(written["standard_error"]) == {0.0, 0.0001} and 300 < lost < 900))
PYTHON
