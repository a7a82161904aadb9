"""Every value of every kind of certificate, changed by somebody who then repairs all digests."""

import copy
import itertools
import json
import math
import re

import attrs
import pytest

from deniable.certificate import TableCertificate
from deniable.certificate.json_documents import BLOCKS, read_packaged_schema, statement_sha256
from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES, WITHOUT_PLAN, leaves
from deniable.certificate.tables import FORMAT_1, assumptions, unit_sentence
from deniable.certificate.wording import in_earlier_words
from deniable.errors import DeniableError
from deniable.gwas.certificates.frequencies import FrequenciesCertificate
from deniable.gwas.certificates.study import StudyCertificate
from deniable.gwas.public_filters import FAM, Families, NamedList, StudyFilters, Window
from deniable.gwas.publication.statements import AUTOSOMES_ONLY
from deniable.pipeline.check import check
from deniable.pipeline.checked import has_valid_digest
from deniable.pipeline.kind import kind_of
from deniable.training.batches.batched import BatchedTraining
from deniable.training.certificate import TrainingCertificate
from tests.cases.certified_case import PLANS, certificate, in_a_ledger
from tests.cases.effort import usual
from tests.cases.lazily import Lazily
from tests.cases.sample_frequencies import frequencies_certificate
from tests.cases.sample_study import study_certificate
from tests.cases.sample_training import PHASES, charged_training, training_certificate

EVERY_FILTER = StudyFilters(
    extract=NamedList("0" * 64, 100),
    exclude=NamedList("1" * 64, 7),
    chromosomes=("9", "X"),
    minimum_frequency=0.05,
    panel=NamedList("2" * 64, 6000),
    people="removed",
    multiallelic="split",
)
STUDIES = {
    "distance": {"statistics": True},
    "swap": {"adjacency": "swap", "score": "genotypic"},
    "assumed prior": {"prior": (0.3, 0.7), "threshold": 5e-8, "missing": "major"},
    "budget": {"epsilon": 1.0, "statistics": True, "score": "allelic"},
    "own words": {
        "report": dict.fromkeys(("title", "organisation", "study", "contact", "text"), "Ours")
    },
    "strata": {"score": "stratified", "strata": [(700, 900), (200, 100)]},
    "strata and swaps": {
        "score": "stratified", "strata": [(700, 900), (200, 100)], "adjacency": "swap",
    },
    "filters": {"filters": EVERY_FILTER, "missing": "panel"},
    "window": {"window": Window(kb=250.5)},
    "posterior": {"max_posterior": 0.5, "prior": (0.0, 0.1)},
    "success": {"attack_success": 0.7, "adjacency": "swap"},
    "advantage": {"advantage": 0.2},
    "window on a map": {"window": Window(cm=0.1, map_sha256="2" * 64), "score": "trend"},
    "families": {"families": Families(3, FAM)},
}  # fmt: skip

TRAININGS = {
    "nothing asked": {},
    "belief": {"max_posterior": 0.5, "prior": (0.0, 0.1), "history": PHASES},
    "misses": {"fnr": 0.8, "fpr": 0.05},
    "batches": {
        "history": BatchedTraining(
            "shuffled", 3.0, 10, 2, extra_steps=3, records=109, batch_size=10, drop_last=True
        )
    },
}

FREQUENCIES = {
    "posterior": {"targets": {"max_posterior": 0.5}, "prior": (0.0, 0.1), "missing": "major"},
    "no exception": {"delta": None, "of": "both", "adjacency": "swap", "listed": "file"},
    "beacon": {"delta": None, "false_yes": 0.05, "report": {"title": "Ours"}},
    "success": {"targets": {"attack_success": 0.7}},
    "advantage": {"targets": {"advantage": 0.2}, "adjacency": "swap", "of": "cases"},
    "words": {
        "delta": None,
        "report": dict.fromkeys(("organisation", "study", "contact", "text"), "We"),
    },
    "filters": {"delta": None, "listed": "file", "filters": EVERY_FILTER, "missing": "panel"},
    "families": {"delta": None, "families": Families(3, FAM)},
}


def document(certificate):
    return json.loads(json.dumps(certificate.as_json()))


