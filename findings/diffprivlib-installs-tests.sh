#!/bin/sh
# The wheel of diffprivlib 0.6.6 installs a package named `tests` beside diffprivlib: its own tests.
# Hurt is anyone whose project's tests are run from another folder, or whose folder `tests` has no
# __init__.py: `import tests` is then diffprivlib's. Deniable's tests are run from its root, which
# comes first, and reproductions/planted_faults asks for diffprivlib in an environment of its own.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-deps diffprivlib==0.6.6
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata
import sys
from pathlib import Path

import tests

print("diffprivlib", importlib.metadata.version("diffprivlib"))
files = importlib.metadata.files("diffprivlib")
names = sorted({path.parts[0] for path in files if path.suffix == ".py"})
print("top-level names:", ", ".join(names))
print("import tests is from site-packages:", "site-packages" in Path(tests.__file__).parts)
sys.exit(names != ["diffprivlib", "tests"])
PY
