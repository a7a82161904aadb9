"""Pages of the public names with their whole docstrings, as Markdown for `docs/build.py`."""

import inspect
import re
from collections.abc import Iterator
from types import ModuleType

import deniable
from docs.python import entry, topics

UNDERLINED = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.M)
"""How numpydoc begins a section."""
ITEM = re.compile(
    r"^(?P<name>\S[^\n]*?)(?: : (?P<kind>[^\n]+))?\n(?P<text>(?:    [^\n]*\n?|\n)+)", re.M
)
"""A parameter, a result or an error, with what is indented below it."""
ROLE = re.compile(r":math:`([^`]+)`")


def api_pages() -> dict[str, str]:
    """Markdown of each topic, by the name of its page."""
    rooms = {"deniable": deniable} | {f"deniable.{x}": getattr(deniable, x) for x in topics()}
    return {name: "".join(_page(name, room)) for name, room in rooms.items()}


def _page(name: str, room: ModuleType) -> Iterator[str]:
    yield f"# {name}\n\n{inspect.cleandoc(room.__doc__ or '').splitlines()[0]}\n"
    for each in dir(room):
        value = getattr(room, each)
        if inspect.ismodule(value):
            yield f"\n- [{name}.{each}]({name}.{each}.md)\n"
            continue
        head = entry(room, each, value).split("\n\n")[0]
        yield f"\n## {name}.{each}\n\n"
        if head.startswith("```"):
            yield f"{head}\n\n"
        if callable(value):
            yield as_markdown(inspect.cleandoc(value.__doc__ or ""))


def as_markdown(docstring: str) -> str:
    r"""A numpydoc docstring as Markdown.

    Examples
    --------
    >>> print(as_markdown("One line.\n\nParameters\n----------\nx : float\n    A number.\n"))
    One line.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `x` (float): A number.
    <BLANKLINE>
    """
    first, *rest = UNDERLINED.split(docstring + "\n")
    parts = [_prose(first)]
    for title, text in zip(rest[::2], rest[1::2], strict=True):
        body = _code(text) if title == "Examples" else _items(text)
        parts.append(f"**{title}**\n\n{body}")
    return "\n".join(parts)


def _prose(text: str) -> str:
    """Text with formulas as they are written, and tables of doctests as code."""
    text = re.sub(
        r"\.\. math::((?:\n|.)*?)(?=\n\S|\Z)", lambda m: f"\n```\n{_formula(m[1])}\n```\n", text
    )
    text = re.sub(r"\[([a-z-]+-\d{4})\]_", r"[\1](../bibliography.md#\1)", text)
    return _escaped(ROLE.sub(r"`\1`", text).replace("::\n", ":\n")).strip() + "\n"


def _formula(text: str) -> str:
    return inspect.cleandoc(text).strip()


def _escaped(text: str) -> str:
    return text.replace("``", "`").replace("<", "&lt;")


def _items(text: str) -> str:
    found = [_item(each) for each in ITEM.finditer(text)]
    return "\n".join(found) + "\n" if found else _prose(text)


def _item(found: re.Match[str]) -> str:
    kind = f" ({found['kind']})" if found["kind"] else ""
    words = " ".join(_escaped(inspect.cleandoc(found["text"])).split())
    return f"- `{found['name']}`{kind}: {words}"


def _code(text: str) -> str:
    return f"```python\n{text.strip()}\n```\n"