TABLE_DOCUMENTS = Lazily(
    {name: lambda text=text: document(certificate(text)) for name, text in PLANS.items()}
)
STUDY_DOCUMENTS = Lazily(
    {
        f"study, {name}": lambda asked=asked: document(study_certificate(**asked))
        for name, asked in STUDIES.items()
    }
    | {
        "study, charged": lambda: document(
            in_a_ledger(study_certificate(epsilon=1.0, statistics=True, dataset="cohort"), "cohort")
        )
    }
)
TRAINING_DOCUMENTS = Lazily(
    {
        f"training, {name}": lambda asked=asked: document(training_certificate(**asked))
        for name, asked in TRAININGS.items()
    }
    | {"training, charged": lambda: document(charged_training())}
)
FREQUENCY_DOCUMENTS = Lazily(
    {
        f"frequencies, {name}": lambda asked=asked: document(frequencies_certificate(**asked))
        for name, asked in FREQUENCIES.items()
    }
    | {
        "frequencies, charged": lambda: document(
            in_a_ledger(frequencies_certificate(delta=None, dataset="cohort"), "cohort")
        )
    }
)
DOCUMENTS = TABLE_DOCUMENTS | STUDY_DOCUMENTS | TRAINING_DOCUMENTS | FREQUENCY_DOCUMENTS


def kind_of_document(name):
    return kind_of(DOCUMENTS[name]).certificate


def walked(value, place=()):
    """Every value with its place, objects and lists included, the whole document first."""
    yield place, value
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, each in steps:
            yield from walked(each, (*place, step))


def holder(document, place):
    for step in place[:-1]:
        document = document[step]
    return document


def numbers(value):
    yield from (0, -value, value + 1, 1e300, 10**19, 5e-324, str(value), [value], value == 1)
    if isinstance(value, float):
        yield from (math.nextafter(value, math.inf), math.nextafter(value, -math.inf), "inf", "nan")
        yield from ([int(value)] if value == int(value) else [round(value, 9)])
    else:
        yield float(value)


def texts(value):
    yield from ("", value + " ", value.upper(), value[:-1], value.replace("one", "two"), "inf")
    yield from (f"{value}\u200b", value.replace("a", "\u0430"), "é" + value, 0, [value], {})
    yield value.replace("patient", "household")


def changes(value):
    """What a forger, or an accident, may make of a value."""
    match value:
        case bool():
            yield from (not value, int(value), str(value), 1, 0)
        case int() | float():
            yield from numbers(value)
        case str():
            yield from texts(value)
        case None:
            yield from (0, 1, "", "none", False, [], 0.5)
        case list():
            yield from (value[:-1], value + value[-1:], value[::-1], [], {}, [*value, None])
        case dict():
            yield from (value | {"extra": 1}, [], None)
            yield from ({k: v for k, v in value.items() if k != name} for name in value)
    if value is not None:
        yield None


def same(one, other):
    # What Python calls different is so in JSON; of what it calls equal, 1 and True are not.
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def altered(document, place, change):
    """The document with the change in that place."""
    if not place:
        return change
    forged = copy.deepcopy(document)
    holder(forged, place)[place[-1]] = change
    return forged


def repaired(forged, place):
    """A forged document whose digest fits again, unless the digest is what was forged."""
    if isinstance(forged, dict) and place[:1] != ("statement_sha256",):
        forged["statement_sha256"] = statement_sha256(forged)
    return forged


def forgeries(document, every, first=0, changes=changes):
    """(place, forged document) for changes of every value, each so-and-so-many-th; not repaired.

    Only what is taken is made: a copy of a certificate costs more than all changes of a value.
    """
    all_changes = (
        (place, change)
        for place, value in walked(document)
        for change in changes(value)
        if not same(change, value)
    )
    for place, change in itertools.islice(all_changes, first, None, every):
        yield place, altered(document, place, change)


def pattern(place):
    """The place as `check` writes it."""
    return "".join(f"/{'*' if isinstance(step, int) else step}" for step in place)


def caught(path, forged):
    """Whether a check refuses; where it holds, the places that it calls on trust."""
    path.write_text(json.dumps(forged), encoding="utf-8")
    try:
        answer = check(path)
    except DeniableError:
        return True, set()
    return not answer.holds, {each.what for each in answer.on_trust}


def on_trust(place, trusted):
    named = pattern(place)
    return any(
        named == each or named.startswith(f"{each}/") or each.startswith(f"{named}/")
        for each in trusted
    )


