import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import deniable
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses
from tests.cases.signed_release import (
    make_key,
    needs_ssh_keygen,
    public,
    release,
    sign_by_hand,
)

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    needs_ssh_keygen()
    folder = tmp_path_factory.mktemp("release")
    make_key(folder / "key")
    make_key(folder / "locked", "a passphrase")
    release(folder, "out")
    return folder


@pytest.fixture
def out(made, tmp_path):
    return shutil.copytree(made / "out", tmp_path / "out")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_signature_is_one_more_file_that_readers_of_the_release_can_read(made, out):
    before = contents(out)
    (out / "certificate.json").chmod(0o640)
    answer = deniable.sign(out, key=made / "key")
    after = contents(out)
    assert answer.signature == out / "certificate.json.sig"
    assert after.pop("certificate.json.sig").startswith(b"-----BEGIN SSH SIGNATURE-----\n")
    assert after == before
    assert answer.signature.stat().st_mode & 0o777 == 0o640
    digest = hashlib.sha256(before["certificate.json"]).hexdigest()
    assert answer.as_json() == {
        "signature": str(out / "certificate.json.sig"),
        "key_type": "ED25519",
        "fingerprint": answer.fingerprint,
        "namespace": "deniable-release",
        "certificate_sha256": digest,
    }
    told = subprocess.run(["ssh-keygen", "-l", "-f", made / "key"], capture_output=True, check=True)
    assert told.stdout.decode().split()[1] == answer.fingerprint


def test_who_signed_is_not_said_where_nobody_asked(made, out):
    deniable.sign(out, key=made / "key")
    for place in (out, out / "certificate.json"):
        answer = deniable.check(place)
        assert answer.holds
        assert answer.signers is None
        assert "signers" not in answer.as_json()
        (why,) = [each.why for each in answer.on_trust if each.what == "certificate.json.sig"]
        assert "by whom is not checked" in why


@pytest.mark.parametrize(
    ("line", "principal"),
    [
        ("kim@example.org {pub}", "kim@example.org"),
        ("kim@example.org,lee@example.org {pub} office", "kim@example.org, lee@example.org"),
        ('*@example.org namespaces="git,deniable-*",valid-after="20200101" {pub}', "*@example.org"),
        ("{pub}", None),
        ("{pub} kim@office", None),
    ],
)
def test_who_signed_is_said_by_name_where_the_keys_have_names(made, out, line, principal):
    signed = deniable.sign(out, key=made / "key")
    keys = out.with_name("keys")
    keys.write_text(f"{line.replace('{pub}', public(made / 'key'))}\r\n")
    answer = deniable.check(out, signed_by=keys)
    assert answer.holds
    assert answer.as_json()["signers"] == [
        {
            "principal": principal,
            "key_type": "ED25519",
            "fingerprint": signed.fingerprint,
            "file": "certificate.json.sig",
        }
    ]
    assert "certificate.json" not in {each.what for each in answer.on_trust}
    assert "certificate.json.sig" in {each.what for each in answer.files}


def test_anybody_verifies_it_with_openssh_alone(made, out):
    deniable.sign(out, key=made / "key")
    keys = out.with_name("keys")
    keys.write_text(f"kim@example.org {public(made / 'key')}\n")
    words = ["-Y", "verify", "-f", keys, "-I", "kim@example.org", "-n", "deniable-release"]
    with (out / "certificate.json").open("rb") as file:
        signature = ["-s", out / "certificate.json.sig"]
        words = ["ssh-keygen", *words, *signature]
        assert b"Good" in subprocess.run(words, stdin=file, capture_output=True, check=True).stdout


def test_several_sign_each_once(made, out):
    other = make_key(out.with_name("other"))
    keys = out.with_name("keys")
    keys.write_text(f"kim {public(made / 'key')}\nlee {public(other)}\n")
    for key in (made / "key", other):
        deniable.sign(out, key=key)
        with refuses(InvalidArgument, "has-not-signed-this-release"):
            deniable.sign(out, key=key)
    answer = deniable.check(out, signed_by=keys)
    assert [(each.principal, each.file) for each in answer.signers] == [
        ("kim", "certificate.json.sig"),
        ("lee", "certificate.json.2.sig"),
    ]
    (out / "certificate.json.sig").unlink()
    assert [each.principal for each in deniable.check(out, signed_by=keys).signers] == ["lee"]


