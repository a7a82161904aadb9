"""What a filtered release says of its filters: public lists by digest, people not at all."""

import contextlib
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from deniable import gwas
from deniable.certificate.json_documents import statement_sha256
from deniable.errors import InvalidArgument
from deniable.pipeline.check import check
from tests.cases.effort import some_pairs
from tests.cases.study_formats import with_other_people

STUDY = Path(__file__).resolve().parents[1] / "data" / "plink" / "study"
FAM = STUDY.with_suffix(".fam").read_text().splitlines()
NAMES = [line.split()[1] for line in STUDY.with_suffix(".bim").read_text().splitlines()]


def release(out, filters):
    gwas.release(STUDY, out, top=2, epsilon=20, missing="panel", filters=filters)


def frequencies(out, filters):
    how = {"delta": 1e-6, "missing": "panel", "filters": filters}
    gwas.frequencies(STUDY, out, all_variants=True, epsilon=20, **how)


def released(folder, how=release, **filters):
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    panel = with_other_people(STUDY, folder / "panel")
    chosen = gwas.Filters(panel=panel, **filters)
    how(out, chosen)
    return out, json.loads((out / "certificate.json").read_text())


def people(folder, number):
    path = folder / "people.txt"
    path.write_text("".join(" ".join(line.split()[:2]) + "\n" for line in FAM[:number]))
    return path


@pytest.mark.parametrize("how", [release, frequencies])
def test_the_certificate_names_what_is_public_and_is_checked(tmp_path, how):
    chosen = tmp_path / "chosen.txt"
    chosen.write_bytes(("\n".join(NAMES[:100]) + "\n").encode())
    out, found = released(
        tmp_path,
        how,
        extract=chosen,
        keep=people(tmp_path, 180),
        chromosomes="1,2,3",
        min_frequency=0.1,
    )
    said = found["filters"]
    digest = hashlib.sha256(chosen.read_bytes()).hexdigest()
    assert said["extract"] == {"sha256": digest, "variants": 100}
    assert (said["chromosomes"], said["minimum_frequency"]) == (["1", "2", "3"], 0.1)
    assert (said["people"], found["missing"]) == ("kept", "panel")
    assert {each["name"] for each in found.get("chromosomes", ())} <= {"1", "2", "3"}
    assert check(out).as_json()["holds"]


@pytest.mark.parametrize("how", [release, frequencies])
def test_of_a_list_of_people_only_the_public_sizes_appear(tmp_path, how):
    # Somebody who guesses the list must not find the guess confirmed: no digest, no length.
    path = people(tmp_path, 180)
    out, found = released(tmp_path, how, keep=path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found["filters"].keys() == {"panel", "people"}
    for file in out.iterdir():
        content = file.read_bytes()
        assert digest.encode() not in content
        assert path.name.encode() not in content


def test_lists_that_leave_the_same_say_the_same(tmp_path):
    # Another order, repeated lines, strangers: the same people, and so the same certificate.
    one = people(tmp_path, 180)
    _, first = released(tmp_path, keep=one)
    lines = one.read_text().splitlines()
    one.write_text("\n".join([*lines[::-1], lines[0], "stranger stranger"]))
    _, second = released(tmp_path, keep=one)
    for each in (first, second):
        del each["files"], each["created"], each["statement_sha256"]
    assert first == second


FORGED = [
    {"panel": None},
    {"people": "chosen"},
    {"people": {"sha256": "0" * 64}},
    {"minimum_frequency": 0.7},
    {"extract": {"sha256": "0" * 63, "variants": 1}},
    {"keep": {"sha256": "0" * 64, "variants": 1}},
    {"chromosomes": []},
    {"multiallelic": "refuse"},
    {"multiallelic": "split"},  # then a sentence is missing
]


@pytest.mark.parametrize(("changes", "how"), some_pairs(FORGED, [release, frequencies]))
def test_forged_filters_are_refused(tmp_path, changes, how):
    out, found = released(tmp_path, how, min_frequency=0.1)
    filters = found["filters"] | changes
    found["filters"] = {key: value for key, value in filters.items() if value is not None}
    found["statement_sha256"] = statement_sha256(found)
    (out / "certificate.json").write_text(json.dumps(found))
    with contextlib.suppress(InvalidArgument):  # by the schema
        assert not check(out).as_json()["holds"]
