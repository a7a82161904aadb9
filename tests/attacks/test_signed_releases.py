"""Whose release it is: what somebody does who wants their own to pass for it."""

import json
import os
import shutil

import pytest

import deniable
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses
from tests.cases.signed_release import make_key, needs_ssh_keygen, public, release, sign_by_hand

NAMESPACE = "deniable-release"
SIGNATURE = "certificate.json.sig"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Keys of two people, and two releases, one of them signed by the first."""
    needs_ssh_keygen()
    folder = tmp_path_factory.mktemp("signed")
    for name in ("kim", "eve"):
        make_key(folder / name)
    release(folder, "other", epsilon=2.0)
    deniable.sign(release(folder, "signed"), key=folder / "kim")
    return folder


@pytest.fixture
def out(made, tmp_path):
    return shutil.copytree(made / "signed", tmp_path / "out")


@pytest.fixture
def keys(made, tmp_path):
    """Kim as an allowed signer."""
    path = tmp_path / "allowed_signers"
    path.write_text(f"# who may\n\nkim@example.org {public(made / 'kim')}\n")
    return path


def failing(out, keys):
    answer = deniable.check(out, signed_by=keys)
    wrong = {each.name: each.finding for each in answer.checks if not each.holds}
    assert answer.holds is (not wrong)
    if wrong:
        assert json.dumps(answer.as_json())
    return wrong


def test_a_release_as_it_was_signed_holds(out, keys):
    assert failing(out, keys) == {}
    assert failing(out / "certificate.json", keys) == {}


@pytest.mark.parametrize("name", ["plan.toml", "report.html", "results.csv", "results.parquet"])
def test_a_file_that_was_changed_or_deleted(out, keys, name):
    with (out / name).open("ab") as file:
        file.write(b" ")
    assert name in failing(out, keys)
    (out / name).unlink()
    assert name in failing(out, keys)


@pytest.mark.parametrize("name", ["appendix.pdf", ".hidden", "certificate.json.17.sig", "sub/x"])
def test_a_file_that_was_added(out, keys, name):
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("x")
    assert deniable.check(out).holds
    assert failing(out, keys) == {
        "signed files": f"Expected no other files, got {name.partition('/')[0]}."
    }


def test_a_certificate_that_is_spelled_otherwise_and_holds(out, keys):
    path = out / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    assert deniable.check(out).holds
    assert "incorrect signature" in failing(out, keys)[SIGNATURE]


def test_a_signature_of_another_release_or_of_one_that_was_there_before(made, out, keys, tmp_path):
    theirs = shutil.copytree(made / "other", tmp_path / "theirs")
    shutil.copy(out / SIGNATURE, theirs)
    assert deniable.check(theirs).holds
    wrong = failing(theirs, keys)
    assert wrong.keys() == {SIGNATURE}
    assert wrong[SIGNATURE].startswith("Expected a signature of this certificate, got ")
    with refuses(InvalidArgument, "remove-json-sig-none"):
        deniable.sign(theirs, key=made / "kim")
    (theirs / SIGNATURE).unlink()
    assert "got none" in failing(theirs, keys)["signature"]


def test_a_release_into_a_signed_folder_is_refused(out, tmp_path):
    with refuses(InvalidArgument, "new-or-empty-folder"):
        release(tmp_path, out.name)


def test_a_signature_for_something_else(made, out, keys):
    certificate = out / "certificate.json"
    sign_by_hand(made / "kim", certificate, out / SIGNATURE, "git")
    assert "namespace does not match" in failing(out, keys)[SIGNATURE]
    sign_by_hand(made / "kim", certificate, out / SIGNATURE, NAMESPACE)
    assert failing(out, keys) == {}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ('valid-before="20200101"', "key has expired"),
        ('valid-after="29990101"', "key is not yet valid"),
        ('namespaces="git,file"', "not permitted"),
        ("cert-authority", "No principal matched"),
        ("nonsense", "unknown key option"),
    ],
)
def test_a_key_that_may_not_sign_this_now(made, out, keys, options, reason):
    keys.write_text(f"\n# revoked\nkim@example.org {options} {public(made / 'kim')}\n")
    wrong = failing(out, keys)
    assert wrong.keys() == {SIGNATURE}
    assert reason in wrong[SIGNATURE]
    if options != "cert-authority":
        assert "KEYS:3: " in wrong[SIGNATURE]


def test_somebody_else_signs_in_place_of_the_signer(made, out, keys):
    (out / SIGNATURE).unlink()
    assert deniable.sign(out, key=made / "eve").signature == out / SIGNATURE
    assert "No principal matched" in failing(out, keys)[SIGNATURE]


def test_somebody_else_signs_beside_the_signer(made, out, keys):
    assert deniable.sign(out, key=made / "eve").signature == out / "certificate.json.2.sig"
    answer = deniable.check(out, signed_by=keys)
    assert answer.holds
    assert [each.principal for each in answer.signers] == ["kim@example.org"]
    trusted = {each.what: each.why for each in answer.on_trust}
    assert "No principal matched" in trusted["certificate.json.2.sig"]


LINKED, LARGE, CUT = "a link", "a large file", "cut short"


@pytest.mark.parametrize("what", [LINKED, LARGE, CUT, "a folder", "a pipe", "empty", "garbage"])
@pytest.mark.parametrize("name", [SIGNATURE, "certificate.json.2.sig"])
def test_a_signature_that_is_none(out, keys, tmp_path, what, name):
    path, good = out / name, (out / SIGNATURE).read_bytes()
    path.unlink(missing_ok=True)
    match what:
        case "a link":
            (tmp_path / "good").write_bytes(good)
            path.symlink_to(tmp_path / "good")
        case "a folder":
            path.mkdir()
        case "a pipe":
            os.mkfifo(path)
        case _:
            contents = {LARGE: good + b"\n" * 2**16, CUT: good[:-60], "garbage": b"\0\xff" * 99}
            path.write_bytes(contents.get(what, b""))
    wrong = failing(out, keys)
    assert wrong.keys() == {name}
    assert wrong[name].startswith(("Expected", "The signature is not"))


def test_a_signer_may_not_write_into_the_terminal(made, out, keys):
    keys.write_text(f'"kim\x1b[2J" {public(made / "kim")}\n')
    (signer,) = deniable.check(out, signed_by=keys).signers
    assert signer.principal.isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "public-keys-none"),
        ("# nobody\n\n", "public-keys-none"),
        ("kim@example.org\n", "line-public-key-or-allowed: 1"),
        ("{pub}\nrestrict {pub}\n", "options-for-logging-in-line: 2"),
        ('from="10.0.0.1" {pub}\n', "options-for-logging-in-line"),
        ('expiry-time="20200101" {pub}\n', "options-for-logging-in-line"),
        ("cert-authority,no-pty {pub}\n", "options-for-logging-in-line"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n", "private-key"),
        ("x" * (2**20 + 1), "at-most-bytes"),
        ("\udcff", "keys-no-text"),
    ],
)
def test_keys_that_are_none(made, out, keys, text, expected):
    text = text.replace("{pub}", public(made / "kim"))
    keys.write_bytes(text.encode("utf-8", "surrogateescape"))
    with refuses(InvalidArgument, expected) as caught:
        deniable.check(out, signed_by=keys)
    assert "secret" not in str(caught.value)
