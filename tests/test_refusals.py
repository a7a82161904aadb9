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
KINDS = (ast.Call, ast.Compare, ast.Constant)
MOST_WORDS = 3
"""In a pattern of an error that is not ours, but of Python, a library or the operating system."""
MADE_AT_RUN_TIME = 2
"""Patterns that a test computes: Python's words and the system's. May only fall."""


@functools.cache
def all_nodes() -> list[tuple[str, ast.AST]]:
    """Each node of `KINDS` in the tests, with its place; parsed when a test asks, not at import."""
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        if path.name != "refusals.py":
            name = path.relative_to(TESTS).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            nodes = (node for node in ast.walk(tree) if isinstance(node, KINDS))
            found += [(f"{name}:{node.lineno}", node) for node in nodes]
    return found


def nodes(kind: type[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """Each node of a kind in the tests, with its place."""
    return ((place, node) for place, node in all_nodes() if isinstance(node, kind))


def patterns() -> Iterator[tuple[str, str, ast.expr]]:
    """Place, errors and pattern of each `match=` that names no message."""
    for place, call in nodes(ast.Call):
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
        for place, compared in nodes(ast.Compare)
        if isinstance(compared.ops[0], ast.In)
        and re.search(r"\.stderr$|^str\(\w+\.value\)$", ast.unparse(compared.comparators[0]))
        and isinstance(compared.left, ast.Constant)
        and is_prose(str(compared.left.value))
    ]
    assert sentences == []


def test_each_message_is_in_a_test():
    texts = (str(node.value) for _, node in nodes(ast.Constant) if isinstance(node.value, str))
    assert sorted(set(MESSAGES) - {text.partition(":")[0] for text in texts}) == []


def test_a_message_has_an_identifier_of_words_and_a_pattern_of_its_own():
    assert [name for name in MESSAGES if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)] == []
    patterns = sorted(MESSAGES.values())
    assert [one for one, next_ in itertools.pairwise(patterns) if one == next_] == []
