"""The software bill of materials that goes with a release: what requirements.lock installs.

`python -m distribution.inventory` writes `build/sbom.json` in the format CycloneDX 1.5. It follows
from the lock alone, so that two runs give the same bytes: serial number and date are left out, as
the format allows.
"""

import json
import re
from typing import Any

from distribution.descriptions import ROOT, project

OUT = ROOT / "build" / "sbom.json"
_PINNED = re.compile(
    r"^([\w.-]+)==([^ ;\\]+)[^\n]*\n((?:    --hash=sha256:[0-9a-f]{64}[^\n]*\n?)+)", re.M
)
_HASH = re.compile(r"sha256:([0-9a-f]{64})")


def pinned(lock: str) -> list[tuple[str, str, list[str]]]:
    r"""Name, version and accepted SHA-256 digests of every package of a lock.

    Raises
    ------
    ValueError
        If a line of the lock is part of none.

    Examples
    --------
    >>> pinned("attrs==23.2.0 \\\n    --hash=sha256:" + "0" * 64 + "\n")[0][:2]
    ('attrs', '23.2.0')
    """
    rest = re.sub(r"^\s*(#.*)?$", "", _PINNED.sub("", lock), flags=re.M).strip()
    if rest:
        raise ValueError(f"Expected pinned packages with digests alone, got {rest[:60]!r}.")
    return [(name, version, _HASH.findall(tail)) for name, version, tail in _PINNED.findall(lock)]


def bill_of_materials(lock: str) -> dict[str, Any]:
    """The packages of a lock as a CycloneDX document."""
    about = project()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": f"pkg:pypi/{about['name']}@{about['version']}",
                "name": about["name"],
                "version": about["version"],
                "licenses": [{"license": {"id": about["license"]}}],
                "purl": f"pkg:pypi/{about['name']}@{about['version']}",
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": f"pkg:pypi/{name}@{version}",
                "name": name,
                "version": version,
                "purl": f"pkg:pypi/{name}@{version}",
                "properties": [{"name": "pip:accepted-sha256", "value": each} for each in digests],
            }
            for name, version, digests in pinned(lock)
        ],
    }


if __name__ == "__main__":
    OUT.parent.mkdir(exist_ok=True)
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    OUT.write_text(json.dumps(bill_of_materials(lock), indent=1) + "\n", encoding="utf-8")
