"""Entries for the registry of deployments, held to the facts of its schema of 15 July 2026."""

import datetime
import re
from pathlib import Path

import pytest
import yaml

import deniable
from deniable.exchange.registry import _dump, _leaves

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"
TEXT, LIST, NUMBER = "text", "list", "number"
FIELDS = {
    "basic": {
        "name": TEXT, "data_curators": LIST, "intended_use": TEXT,
        "data_product_type": {
            "Summary statistics", "Machine learning model", "Dataset", "Synthetic data",
            "Interactive API", "SQL queries",
        },
        "data_product_region": TEXT, "description": TEXT, "publication_date": "date",
        "data_product_sector": {
            "Technology", "Healthcare", "Education", "Government", "Energy", "Finance",
        },
    },
    "dp_variant": {
        "variant_name": {
            "Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom",
        },
        "data_domain": TEXT, "unprotected_quantities": TEXT,
    },
    "privacy_loss": {
        "privacy_unit": TEXT, "privacy_unit_details": TEXT, "privacy_parameters": NUMBER,
        "privacy_parameters_details": TEXT,
    },
    "deployment_model": {
        "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
        "model_name_details": TEXT, "actors": TEXT,
        "release_type": {"One release", "Many releases"}, "release_type_details": TEXT,
        "data_source_type": {"Static", "Dynamic"}, "data_source_type_details": TEXT,
        "access_type": {"Interactive", "Non-interactive"}, "access_type_details": TEXT,
    },
    "accounting": {"post_processing": TEXT, "composition": TEXT},
    "implementation": {
        "preprocessing_and_hyperparameter_tuning": TEXT, "mechanisms": TEXT, "justification": TEXT,
    },
    "administrative": {"sources": TEXT, "notes": TEXT, "registry_authors": LIST},
}  # fmt: skip
REQUIRED = {
    "name", "data_curators", "description", "intended_use", "data_product_type",
    "data_product_region", "publication_date",
}  # fmt: skip


def faults(text):
    """What the registry's schema, slug and quoting refuse in an entry."""
    for token in yaml.scan(text):
        if getattr(token, "style", None) not in (None, "|", '"', "'"):
            yield f"style {token.style}"
    entry = yaml.safe_load(text)
    if entry.keys() != {"url_slug", "status", "tier", "deployment"}:
        yield f"keys {sorted(entry)}"
        return
    if entry["tier"] not in (1, 2, 3) or entry["status"] != "Draft":
        yield "tier or status"
    deployment = entry["deployment"]
    yield from (f"topic {each}" for each in deployment.keys() - FIELDS)
    yield from (f"missing {each}" for each in REQUIRED - deployment["basic"].keys())
    if not deployment.get("administrative", {}).get("registry_authors"):
        yield "no authors"
    for topic, fields in deployment.items():
        for key, value in fields.items():
            kind = FIELDS[topic].get(key)
            if isinstance(kind, set):
                holds = value in kind
            elif kind == NUMBER:
                holds = value.keys() <= {"epsilon", "delta", "rho"} and all(
                    type(each) in (int, float) for each in value.values()
                )
            elif kind == LIST:
                holds = len(value) > 0 and all(isinstance(each, str) for each in value)
            elif kind == "date":
                holds = isinstance(value, str) and datetime.date.fromisoformat(value)
            else:
                holds = kind == TEXT and isinstance(value, str)
            if not holds:
                yield f"{topic}/{key}"
            if isinstance(value, str) and re.search(r"\\\\[^()]", value):
                yield f"escapes in {topic}/{key}"


def slug(entry):
    """The slug that the registry's own script makes."""
    basic = entry["deployment"]["basic"]
    parts = basic["name"], "-".join(basic["data_curators"]), basic["publication_date"][:4]
    words = (re.sub(r"\W+", "_", each.lower()) for each in parts)
    return "_".join(words).replace("_", "-")


FOLDERS = sorted(each.name for each in GOLDEN.iterdir() if each.is_dir() and each.name[0] != "_")


@pytest.mark.parametrize("name", FOLDERS)
def test_every_kind_of_release_has_an_entry_that_the_schema_takes(name):
    content = deniable.export(GOLDEN / name, to="registry-yaml").content.decode("utf-8")
    assert [*faults(content)] == []
    entry = yaml.safe_load(content)
    assert content.startswith(f"url_slug: {entry['url_slug']}\n")


def test_an_entry_says_what_the_certificate_says(published):
    content = deniable.export(published, to="registry-yaml").content.decode("utf-8")
    entry = yaml.safe_load(content)
    deployment = entry["deployment"]
    assert [*faults(content)] == []
    assert entry["url_slug"] == slug(entry) == f"admissions-by-area-north-hospital-{deployment['basic']['publication_date'][:4]}"  # fmt: skip  # noqa: E501
    assert deployment["basic"]["data_curators"] == ["North Hospital"]
    assert deployment["dp_variant"]["variant_name"] == "Pure DP"
    claim = deniable.calibrate(max_posterior=0.8, prior=(0.1, 0.5), adjacency="add-remove")
    assert deployment["privacy_loss"]["privacy_parameters"] == {"epsilon": claim.epsilon}
    for word in ("one unit more than the other", "discrete-laplace"):
        assert word in content
    empty = re.findall("^#   (.+)$", content, re.MULTILINE)
    assert "deployment/basic/intended_use" in empty
    assert all(word not in content for word in ("None", "nan", "Figure("))


def test_zero_concentrated_privacy_has_its_own_parameter():
    content = deniable.export(GOLDEN / "plan-gaussian", to="registry-yaml").content
    deployment = yaml.safe_load(content)["deployment"]
    assert deployment["dp_variant"]["variant_name"] == "Zero-concentrated DP"
    assert deployment["privacy_loss"]["privacy_parameters"].keys() == {"rho"}


BASE = {
    "url_slug": "x", "status": "Draft", "tier": 3,
    "deployment": {
        "basic": {
            "name": "x", "data_curators": ["y"], "description": "", "intended_use": "",
            "data_product_type": "Dataset", "data_product_region": "",
            "publication_date": "2026-01-01",
        },
        "administrative": {"registry_authors": ["z"]},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("tier: 3", "tier: 0", "tier or status"),
        ("status: Draft\n", "", "keys"),
        ("status: Draft", "status: Draft\nsurprise: x", "keys"),
        ("'2026-01-01'", "2026-01-01", "basic/publication_date"),
        ("name: x", "name: >\n      a\n      b", "style >"),
        ("Dataset", "Data", "basic/data_product_type"),
        ("administrative", "resources", "topic resources"),
    ],
)
def test_the_facts_of_the_schema_refuse_what_the_registry_refuses(old, new, fault):
    """The registry's own bad entries, and the key that it renamed last."""
    good = _dump(BASE).decode("utf-8")
    assert [*faults(good)] == []
    assert old in good
    try:
        found = next(faults(good.replace(old, new)))
    except KeyError:
        found = fault
    assert found.startswith(fault)


def test_texts_of_several_lines_are_blocks_and_come_back():
    texts = [
        "a\n b",
        "a: b",
        "- x",
        "'",
        '"',
        "a\n\n- b: 1.0\n",
        "é",
        "#x",
        "2026-01-01",
        "1e3",
        "~",
    ]
    entry = {"url_slug": "s", "texts": texts}
    content = _dump(entry).decode("utf-8")
    assert yaml.safe_load(content) == entry
    assert dict(_leaves(entry, ""))["texts/0"] == "a\n b"
    assert {getattr(each, "style", None) for each in yaml.scan(content)} <= {None, "|", '"', "'"}
