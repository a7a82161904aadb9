"""What refusals say: a test names a message; the message's pattern is a line of `tests/messages`.

If a sentence of the source changes, its line there changes, and no test. A test names a message by
its identifier, such as `new-file`. A pattern may have gaps, `{}`: then values can follow, such as
`not-above-0: sigma` or `not-whole: steps | steps=2.5`. A gap without a value, or with `_`, is any
text.
"""

import re
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "messages"
_FILES = [tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))]
MESSAGES: dict[str, str] = {name: pattern for file in _FILES for name, pattern in file.items()}
"""The pattern of each message: a regular expression that is searched for."""
assert len(MESSAGES) == sum(map(len, _FILES)), "An identifier is in two files of messages."


def pattern_of(message: str) -> str:
    """Return the regular expression of a message, its gaps filled.

    Examples
    --------
    >>> pattern_of("not-above-0: sigma")
    'Expected sigma > 0, got .*'
    """
    name, _, values = message.partition(": ")
    first, *others = MESSAGES[name].split("{}")
    given = values.split(" | ") if values else []
    assert len(given) <= len(others), f"{message!r} has more values than its pattern has gaps."
    filled = [".*" if value == "_" else re.escape(value) for value in given]
    filled += [".*"] * (len(others) - len(given))
    return first + "".join(map("".join, zip(filled, others, strict=True)))


def refuses(errors: type[Exception] | tuple[type[Exception], ...], message: str):
    """Expect a block to raise one of the errors with this message."""
    return pytest.raises(errors, match=pattern_of(message))


def says(text: object, message: str) -> bool:
    """Whether a text, such as an error or what a command printed, has this message."""
    return re.search(pattern_of(message), str(text)) is not None
