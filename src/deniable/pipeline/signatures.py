"""OpenSSH signatures of a certificate, made and verified by ssh-keygen; the only place it is run.

A certificate names the SHA-256 of every other file of its release, so its signature is one of all
of them. It is a detached signature in OpenSSH's format (SSHSIG) over the bytes of certificate.json,
beside it, and anybody can verify it without Deniable:

    ssh-keygen -Y verify -f KEYS -I PRINCIPAL -n deniable-release -s certificate.json.sig \
        < certificate.json
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from deniable.certificate.files import signature_names
from deniable.certificate.json_documents import MOST_BYTES, read_bytes
from deniable.errors import InvalidArgument
from deniable.pipeline.checked import Check, Checked, Signer, Trusted, Verified, failed, one_line

NAMESPACE = "deniable-release"
"""What is signed, so that a signature for something else, a commit say, is none of a release."""

MOST_SIGNATURE_BYTES = 2**16
"""The largest size of a signature: one by an RSA key of 16,384 bits has 6,000 bytes."""

MOST_KEYS_BYTES = 2**20  # the largest size of a file of public keys: a few thousand of them

_PLAIN = "key-without-a-name"  # the principal of a key that stands in a file without names

_EMPTY = "#"
"""A line that says nothing; of one with nothing in it ssh-keygen says that a key is missing."""

_KEY_TYPE = re.compile(r"(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[\w@.-]+")
_LOGIN_OPTION = re.compile(
    r"""(?:(?:command|environment|expiry-time|from|permitlisten|permitopen|principals|tunnel)=
        |no-|(?:agent-forwarding|cert-authority|port-forwarding|pty|restrict|user-rc
        |verify-required|x11-forwarding)(?:,|$))""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a line of authorized_keys begins that says more than a key; a name would be read as that."""

_SIGNED_WITH = re.compile(r"with (\S+) key (SHA256:[A-Za-z0-9+/=]+)\s*\Z")

_END = b"-----END SSH SIGNATURE-----"
_PREFIX = "deniable-"
_KEYS_FILE, _SIGNATURE_FILE, _MESSAGE_FILE = "KEYS", "signature", "certificate.json"
"""Names in the scratch folder where ssh-keygen runs; what it says of them is shown."""


def find_ssh_keygen() -> str:
    """The program that makes and verifies signatures, which has to be installed."""
    program = shutil.which("ssh-keygen")
    if program is None:
        raise InvalidArgument(
            "Expected ssh-keygen for signatures, got none. Install OpenSSH, 8.9 or later "
            "(Debian and Ubuntu: apt install openssh-client)."
        )
    return program


def signature_files(certificate: Path) -> list[Path]:
    """What lies where signatures of a certificate belong, links and all, in order."""
    places = map(certificate.with_name, signature_names(certificate.name))
    return [place for place in places if os.path.lexists(place)]


def read_keys(path: Path) -> str:
    """A file of public keys, of allowed signers or of authorized keys, as allowed signers."""
    try:
        text = read_bytes(path, MOST_KEYS_BYTES, "public keys").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidArgument(f"Expected public keys, got no text in {path}.") from None
    if "PRIVATE KEY-----" in text:
        raise InvalidArgument(
            f"Expected public keys, got a private key in {path}. Give the file that ends in .pub."
        )
    lines = [
        _allowed_signer(line.strip(), f"{path}, line {number}")
        for number, line in enumerate(text.split("\n"), start=1)
    ]
    if set(lines) == {_EMPTY}:
        raise InvalidArgument(f"Expected public keys, got none in {path}.")
    return "\n".join(lines)


def _allowed_signer(line: str, place: str) -> str:
    """A line for ssh-keygen, in its place so that errors name the right one."""
    first, *rest = line.split(maxsplit=2) or [""]
    if not first or first.startswith("#"):
        return _EMPTY
    if _LOGIN_OPTION.match(first):
        raise InvalidArgument(
            f"Expected a public key or an allowed signer, got options for logging in at {place}. "
            "Remove them, or put a name in their place."
        )
    if not any(map(_KEY_TYPE.fullmatch, line.split())):
        raise InvalidArgument(f"Expected a public key or an allowed signer, got none at {place}.")
    if not _KEY_TYPE.fullmatch(first):
        return line
    return f'{_PLAIN} namespaces="{NAMESPACE}" {first} {rest[0] if rest else ""}'


def verify(certificate: Path, keys: str) -> Checked:
    """Verify every signature beside a certificate, and say whose they are, by allowed signers.

    There is a check a signature by one of these keys, and one a file that is no signature of this
    certificate. Signatures by other keys are named as not checked beside one that is known.
    """
    find_ssh_keygen()
    message = read_bytes(certificate, MOST_BYTES)
    checks, signers, strangers = list[Check](), list[Signer](), dict[str, str]()
    for place in signature_files(certificate):
        name = one_line(place.name, 100)
        with TemporaryDirectory(prefix=_PREFIX) as scratch:
            Path(scratch, _KEYS_FILE).write_text(keys, encoding="utf-8")
            try:
                key_type, fingerprint = _key_of(scratch, read_signature(place), message)
            except InvalidArgument as error:
                checks.append(failed(name, error))
                continue
            principals, reason = _principals(scratch, message)
        if not principals:
            strangers[name] = one_line(f"the {key_type} key {fingerprint} ({reason})")
            continue
        principal = None if principals == [_PLAIN] else one_line(", ".join(principals), 200)
        signers.append(Signer(principal, key_type, fingerprint, name))
        checks.append(Check(name, True))
    if not signers:
        wanted = "Expected a signature by one of the keys given, which may sign now"
        checks += [Check(name, False, f"{wanted}, got {key}.") for name, key in strangers.items()]
        if not checks:
            finding = f"{wanted}, got none in {signature_names(certificate.name)[0]}."
            checks.append(Check("signature", False, one_line(finding)))
        return Checked(tuple(checks), signers=())
    why = "that these keys are those of whom you mean; a signature says who, and neither when nor "
    others = (Trusted(name, f"a signature with {key}") for name, key in strangers.items())
    return Checked(
        tuple(checks),
        tuple(Verified(each.file, f"signed by {each}") for each in signers),
        (Trusted("signers", f"{why}that what was signed is true"), *others),
        tuple(signers),
    )


def read_signature(place: Path) -> bytes:
    """What a file of a signature holds, which is no link, and no longer than one can be."""
    if place.is_symlink():
        raise InvalidArgument("Expected a signature, got a link.")
    try:
        return read_bytes(place, MOST_SIGNATURE_BYTES, "a signature")
    except InvalidArgument:
        raise InvalidArgument(
            f"The signature is not an ordinary file of at most {MOST_SIGNATURE_BYTES} bytes."
        ) from None


def key_of(signature: bytes, message: bytes) -> tuple[str, str]:
    """The type and the fingerprint of the key that signed this, no matter whose."""
    with TemporaryDirectory(prefix=_PREFIX) as scratch:
        return _key_of(scratch, signature, message)


def _key_of(scratch: str, signature: bytes, message: bytes) -> tuple[str, str]:
    Path(scratch, _SIGNATURE_FILE).write_bytes(signature)
    words = ("check-novalidate", "-n", NAMESPACE, "-s", _SIGNATURE_FILE)
    done = _ssh_keygen(scratch, *words, message=message)
    match = _SIGNED_WITH.search(done.stdout)
    if done.returncode or match is None:
        raise InvalidArgument(f"Expected a signature of this certificate, got {_reason(done)}.")
    if signature.rpartition(_END)[2].strip():  # which ssh-keygen does not read
        raise InvalidArgument("Expected a signature of this certificate alone, got text after it.")
    return match[1], match[2]


def _principals(scratch: str, message: bytes) -> tuple[list[str], str]:
    """List who may sign with a signature's key, by the allowed signers; else why nobody may."""
    words = ("-f", _KEYS_FILE, "-s", _SIGNATURE_FILE)
    done = _ssh_keygen(scratch, "find-principals", *words)
    names = [] if done.returncode else done.stdout.splitlines()
    name = next((each for each in names if each and not each.startswith("!")), None)
    if name is None:
        return [], _reason(done)
    done = _ssh_keygen(scratch, "verify", "-n", NAMESPACE, *words, "-I", name, message=message)
    if done.returncode or not _SIGNED_WITH.search(done.stdout):
        return [], _reason(done)
    return names, ""


