"""`deniable sign`: put a signature beside the certificate of a release, and change nothing else."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.files import CERTIFICATE, MOST_SIGNATURES, other_files, signature_names
from deniable.certificate.json_documents import MOST_BYTES, read_bytes, read_document, sha256
from deniable.errors import InvalidArgument, validate
from deniable.numerics.answer import Answer, fields_of
from deniable.numerics.operating_system import remove_left_over, whole_file
from deniable.pipeline import signatures
from deniable.pipeline.check import check
from deniable.pipeline.checked import name_some

_DEFAULT_KEYS = ("id_ed25519", "id_ed25519_sk", "id_ecdsa", "id_ecdsa_sk", "id_rsa")
"""The files below ~/.ssh where OpenSSH keeps one's own keys."""


@attrs.frozen(repr=False)
class Signed(Answer):
    """A signature that was written, beside the certificate.

    Type and fingerprint of the key are as OpenSSH writes them; the SHA-256, 64 hexadecimal digits,
    is of the bytes that were signed.
    """

    signature: Path
    key_type: str
    fingerprint: str
    certificate_sha256: str

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable sign` prints."""
        return {
            **fields_of(self, "signature", "key_type", "fingerprint"),
            "namespace": signatures.NAMESPACE,
            "certificate_sha256": self.certificate_sha256,
        }


def sign(folder: str | os.PathLike[str], *, key: str | os.PathLike[str] | None = None) -> Signed:
    """Sign a release: its certificate, which names every other file by its SHA-256.

    The signature is OpenSSH's (ssh-keygen makes it), of the bytes of certificate.json, in the
    namespace deniable-release, and lies beside it as certificate.json.sig; that of a second signer
    as certificate.json.2.sig, and so on. It is written whole or not at all, and no other byte of
    the folder changes. A passphrase is asked for by ssh-keygen, on a terminal only.

    Parameters
    ----------
    folder : path
        The folder of a release.
    key : path, optional
        A private key, or the public key of one that an agent holds. Left out, the one key that
        lies in ~/.ssh under a name of OpenSSH's own.

    Returns
    -------
    Signed
        Where the signature is, and which key made it.

    Raises
    ------
    InvalidArgument
        If the release does not hold, the folder has files that the certificate does not name, the
        key has signed it already or cannot sign, or there is no ssh-keygen.
    """
    place = validate.path(folder, "the folder of a release")
    if not place.is_dir():
        raise InvalidArgument(f"Expected the folder of a release, got {place}.")
    private = _own_key() if key is None else Path(key)
    if not private.is_file():
        raise InvalidArgument(f"Expected a key, got no file at {private}.")
    signatures.find_ssh_keygen()
    for name in signature_names():  # a signer who was killed may have left a part of one
        remove_left_over(place / name)
    message = _signable(place)
    before = _signed_before(place, message)
    signature = signatures.sign(message, private)
    key_type, fingerprint = signatures.key_of(signature, message)
    if fingerprint in before:
        raise InvalidArgument(
            f"Expected a key that has not signed this release, got that of {before[fingerprint]}."
        )
    certificate = place / CERTIFICATE
    for written in map(certificate.with_name, signature_names()):
        if os.path.lexists(written):
            continue
        # Under the first free name, whole, over nothing; the next where another signer comes first.
        with suppress(FileExistsError), whole_file(written, new=True) as file:
            file.write(signature)
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), certificate.stat().st_mode & 0o666)
            return Signed(written, key_type, fingerprint, sha256(message))
    raise _full()


def _own_key() -> Path:
    folder = Path.home() / ".ssh"
    keys = [folder / name for name in _DEFAULT_KEYS if (folder / name).is_file()]
    if len(keys) != 1:
        names = ", ".join(path.name for path in keys) or "none"
        raise InvalidArgument(
            f"Expected one key in {folder}, got {names}. Name a key with `key`; "
            "ssh-keygen -t ed25519 makes one."
        )
    return keys[0]


def _signable(folder: Path) -> bytes:
    """The bytes of a certificate that holds, and names every file of its folder."""
    message = read_bytes(folder / CERTIFICATE, MOST_BYTES)
    for wrong in (each for each in check(folder).checks if not each.holds):
        got = f"got one that does not: {wrong.name}. {wrong.finding}"
        raise InvalidArgument(f"Expected a release that holds, {got}")
    named = read_document(folder / CERTIFICATE).get("files")
    if not named:
        raise InvalidArgument(
            "Expected a certificate that names its files, got one of the first format; a "
            "signature of it would cover no other file."
        )
    if others := other_files(folder, named):
        raise InvalidArgument(
            f"Expected nothing in {folder} that the certificate does not name, got "
            f"{name_some(others)}. Move it elsewhere: no signature would cover it."
        )
    return message


def _signed_before(folder: Path, message: bytes) -> dict[str, str]:
    """The signatures that are there already, by the fingerprint of their key."""
    places = signatures.signature_files(folder / CERTIFICATE)
    if len(places) == MOST_SIGNATURES:
        raise _full()
    before = {}
    for place in places:
        try:
            _, fingerprint = signatures.key_of(signatures.read_signature(place), message)
        except InvalidArgument as error:
            raise InvalidArgument(f"{error} Remove {place}, which is none.") from None
        before[fingerprint] = place.name
    return before


def _full() -> InvalidArgument:
    return InvalidArgument(f"Expected less than {MOST_SIGNATURES} signatures, got as many.")