def test_the_one_key_of_ones_own_is_taken_and_of_several_none(made, out, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: out.parent)
    folder = out.with_name(".ssh")
    folder.mkdir()
    with refuses(InvalidArgument, "one-key-in-none"):
        deniable.sign(out)
    for name in ("id_rsa", "id_ed25519"):
        shutil.copy(made / "key", folder / name)
        if name == "id_rsa":
            assert deniable.sign(out).signature.is_file()
    with refuses(InvalidArgument, "id-ed25519-id-rsa"):
        deniable.sign(out)


def test_a_passphrase_is_asked_for_by_nobody_here(made, out, monkeypatch):
    before = contents(out)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_ASKPASS_REQUIRE"):  # OpenSSH's own windows
        monkeypatch.delenv(name, raising=False)
    with refuses(InvalidArgument, "has-passphrase-hand: incorrect passphrase"):
        deniable.sign(out, key=made / "locked")
    assert contents(out) == before


def test_keys_that_cannot_sign(made, out):
    alone = shutil.copy(made / "key.pub", out.with_name("alone.pub"))
    with refuses(InvalidArgument, "no-private-key-found"):
        deniable.sign(out, key=alone)
    with refuses(InvalidArgument, "no-file"):
        deniable.sign(out, key=out.with_name("nowhere"))


def test_what_would_not_hold_is_not_signed(made, out):
    with refuses(InvalidArgument, "folder-of-release"):
        deniable.sign(out / "certificate.json", key=made / "key")
    (out / "notes.txt").write_text("x")
    with refuses(InvalidArgument, "move-it-elsewhere: notes.txt"):
        deniable.sign(out, key=made / "key")
    (out / "notes.txt").unlink()
    (out / "results.csv").write_text("x")
    with refuses(InvalidArgument, "one-that-does-not: results.csv"):
        deniable.sign(out, key=made / "key")
    assert not (out / "certificate.json.sig").exists()


def test_a_certificate_that_names_no_files_is_not_signed(made, tmp_path):
    first = shutil.copytree(GOLDEN / "first-plan", tmp_path / "out")
    with refuses(InvalidArgument, "first-format"):
        deniable.sign(first, key=made / "key")
    certificate = first / "certificate.json"
    sign_by_hand(made / "key", certificate, first / "certificate.json.sig", "deniable-release")
    answer = deniable.check(first, signed_by=made / "key.pub")
    assert [each.name for each in answer.checks if not each.holds] == ["signed files"]
    assert deniable.check(first).holds


def test_without_ssh_keygen_it_says_what_to_install(made, out, monkeypatch):
    monkeypatch.setenv("PATH", str(out))
    with refuses(InvalidArgument, "apt-install-openssh-client"):
        deniable.sign(out, key=made / "key")
    (out / "certificate.json.sig").write_text("x")
    with refuses(InvalidArgument, "apt-install-openssh-client"):
        deniable.check(out, signed_by=made / "key.pub")
    assert deniable.check(out).holds


@pytest.mark.parametrize("at", ["link", "fsync"])
def test_a_signature_is_there_whole_or_not_at_all(made, out, monkeypatch, at):
    before = contents(out)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, at, full)
        patch.setattr(os, "rename", full)
        with pytest.raises(OSError, match="No space"):
            deniable.sign(out, key=made / "key")
    assert contents(out) == before


def test_a_file_system_without_hard_links_will_do(made, out, monkeypatch):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", refused)
        deniable.sign(out, key=made / "key")
    assert deniable.check(out, signed_by=made / "key.pub").holds


def test_whoever_comes_second_takes_the_next_name(made, out, monkeypatch):
    link = os.link

    def overtaken(partial, place):
        if place.name == "certificate.json.sig":
            place.write_text("theirs")
        link(partial, place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", overtaken)
        answer = deniable.sign(out, key=made / "key")
    assert answer.signature.name == "certificate.json.2.sig"
    assert (out / "certificate.json.sig").read_text() == "theirs"


def test_there_are_no_more_signatures_than_are_read(made, out):
    names = ["", *(f".{number}" for number in range(2, 17))]
    for name in names:
        (out / f"certificate.json{name}.sig").write_text("x")
    with refuses(InvalidArgument, "less-signatures: 16"):
        deniable.sign(out, key=made / "key")