def sign(message: bytes, key: Path) -> bytes:
    """The signature of a certificate's bytes by a private key, or by its half in an agent."""
    on_terminal = os.isatty(0) and os.isatty(2)  # then ssh-keygen asks there for what it needs
    with TemporaryDirectory(prefix=_PREFIX) as scratch:
        Path(scratch, _MESSAGE_FILE).write_bytes(message)
        words = ("sign", "-q", "-n", NAMESPACE, "-f", str(key.absolute()), _MESSAGE_FILE)
        done = _ssh_keygen(scratch, *words, on_terminal=on_terminal)
        if done.returncode:
            if on_terminal:  # where ssh-keygen has said why
                raise InvalidArgument(f"Expected a key that signs, got {key}.")
            raise InvalidArgument(
                f"Expected a key that signs, got {key} ({_reason(done)}). If it has a passphrase, "
                "hand it to an agent by ssh-add, or sign in a terminal."
            )
        return read_signature(Path(scratch, f"{_MESSAGE_FILE}.sig"))


def _ssh_keygen(
    folder: str, *words: str, message: bytes = b"", on_terminal: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run `ssh-keygen -Y`; off a terminal in a session of its own, where it can ask nobody."""
    words = (find_ssh_keygen(), "-Y", *words)
    if on_terminal:
        return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    done = subprocess.run(
        words, cwd=folder, input=message, capture_output=True, start_new_session=True, check=False
    )
    said = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(words, done.returncode, *said)


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """What ssh-keygen said, without the prompt that nobody could answer."""
    said = [line.removeprefix("Enter passphrase: ").strip() for line in done.stderr.splitlines()]
    return one_line("; ".join(dict.fromkeys(filter(None, said))).rstrip(".") or "no reason", 300)
