"""What a check found: what was recomputed, what does not hold, and what nobody can recompute."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from deniable.certificate.json_documents import Schema, statement_sha256
from deniable.certificate.leaves import differences, leaves
from deniable.errors import InvalidArgument
from deniable.errors.public_names import nearest
from deniable.numerics.answer import Answer, fields_of

_LONGEST = 160  # characters of a value in a finding, and of a query's name

_MOST_NAMED = 3  # names in one sentence

_RECOMPUTED = "recomputed from what was asked for"


@attrs.frozen
class Check:
    """One thing that was recomputed, and what was found where it does not hold."""

    name: str
    holds: bool
    finding: str = ""

    @classmethod
    def that(cls, name: str, holds: bool, finding: str) -> "Check":
        """A check with a finding only where it does not hold."""
        return cls(name, holds, "" if holds else finding)


@attrs.frozen
class Verified:
    """What was verified, and how: a file, or a part of one."""

    what: str
    how: str


@attrs.frozen
class VerifiedValue(Verified):
    """A value of the certificate; `what` is its JSON pointer."""


@attrs.frozen
class Trusted:
    """A value, or a file, that is taken on trust, and why."""

    what: str
    why: str


@attrs.frozen
class Signer:
    """The signer of a certificate, by the file that holds the signature.

    `principal` is the name, or names with commas between, that a file of allowed signers gives the
    key; None where it names keys only. `fingerprint` is OpenSSH's, SHA-256 in base64.
    """

    principal: str | None
    key_type: str
    fingerprint: str
    file: str

    def __str__(self) -> str:
        """One line, for people."""
        key = f"the {self.key_type} key {self.fingerprint}"
        return key if self.principal is None else f"{self.principal}, with {key}"


@attrs.frozen(repr=False)
class Checked(Answer):
    """Everything that was found.

    Parameters
    ----------
    checks : tuple of Check
        By what was compared.
    verified : tuple of Verified
        Places of the certificate (JSON pointers, `*` for any index) and files; where a check does
        not hold, only what was compared.
    on_trust : tuple of Trusted
        The same of what nobody can recompute from what was given.
    signers : tuple of Signer, or None
        Who signed, of those whose keys were given; None where none were.
    """

    checks: tuple[Check, ...]
    verified: tuple[Verified, ...] = ()
    on_trust: tuple[Trusted, ...] = ()
    signers: tuple[Signer, ...] | None = None

    @property
    def holds(self) -> bool:
        """Whether everything that was compared holds."""
        return all(check.holds for check in self.checks)

    @property
    def files(self) -> tuple[Verified, ...]:
        """What was verified of files; the others are values of the certificate."""
        return tuple(each for each in self.verified if not isinstance(each, VerifiedValue))

    def joined(self, other: "Checked") -> "Checked":
        """Both answers, one after the other."""
        return Checked(
            (*self.checks, *other.checks),
            (*self.verified, *other.verified),
            (*self.on_trust, *other.on_trust),
            self.signers if other.signers is None else other.signers,
        )

    def refusal(self, wanted: str) -> InvalidArgument:
        """Return the error about what does not hold, for those who need a whole one."""
        wrong = next(each for each in self.checks if not each.holds)
        return InvalidArgument(
            f"Expected {wanted} that holds, got one whose {wrong.name} does not: {wrong.finding} "
            "deniable check says more."
        )

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable check` prints; `signers` where keys were given."""
        signers = () if self.signers is None else ("signers",)
        return fields_of(self, "holds", "checks", "verified", "on_trust", *signers)


V = TypeVar("V")


def known_word(word: Any, known: Mapping[str, V], others: Mapping[str, str], given: Any) -> V:
    """Return what a word names; refuse it, as it was given, with the nearest one."""
    if word in known:
        return known[word]
    near = nearest(given, known, others) if isinstance(given, str) else None
    advice = f" Did you mean {near}?" if near else ""
    raise InvalidArgument(f"Expected one of {', '.join(known)}, got {given!r}.{advice}")


def one_line(text: str, most: int = 4 * _LONGEST) -> str:
    """A text that a terminal shows as it is: on one line, without control marks, and not long."""
    printable = "".join(mark if mark.isprintable() else "\ufffd" for mark in text[:most])
    return printable if len(text) <= most else f"{printable}…"


def name_some(names: Sequence[str]) -> str:
    """The first of a folder's names and how many more there are, on one line."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(one_line(name, 100) for name in names[:_MOST_NAMED]) + more


def failed(name: str, error: Exception) -> Check:
    """What could not be recomputed, and why."""
    return Check(name, False, one_line(str(error)))


def compare_documents(
    names: Mapping[str, str], claimed: Mapping[str, Any], expected: Mapping[str, Any]
) -> list[Check]:
    """Each part of a certificate beside the same part recomputed.

    `names` says what a check is called by the first key of its places; a key that is left out is
    called what it is.
    """
    findings: dict[str, str] = {}
    for key in {**expected, **claimed}:
        name = names.get(key, key.replace("_", " "))
        one, other = ({key: each[key]} if key in each else {} for each in (claimed, expected))
        first = next(differences(one, other), None)
        if key in expected:
            findings.setdefault(name, "")
        if first is not None:
            findings[name] = findings.get(name) or difference(*first)
    return [Check(name, not finding, finding) for name, finding in findings.items()]


def difference(
    place: str,
    got: object,
    wanted: object,
    longest: int = _LONGEST,
    spell: Callable[[object], str] = repr,
) -> str:
    """A finding on where two documents differ."""
    texts = [spell(value) for value in (wanted, got)]
    one, other = (each if len(each) <= longest else f"{each[:longest]}…" for each in texts)
    return one_line(f"Expected {one}, got {other} at {place}.")


def has_valid_digest(document: Mapping[str, Any]) -> Check:
    """Whether a certificate states what its own digest was made of."""
    digest = statement_sha256(document)
    finding = f"Expected the SHA-256 of the statement, {digest}, got another."
    return Check.that("statement", document.get("statement_sha256") == digest, finding)


def standing(
    schema: Schema, keywords: Sequence[str], document: Mapping[str, Any]
) -> tuple[tuple[Verified, ...], tuple[Trusted, ...]]:
    """What of a certificate is recomputed and what is on trust, by the one list: its schema."""
    places = {
        place: why
        for place, why in leaves(schema, keywords).items()
        if _is_there(document, place.split("/")[1:])
    }
    return (
        tuple(VerifiedValue(place, _RECOMPUTED) for place, why in places.items() if why is None),
        tuple(Trusted(place, why) for place, why in places.items() if why is not None),
    )


def _is_there(value: Any, steps: Sequence[str]) -> bool:
    """Whether a document says something at a place: a null or an empty list on the way says it."""
    match value, steps:
        case {}, [step, *rest]:
            return step in value and _is_there(value[step], rest)
        case [_, *_], ["*", *rest]:
            return any(_is_there(each, rest) for each in value)
        case _:
            return True
