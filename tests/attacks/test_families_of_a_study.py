"""Files of families that are meant to tell something, or to be read otherwise than meant."""

import json
from collections import Counter

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError
from deniable.gwas.files.individuals import Individuals, check_families
from deniable.gwas.public_filters import FAM, Families
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.unit.gwas.test_families import study

SECRET = "Mueller-Luedenscheid"


def people(families, taking_part):
    part = np.array(taking_part)
    names = tuple((family, f"i{number}") for number, family in enumerate(families))
    return Individuals(part == 2, part == 1, names=names, families=True)


def test_a_study_is_refused_exactly_if_more_participants_share_a_family(tmp_path):
    rng = np.random.default_rng(3)
    words = ["0", "A", "a", "00", "é", "e\u0301", "A ", "−1", "NA"]
    for _ in range(usual(300, 3000)):
        families = [words[k] for k in rng.integers(0, len(words), 9)]
        taking_part = rng.integers(0, 3, 9)
        size = int(rng.integers(2, 5))
        sizes = Counter(
            family for family, part in zip(families, taking_part, strict=True)
            if part and family != "0"
        )  # fmt: skip
        stated = Families(size, FAM, FAM)
        if max(sizes.values(), default=0) <= size:
            check_families(people(families, taking_part), stated, tmp_path)
        else:
            with refuses(DataError, f"at-most-participants: {size}"):
                check_families(people(families, taking_part), stated, tmp_path)


def test_noise_and_certificate_depend_on_no_family_of_the_file(tmp_path):
    """Trios, pairs or nobody: the stated size alone decides."""
    documents = []
    for number, families in enumerate((["A"] * 3 + ["B"] * 3, ["0"] * 6, ["C", "C"] + ["0"] * 4)):
        (folder := tmp_path / str(number)).mkdir()
        answer = gwas.frequencies(
            study(folder, families), folder / "out", all_variants=True, gamma=2.0, family_size=3,
            families="fam",
        )  # fmt: skip
        document = json.loads((answer.out / "certificate.json").read_text())
        for key in ("files", "created"):
            del document[key]
        documents.append(document)
    assert documents[0] == documents[1] == documents[2]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_list_is_read_with_any_line_ends_and_names_nobody_in_errors(tmp_path, end):
    prefix = study(tmp_path, ["0"] * 6)
    names = [line.split()[:2] for line in prefix.with_suffix(".fam").read_text().splitlines()]
    listed = tmp_path / "families.txt"
    listed.write_bytes("".join(f"{f} {i} {SECRET}{end}" for f, i in names[:3]).encode())
    asked = {"all_variants": True, "gamma": 2.0, "families": listed}
    with pytest.raises(DataError) as error:
        gwas.frequencies(prefix, tmp_path / "out", **asked, family_size=2)
    message = str(error.value)
    assert SECRET not in message
    assert not any(f" {i} " in message for _, i in names)
    assert gwas.frequencies(prefix, tmp_path / "out", **asked, family_size=3).rows
    assert SECRET not in (tmp_path / "out" / "certificate.json").read_text()
    assert "families.txt" not in (tmp_path / "out" / "certificate.json").read_text()


def test_a_file_of_other_families_is_not_taken_for_a_list(tmp_path):
    """The .fam file itself has six columns; a list of strangers would leave everybody alone."""
    prefix = study(tmp_path)
    asked = {"all_variants": True, "gamma": 2.0, "family_size": 2}
    strangers = tmp_path / "strangers.txt"
    strangers.write_text("x y g\nx z g\n")
    for file, words in (
        (prefix.with_suffix(".fam"), "columns-family-individual-family-group"),
        (strangers, "somebody-of-study-in-list"),
    ):
        with refuses(DataError, words):
            gwas.frequencies(prefix, tmp_path / "out", **asked, families=file)
    assert not (tmp_path / "out").exists()
