"""The prose of errors is in one place, `tests/messages`: a new sentence changes one line there."""

import ast
import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from deniable import errors
from tests.cases.refusals import MESSAGES

TESTS = Path(__file__).resolve().parent
MOST_WORDS = 3
"""In a pattern of an error that is not ours, but of Python, a library or the operating system."""
MADE_AT_RUN_TIME = 2
"""Patterns that a test computes: Python's words and the system's. May only fall."""


@functools.cache
def texts() -> dict[str, str]:
    """The text of each file of tests; read when a test asks, not at import."""
    return {
        path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(TESTS.rglob("*.py"))
        if path.name != "refusals.py"
    }


@functools.cache
def nodes(kind: type[ast.AST], written: str) -> list[tuple[str, ast.AST]]:
    """Each node of a kind in the tests, with its place; of files where a pattern stands."""
    return [
        (f"{name}:{node.lineno}", node)
        for name, text in texts().items()
        if re.search(written, text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kind)
    ]


def patterns() -> Iterator[tuple[str, str, ast.expr]]:
    """Place, errors and pattern of each `match=` that names no message."""
    for place, call in nodes(ast.Call, r"\bmatch\s*="):
        for keyword in call.keywords:
            if keyword.arg == "match" and "pattern_of(" not in ast.unparse(keyword.value):
                yield place, ast.unparse(call.args[0]), keyword.value


def is_prose(text: str) -> bool:
    """Whether a text has more words than a name or a number needs."""
    return len(re.findall(r"[A-Za-z]{2,}", text)) > MOST_WORDS


def test_errors_of_ours_are_known_by_their_message():
    ours = set(errors.__all__)
    assert [each[0] for each in patterns() if ours & set(re.findall(r"\w+", each[1]))] == []


def test_a_pattern_in_a_test_is_a_word_or_two_of_others():
    literal = {place: each.value for place, _, each in patterns() if isinstance(each, ast.Constant)}
    assert [place for place, text in literal.items() if is_prose(text)] == []
    assert len([*patterns()]) - len(literal) <= MADE_AT_RUN_TIME


def test_no_sentence_is_looked_for_in_an_error():
    """In the text of an exception, or in what a command says beside its answer."""
    sentences = [
        place
        for place, compared in nodes(ast.Compare, r"\.stderr\b|\bstr\(\w+\.value\)")
        if isinstance(compared.ops[0], ast.In)
        and re.search(r"\.stderr$|^str\(\w+\.value\)$", ast.unparse(compared.comparators[0]))
        and isinstance(compared.left, ast.Constant)
        and is_prose(str(compared.left.value))
    ]
    assert sentences == []


def test_each_message_is_in_a_test():
    begun = re.compile(r"""["']([a-z0-9-]+)(?=["':])""")
    used = {name for text in texts().values() for name in begun.findall(text)}
    assert sorted(set(MESSAGES) - used) == []


def test_a_message_has_an_identifier_of_words_and_a_pattern_of_its_own():
    assert [name for name in MESSAGES if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)] == []
    patterns = sorted(MESSAGES.values())
    assert [one for one, next_ in itertools.pairwise(patterns) if one == next_] == []