# Of two documents every 23rd change of every value; of the others every 307th, or fewer where a
# check draws or encloses a curve, each document from another change on. `DENIABLE_THOROUGH` takes
# more of each.
EVERY = dict.fromkeys(DOCUMENTS, usual(307, 7))
EVERY |= dict.fromkeys(("success", "study, assumed prior"), usual(23, 1))
EVERY |= dict.fromkeys(
    ("gaussian", "advantage", "budget", "crosstab", "tree", "running", "moments", "survival"),
    usual(307, 97),
)
EVERY |= dict.fromkeys(FREQUENCY_DOCUMENTS, usual(307, 31))
EVERY |= dict.fromkeys(TRAINING_DOCUMENTS, usual(1801, 401)) | {"frequencies, posterior": 97}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_changed_value_is_caught_or_named_as_taken_on_trust(tmp_path, name):
    path = tmp_path / "certificate.json"
    assert caught(path, DOCUMENTS[name])[0] is False
    seen = 0
    first = 5 * [*DOCUMENTS].index(name) % EVERY[name]
    for place, forged in forgeries(DOCUMENTS[name], EVERY[name], first):
        refused, trusted = caught(path, repaired(forged, place))
        assert refused or on_trust(place, trusted), (place, forged)
        seen += 1
    assert seen > 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_without_repaired_digests_every_change_of_what_is_stated_is_caught(name):
    for place, forged in forgeries(DOCUMENTS[name], usual(29, 1)):
        if place and place[0] not in ("files", "statement_sha256"):
            assert not has_valid_digest(forged).holds


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_value_is_in_the_one_list(name):
    schema = kind_of_document(name).SCHEMA
    known = leaves(schema)
    for place, value in walked(DOCUMENTS[name]):
        if not isinstance(value, dict | list):
            named = pattern(place)
            assert any(
                named == each or named.startswith(f"{each}/") or each.startswith(f"{named}/")
                for each in known
            ), named


def test_the_documents_use_every_key_of_the_schemas():
    for schema, documents in (
        ("schema.json", TABLE_DOCUMENTS),
        ("study_schema.json", STUDY_DOCUMENTS),
        ("training_schema.json", TRAINING_DOCUMENTS),
        ("frequencies_schema.json", FREQUENCY_DOCUMENTS),
    ):
        used = {pattern(place) for each in documents.values() for place, _ in walked(each)}
        assert set(leaves(schema)) <= used


def test_little_is_taken_on_trust():
    # A change of these lists is a decision; the certificate alone, all digests repaired.
    first = {pattern.split("/")[1] for pattern, why in leaves("schema.json").items() if why}
    assert first == {"created", "plan_sha256", "plan", "versions", "ledger", "population"}
    ledger = {place for place, why in leaves("schema.json").items() if why and "ledger" in place}
    budgets = {"/ledger/budget", "/ledger/exposure_budget"}
    assert ledger == {"/ledger/measure", "/ledger/entry", *budgets}
    with_files = leaves("schema.json", (ON_TRUST, WITHOUT_FILES))
    assert {place for place, why in with_files.items() if why and place.startswith("/files")}


HOUSEHOLDS = {
    "word": lambda made: attrs.evolve(
        made,
        unit=attrs.evolve(
            made.unit,
            word="household",
            sentence=unit_sentence(made.unit.entity, made.unit.adjacency, "household"),
        ),
    ),
    "entity": lambda made: attrs.evolve(
        made,
        unit=attrs.evolve(
            made.unit,
            entity="household",
            sentence=unit_sentence("household", made.unit.adjacency, made.unit.word),
        ),
        assumptions=assumptions("household", made.rows_per_entity),
    ),
}


@pytest.mark.parametrize("forge", HOUSEHOLDS.values(), ids=HOUSEHOLDS)
def test_a_patient_does_not_become_a_household(tmp_path, forge):
    forged = document(forge(certificate(PLANS["gaussian"])))
    assert caught(tmp_path / "certificate.json", forged)[0]


def test_the_first_format_names_what_was_asked_for_as_taken_on_trust(tmp_path):
    path = tmp_path / "certificate.json"
    made = certificate(PLANS["success"])
    first = document(in_earlier_words(attrs.evolve(made, plan=None, files={}, format=FORMAT_1)))
    assert first["format"] == "deniable-certificate/1"
    assert caught(path, first)[0] is False
    for place, forged in forgeries(first, usual(29, 7)):
        forged = (
            {key: each for key, each in forged.items() if key != "statement_sha256"}
            if (isinstance(forged, dict))
            else forged
        )
        if same(forged, first):
            continue
        refused, trusted = caught(path, forged)
        assert refused or on_trust(place, trusted), (place, forged)
    asked = leaves("schema.json", (ON_TRUST, WITHOUT_PLAN))
    assert None not in (asked["/unit/word"], asked["/queries/*/parameters/bounds/*"])
    assert asked["/unit/sentence"] is None


