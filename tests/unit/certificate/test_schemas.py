"""Schemas by name: what they say is what is read and written."""

import copy
import datetime
import functools
import json
import operator
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import attrs
import jsonschema
import pytest

import deniable
from deniable.certificate.json_documents import BLOCKS, SCHEMAS
from deniable.certificate.model import CertifiedPart, Charged, Guarantee, NamedUnit, Unit
from deniable.certificate.tables import CertifiedQuery
from deniable.errors import DeniableError, InvalidArgument
from deniable.pipeline.kind import kind_of
from deniable.publish.plan import read_plan
from deniable.theorems.analysis import HouseholdLoss
from deniable.training.certificate import ErrorRates, NamedRecord, TrainingGuarantee
from deniable.training.noisy_gradients import Phase
from tests.cases.refusals import refuses, says
from tests.cases.release_case import PLAN
from tests.cases.sample_certificate import sample_certificate

ROOT = Path(__file__).resolve().parents[3]
PLANS = [
    *(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("examples/*.toml"))),
    *(
        block
        for page in ("README.md", "docs/reference/plan.md", "docs/tutorials/first-release.md")
        for block in re.findall(r"```toml\n(.*?)```", (ROOT / page).read_text("utf-8"), re.S)
        if "[data]" in block and "[[query]]" in block
    ),
    PLAN.format(adjacency="add-remove", target="identifiability = { rho = 0.3, worlds = 8 }"),
]


def as_json(value):
    match value:
        case dict():
            return {key: as_json(each) for key, each in value.items()}
        case list():
            return [as_json(each) for each in value]
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return value


def accepts(schema, document) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid(document)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_and_has_an_id_of_its_own(name):
    schema = deniable.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert re.fullmatch(r"urn:deniable:[a-z-]+:\d+(?:\.\d+)?", schema["$id"])
    assert len({deniable.schema(each)["$id"] for each in SCHEMAS}) == len(SCHEMAS)


def test_another_name_is_refused_with_the_nearest():
    with refuses(InvalidArgument, "did-you-mean: plan"):
        deniable.schema("plans")


def test_a_certificate_fits_its_schema():
    assert accepts(deniable.schema("certificate"), sample_certificate().as_json())


def objects(node) -> Iterator[frozenset[str]]:
    """The keys of every object of a schema."""
    if isinstance(node, dict) and isinstance(node.get("properties"), dict):
        yield frozenset(node["properties"])
    if isinstance(node, dict | list):
        for each in node.values() if isinstance(node, dict) else node:
            yield from objects(each)


def classes(kind) -> Iterator[type]:
    """A class that stands for a value of a certificate, and those of its fields."""
    for inner in get_args(kind):
        yield from classes(inner)
    if attrs.has(kind):
        yield kind
        for field in attrs.fields(attrs.resolve_types(kind)):
            yield from classes(field.type)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("certificate", Unit),
        ("certificate", Guarantee),
        ("certificate", Charged),
        ("certificate", CertifiedQuery),
        ("study-certificate", NamedUnit),
        ("study-certificate", Guarantee),
        ("study-certificate", Charged),
        ("study-certificate", CertifiedPart),
        ("frequencies-certificate", NamedUnit),
        ("frequencies-certificate", Guarantee),
        ("frequencies-certificate", CertifiedPart),
        ("training-certificate", NamedRecord),
        ("training-certificate", TrainingGuarantee),
        ("training-certificate", Phase),
        ("training-certificate", ErrorRates),
    ],
)
def test_a_value_has_the_keys_of_its_schema(name, kind):
    """A class is read and written by its fields, so a field more or less is refused."""
    known = {*objects(deniable.schema(name))}
    for each in {*classes(kind)} - ({HouseholdLoss} if name != "certificate" else set()):
        keys = frozenset(field.name for field in attrs.fields(each))
        # Of keys that nobody knew, and of households: in tables only.
        without = keys - {"exposure", "exposure_budget", "household"}
        assert known & {keys, without}, each


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name.endswith("certificate")])
def test_a_certificate_has_the_keys_of_its_schema(name):
    document = deniable.schema(name)
    places = document["properties"]["format"]
    kind = kind_of({"format": places["const"] if "const" in places else places["enum"][-1]})
    own = {*document["properties"]} - {"statement_sha256", "files"} - {*BLOCKS}
    assert own == {*kind.certificate.KEYS} - {*BLOCKS}


@pytest.mark.parametrize("text", PLANS, ids=range(len(PLANS)))
def test_a_plan_that_is_read_fits_the_schema_and_a_key_more_fits_neither(text):
    plan, schema = as_json(tomllib.loads(text)), deniable.schema("plan")
    assert accepts(schema, plan)
    places = [plan, *(each for each in plan.values() if isinstance(each, dict)), plan["query"][0]]
    for place in places:
        if place is plan.get("keys"):
            continue
        place["unheard_of"] = 1
        assert not accepts(schema, plan)
        del place["unheard_of"]


TABLES = ("", "data", "adversary", "target", "limits", "report", "ledger")


@pytest.mark.parametrize("table", TABLES)
def test_a_key_of_the_schema_is_one_that_the_reader_knows(table, tmp_path):
    """The reader names what it does not know; a wrong value of a known key is another error."""
    schema = deniable.schema("plan")
    known = (schema["properties"][table] if table else schema)["properties"]
    refused = {each for each in [*known, "unheard_of"] if is_unknown(table, each, tmp_path)}
    assert refused == {"unheard_of"}


def is_unknown(table: str, key: str, folder: Path) -> bool:
    """Whether the reader refuses the key, in its table or at the top, as unknown."""
    tables = {"data": "", "target": "gamma = 2.0", "adversary": "", "limits": "", table or key: ""}
    if table:
        tables[table] = f'{key} = "x"'
    text = "".join(f"[{name}]\n{entry}\n" for name, entry in tables.items() if name != "query")
    text += '[[query]]\nname = "n"\nstatistic = "count"\nwhere = [["a", "==", 1]]\n'
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DeniableError) as told:
        read_plan(path)
    return says(told.value, "unknown-key")


GOLDEN = Path(__file__).parents[2] / "data" / "golden"


@pytest.mark.parametrize("name", sorted(each.name for each in GOLDEN.glob("*-2.1")))
def test_a_key_that_a_later_version_may_have_added_is_refused_with_a_way_on(name):
    """At every level; a value that no version writes is only refused."""
    document = json.loads((GOLDEN / name / "certificate.json").read_text("utf-8"))
    certificate = kind_of(document).certificate
    for level in ([], ["unit"], ["guarantee"], ["adversary"]):
        later = copy.deepcopy(document)
        functools.reduce(operator.getitem, level, later)["later"] = 1
        with refuses(InvalidArgument, "perhaps-a-later-version"):
            certificate.from_json(later)
    document["created"] = 1
    with refuses(InvalidArgument, "fits-its-schema") as refused:
        certificate.from_json(document)
    assert "later version" not in str(refused.value)
