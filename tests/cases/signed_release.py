"""A small release, OpenSSH keys, and what signs as anybody with ssh-keygen would."""

import subprocess
from pathlib import Path

import deniable
from tests.cases.programs import need

PLAN = """
[data]
source = "{folder}/people.csv"
adjacency = "add-remove"
types = {{ person = "integer" }}
[target]
epsilon = {epsilon}
[[query]]
name = "people"
statistic = "count"
"""


def needs_ssh_keygen() -> None:
    need("ssh-keygen")


def make_key(path: Path, passphrase: str = "") -> Path:
    """A private key, with its public half beside it."""
    words = ["-q", "-t", "ed25519", "-N", passphrase, "-C", "a comment", "-f", str(path)]
    subprocess.run(["ssh-keygen", *words], check=True)
    return path


def public(key: Path) -> str:
    """The public half on one line, without its comment."""
    return " ".join(key.with_name(f"{key.name}.pub").read_text().split()[:2])


def release(folder: Path, name: str, epsilon: float = 1.0) -> Path:
    (folder / "people.csv").write_text("person\n1\n2\n3\n")
    return Path(deniable.release(PLAN.format(folder=folder, epsilon=epsilon), folder / name).out)


def sign_by_hand(key: Path, message: Path, signature: Path, namespace: str) -> None:
    """A signature of any file, in any namespace, with no part of the package."""
    words = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(key)]
    made = subprocess.run(words, input=message.read_bytes(), capture_output=True, check=True)
    signature.write_bytes(made.stdout)