def test_a_study_of_the_first_format_is_read(tmp_path):
    made = study_certificate()
    kept = tuple(each for each in made.assumptions if each != AUTOSOMES_ONLY)  # a later one
    first = attrs.evolve(made, format="deniable-gwas-certificate/1", assumptions=kept)
    first = document(in_earlier_words(first))
    assert not {"files", "chromosomes", "statement_sha256"} & first.keys()
    assert caught(tmp_path / "certificate.json", first)[0] is False


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("content", [None, {}, {"spent": 1.0}, [], "none"])
@pytest.mark.parametrize("name", ["success", "study, distance"])
def test_a_block_that_is_kept_for_later_is_refused_whatever_it_holds(
    tmp_path, name, block, content
):
    forged = DOCUMENTS[name] | {block: content}
    forged |= {"statement_sha256": statement_sha256(forged)}
    assert caught(tmp_path / "certificate.json", forged)[0]
    made = attrs.evolve(certificate(PLANS["success"]), plan=None, files={}, format=FORMAT_1)
    first = in_earlier_words(made).as_json()
    assert caught(tmp_path / "certificate.json", {**first, block: content})[0]


@pytest.mark.parametrize(
    "kind",
    [TableCertificate, StudyCertificate, FrequenciesCertificate, TrainingCertificate],
)
def test_model_and_schema_have_the_same_keys(kind):
    sealed_by, apart = {"statement_sha256", "files"}, {"ledger"}
    if kind is TrainingCertificate:
        apart |= {"training"}
    assert {*kind.KEYS} | apart | sealed_by == read_packaged_schema(kind.SCHEMA)[
        "properties"
    ].keys()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_comes_back_as_it_was(name):
    kind = kind_of_document(name)
    assert same(kind.from_json(DOCUMENTS[name]).as_json(), DOCUMENTS[name])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_says_where_the_data_lie(name):
    text = json.dumps(DOCUMENTS[name])
    assert not re.search(r"trips\.csv|visits\.parquet|hospital\.ledger", text)


LARGER = {
    "charged too little": {"charged": 0.5},
    "another dataset": {"dataset": "others"},
    "in another measure": {"measure": "rho"},
    "more than the budget": {"budget": 0.001},
    "no entry": {"entry": ""},
    "nothing": None,
}


EXPOSURES = {
    "half of it": lambda block: block.update(exposure=block["exposure"] / 2),
    "none": lambda block: block.pop("exposure"),
    "none, and no budget": lambda block: (block.pop("exposure"), block.pop("exposure_budget")),
    "no budget": lambda block: block.pop("exposure_budget"),
    "more than the budget": lambda block: block.update(exposure_budget=block["exposure"] / 2),
    "a budget between two units": lambda block: block.update(exposure_budget=0.1 + 1e-17),
    "a certainty": lambda block: block.update(exposure_budget=1.0),
}


@pytest.mark.parametrize("name", ["unknown keys, charged", "unknown keys, pure noise, charged"])
@pytest.mark.parametrize("forge", EXPOSURES.values(), ids=EXPOSURES)
def test_an_exposure_is_charged_as_its_keys_have_it(tmp_path, name, forge):
    forged = copy.deepcopy(DOCUMENTS[name])
    forge(forged["ledger"])
    forged["statement_sha256"] = statement_sha256(forged)
    assert caught(tmp_path / "certificate.json", forged)[0]


@pytest.mark.parametrize("name", ["charged", "study, charged", "charged in rho"])
@pytest.mark.parametrize("forge", LARGER.values(), ids=LARGER)
def test_a_charge_is_what_the_noise_costs(tmp_path, name, forge):
    forged = copy.deepcopy(DOCUMENTS[name])
    if forge is None:
        del forged["ledger"]
    else:
        change = {"charged": forged["ledger"]["charged"] * 0.5} if "charged" in forge else forge
        if name == "charged in rho" and "measure" in forge:
            change = {"measure": "epsilon"}
        forged["ledger"] |= change
    forged["statement_sha256"] = statement_sha256(forged)
    found, trusted = caught(tmp_path / "certificate.json", forged)
    if name.startswith("study") and (forge is None or "dataset" in forge):
        # No plan names its dataset: that is on trust, and that it was charged to none as well.
        assert not found
        assert forge is None or "/ledger/dataset" in trusted
    else:
        assert found


def test_no_ledger_is_added_to_what_was_charged_to_none(tmp_path):
    for name in ("success", "study, budget"):
        forged = DOCUMENTS[name] | {"ledger": DOCUMENTS["charged"]["ledger"]}
        forged["statement_sha256"] = statement_sha256(forged)
        assert caught(tmp_path / "certificate.json", forged)[0]
