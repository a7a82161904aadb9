import hashlib
import json

from deniable.certificate.seal import sha256, statement_sha256


def test_the_statement_is_everything_but_the_digests_of_files():
    document = {"b": 1.0, "a": "é", "files": {"x": "0"}, "statement_sha256": "1"}
    digest = hashlib.sha256('{"a":"é","b":1.0}'.encode()).hexdigest()
    assert statement_sha256(document) == digest == sha256('{"a":"é","b":1.0}'.encode())
    assert statement_sha256(document | {"files": {}}) == digest
    assert statement_sha256(document | {"b": 1}) != digest


def test_it_survives_the_file():
    document = {"inf": "inf", "small": 5e-324, "third": 1 / 3, "list": [1, None, True]}
    assert statement_sha256(json.loads(json.dumps(document))) == statement_sha256(document)
