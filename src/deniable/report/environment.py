"""What all templates share: escaping, the kit, words for numbers; the only place of Jinja."""

import functools
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import resources
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from deniable.certificate.limits import plural
from deniable.report import sentences
from deniable.report.charts import inline
from deniable.report.html import PALETTE, Html, forbid_breaks, name, stylesheet, text
from deniable.theorems.analysis import EACH_WAY, posterior_lower, posterior_upper

_FUNCTIONS = (
    "at_least", "at_most", "chance", "claim", "common", "exactly", "exception",
    "factor", "format_value", "half_width", "in_own_word", "members", "one",
    "pair", "protected", "rounded_up", "significant",
)  # fmt: skip
"""Functions of `sentences` that templates call by name, or as filters."""
_PERCENTAGES = ("at_least", "chance", "exactly", "exception", "pair")
"""Functions whose percentages stay on one line of the page."""
_UNIT = re.compile(r"(?<=\d) (?=%)|(?<=±) (?=[\d∞])")  # the blank in "95 %" and in "± 4"
_BREAK = r"[ \t]*\n\s*"
_BESIDE_TAGS = re.compile(rf"(?<=>){_BREAK}|{_BREAK}(?=<)")


@functools.cache
def environment() -> Environment:
    """Return the place of all templates, made once."""
    made = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=text,
        extensions=[_JoinedLines],
        bytecode_cache=_Compiled(str(Path(cache_from_source(__file__)).parent), "template-%s"),
        auto_reload=False,
    )
    functions = {each: getattr(sentences, each) for each in _FUNCTIONS}
    functions |= {each: _with_unbroken(functions[each]) for each in _PERCENTAGES}
    made.filters |= functions | {
        "counted": lambda number, word: f"{number:,} {word if number == 1 else plural(word)}",
        # A difference of two shares, such as "30 %", is in percentage points.
        "points": lambda share: text(re.sub(r"\s%$", " percentage points", share)),
        "forbid_breaks": forbid_breaks, "name": name, "plural": plural,
        "signed": lambda number: f"{number:,}".replace("-", "−"),
        "thousands": "{:,}".format, "unbroken": _unbroken,
    }  # fmt: skip
    made.globals |= functions | {
        "EACH_WAY": EACH_WAY, "draw": inline, "newline": Html("\n"),
        "css": lambda file: Html(f"\n{_source(file)[0]}"),  # the rules of one page
        "palette": PALETTE, "stylesheet": stylesheet,
        "posterior_lower": posterior_lower, "posterior_upper": posterior_upper,
    }  # fmt: skip
    made.globals["kit"] = made.get_template("report/kit.html").module
    return made


def _unbroken(words: str) -> str:
    """Return the same words with numbers that a line does not break from their unit."""
    return type(words)(_UNIT.sub("\u00a0", words))


def _with_unbroken(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function with `_unbroken` answers."""

    @functools.wraps(function)
    def joined(*values: Any) -> Any:
        words = function(*values)
        return tuple(map(_unbroken, words)) if isinstance(words, tuple) else _unbroken(words)

    return joined


class _JoinedLines(Extension):
    """Joins the lines of a template as JSX does, so that it may be indented and its page is not.

    A break beside a tag or a statement is nothing, and so is one between two values; elsewhere
    between words it is a blank.
    """

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """The same tokens, with the text between them on one line."""
        tokens = list(stream)
        types = [None, *(token.type for token in tokens), None]
        for token, before, after in zip(tokens, types, types[2:], strict=False):
            if token.type != "data":
                yield token
                continue
            words = re.sub(rf"\A{_BREAK}\Z", "", _BESIDE_TAGS.sub("", token.value))
            if before != "variable_end":
                words = re.sub(rf"\A{_BREAK}", "", words)
            if after != "variable_begin":
                words = re.sub(rf"{_BREAK}\Z", "", words)
            yield Token(token.lineno, token.type, _unbroken(re.sub(_BREAK, " ", words)))


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates beside the compiled modules of this folder, where Python may write."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep one for the next process, unless nothing is to be kept."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


def _source(template: str) -> tuple[str, str, None]:
    """What stands in a file, and the file's name for messages."""
    package, _, file = template.rpartition("/")
    place = resources.files("deniable").joinpath(package, "templates", file)
    return place.read_text("utf-8"), str(place), None
