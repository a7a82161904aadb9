"""What registries read of the project; `python -m distribution.descriptions` writes it.

Each fact stands once: the version in the package; dependencies, Python versions and the address of
the repository in pyproject.toml; title, authors and abstract in CITATION.cff. From them follow
`.zenodo.json`, `codemeta.json` and the conda recipe.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
LICENCES = {"Apache-2.0": "https://spdx.org/licenses/Apache-2.0"}
CONDA_NAMES = {"duckdb": "python-duckdb", "ibis-framework": "ibis-duckdb"}
"""Packages of `publish` that conda-forge has under another name than the Python index."""
RECIPE_HEAD = (
    "# Written by `python -m distribution.descriptions`; what changes stands in pyproject.toml.\n"
)


def project() -> dict[str, Any]:
    """The table `[project]` of pyproject.toml, with its version."""
    table: dict[str, Any] = tomllib.loads(_text("pyproject.toml"))["project"]
    (version,) = re.findall(r'^__version__ = "(.+)"$', _text("src/deniable/__init__.py"), re.M)
    return {**table, "version": version}


def repository() -> str:
    """The address of the public repository; empty where there is none yet."""
    tool = tomllib.loads(_text("pyproject.toml"))["tool"]
    address: str = tool["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    return address.rstrip("/")


def citation() -> dict[str, Any]:
    """CITATION.cff as mappings and lists."""
    content: dict[str, Any] = yaml.safe_load(_text("CITATION.cff"))
    return content


def descriptions() -> dict[str, str]:
    """The text of every described file, by its path in the tree."""
    return {
        ".zenodo.json": _json(_zenodo()),
        "codemeta.json": _json(_codemeta()),
        "distribution/conda/recipe.yaml": RECIPE_HEAD
        + yaml.safe_dump(_recipe(), sort_keys=False, allow_unicode=True, width=120),
    }


def _zenodo() -> dict[str, Any]:
    about, cited = project(), citation()
    return {
        "title": cited["title"],
        "upload_type": "software",
        "description": cited["abstract"],
        "version": about["version"],
        "license": about["license"].lower(),
        "creators": [{"name": _name(author)} for author in cited["authors"]],
        "keywords": cited["keywords"],
        "access_right": "open",
        **({"related_identifiers": [_source()]} if repository() else {}),
    }


def _source() -> dict[str, str]:
    version = project()["version"]
    return {"identifier": f"{repository()}/tree/v{version}", "relation": "isSupplementTo"}


def _codemeta() -> dict[str, Any]:
    about, cited = project(), citation()
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": about["name"],
        "description": about["description"],
        "version": about["version"],
        "license": LICENCES[about["license"]],
        "author": [{"@type": "Organization", "name": _name(each)} for each in cited["authors"]],
        "keywords": cited["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {about['requires-python']}",
        "operatingSystem": "Linux",
        "developmentStatus": "active",
        "softwareRequirements": about["dependencies"],
        **({"codeRepository": repository()} if repository() else {}),
    }


def _recipe() -> dict[str, Any]:
    about = project()
    extra = about["optional-dependencies"]["publish"]
    return {
        "schema_version": 1,
        "context": {"version": about["version"]},
        "package": {"name": about["name"], "version": "${{ version }}"},
        "source": {"path": "../.."},
        "build": {
            "number": 0,
            "noarch": "python",
            "script": "${{ PYTHON }} -m pip install . -vv --no-deps --no-build-isolation",
            "python": {"entry_points": [f"deniable = {about['scripts']['deniable']}"]},
        },
        "requirements": {
            "host": [f"python {about['requires-python']}", "pip", "hatchling"],
            "run": [
                f"python {about['requires-python']}",
                *map(_conda, [*about["dependencies"], *extra]),
            ],
        },
        "tests": [
            {"python": {"imports": ["deniable"], "pip_check": True}},
            {"script": ["deniable --version", "deniable calibrate --gamma 2 --prior 0.3 0.7"]},
        ],
        "about": {
            "summary": about["description"],
            "license": about["license"],
            "license_file": about["license-files"],
            **({"repository": repository()} if repository() else {}),
        },
    }


def _conda(requirement: str) -> str:
    """A requirement of the Python index as conda writes it: `name >=1,<2`."""
    match = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?(.*)", requirement)
    if match is None:
        raise ValueError(f"Expected a name and versions, got {requirement!r}.")
    name, versions = match.groups()
    return f"{CONDA_NAMES.get(name, name)} {versions}".rstrip()


def _name(author: dict[str, str]) -> str:
    family = author.get("family-names")
    return author["name"] if family is None else f"{family}, {author['given-names']}"


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    for path, text in descriptions().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
