import json

import attrs
import pytest

from deniable.certificate.files import check_size, release_files, results_metadata, with_digests
from deniable.certificate.results import table
from deniable.certificate.seal import sha256
from deniable.errors import InvalidArgument
from tests.cases.certified_case import PLANS, certificate
from tests.cases.sample_certificate import sample_rows


def test_digests_point_in_one_direction():
    made = attrs.evolve(certificate(PLANS["success"]), files={})
    files = release_files(made, table(sample_rows()), "<p>report</p>", {"plan.toml": "plan"})
    document = json.loads(files["certificate.json"])
    assert list(files)[-1] == "certificate.json"
    others = {name: sha256(content) for name, content in files.items() if name in made.FILES}
    assert document["files"] == others
    assert document["statement_sha256"] == made.statement_sha256
    told = json.loads(results_metadata(made)[b"deniable"])
    assert told["statement_sha256"] == made.statement_sha256
    assert with_digests(made, files).files == others


def test_a_certificate_that_could_not_be_checked_is_refused_before_noise_is_drawn():
    made = certificate(PLANS["success"])
    check_size(made)
    long = attrs.evolve(made, plan={**made.plan, "x": "y" * 2**23})
    with pytest.raises(InvalidArgument, match="at most 8388608 bytes"):
        check_size(long)
    many = attrs.evolve(made, plan={**made.plan, "x": [0] * 100_000})
    with pytest.raises(InvalidArgument, match="at most 100000 values"):
        check_size(many)
