"""docs/reference/python.md from the package's doors; `python docs/python.py` writes it anew."""

import ast
import enum
import importlib
import inspect
import itertools
import operator
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

import deniable

PAGE = Path(__file__).resolve().parent / "reference" / "python.md"
WIDTH = 88
"""Characters of a signature that stand on one line."""
HEAD = """# Python

This page lists the public names of `import deniable`: functions with the names of the
[commands](commands.md), a few values that several of them take, and topics. `dir()` of the package
and of each topic shows these names and no others, a star imports them, and type checkers and
editors know their arguments. `help(deniable.calibrate)` says what each argument means, in which
unit, and which errors the function raises, with an example. The site that `make docs` builds has a
page [for each name](api.md). `python docs/python.py` writes this page.

| topic | holds |
|---|---|
"""


def page() -> str:
    """The whole page."""
    return "".join([HEAD, *_topic_rows(), *_section(deniable), *map(_topic, topics())])


def topics() -> list[str]:
    """Names of the modules that hold public names of their own, each before those within it."""
    return [*_topics_of(deniable, "")]


def rooms() -> dict[str, ModuleType]:
    """The package and its topics by their names."""
    places = {f"deniable.{each}": operator.attrgetter(each)(deniable) for each in topics()}
    return {"deniable": deniable} | places


def names_again() -> set[str]:
    """Public names whose object has a page under another public name already."""
    names = [
        (f"{room}.{name}", getattr(value, name))
        for room, value in rooms().items()
        for name in dir(value)
    ]
    first = {id(value): name for name, value in reversed(names)}
    return {name for name, value in names if first[id(value)] != name}


def _topics_of(module: ModuleType, before: str) -> Iterator[str]:
    for name in dir(module):
        if inspect.ismodule(value := getattr(module, name)):
            yield before + name
            yield from _topics_of(value, f"{before}{name}.")


def _topic_rows() -> Iterator[str]:
    for name in topics():
        said = _first_line(operator.attrgetter(name)(deniable).__doc__)
        yield f"| [`deniable.{name}`](#deniable{name.replace('.', '')}) | {said} |\n"


def _topic(name: str) -> str:
    module = operator.attrgetter(name)(deniable)
    return "".join([f"\n## deniable.{name}\n\n{_first_line(module.__doc__)}\n", *_section(module)])


def _section(module: ModuleType) -> Iterator[str]:
    if module is deniable:
        yield "\n## deniable\n"
    for name in dir(module):
        value = getattr(module, name)
        if not inspect.ismodule(value):
            yield f"\n### {module.__name__}.{name}\n\n{entry(module, name, value)}\n"


def entry(module: ModuleType, name: str, value: Any) -> str:
    """How a public name is written and called, and what it is in one sentence."""
    said = _first_line(value.__doc__ if callable(value) else _below_alias(module, name))
    if isinstance(value, enum.EnumMeta):
        return f"{said} One of {', '.join(f'`{member.name}`' for member in value)}."
    if inspect.isfunction(value) or hasattr(value, "__attrs_attrs__"):
        return f"```python\n{_signature(f'{module.__name__}.{name}', value)}\n```\n\n{said}"
    return said  # an exception, a protocol or a union: nobody calls it


class _Source(str):
    """Text that a signature shows as it is written in the source."""

    __repr__ = str.__str__


def _signature(path: str, value: Any) -> str:
    """How it is called, an argument a line where one line is too short."""
    notes, defaults = _in_source(value)
    signature = inspect.signature(value)
    parameters = [
        each.replace(
            annotation=notes.get(each.name, each.empty),
            default=each.default if each.default is each.empty else _shown(each, defaults),
        )
        for each in signature.parameters.values()
    ]
    gives = notes.get("return", signature.empty)
    line = path + str(inspect.Signature(parameters, return_annotation=gives))
    if len(line) <= WIDTH:
        return line
    lines = [f"    {each},\n" for each in _one_by_one(parameters)]
    return f"{path}(\n{''.join(lines)})" + ("" if gives is signature.empty else f" -> {gives}")


def _shown(parameter: inspect.Parameter, defaults: dict[str, _Source]) -> _Source:
    """A default as it is written; where that is the name of a constant, its value."""
    match parameter.default:
        case str() as text if not isinstance(text, enum.Enum):
            return _Source(f'"{text}"')
        case Path() as path:
            return _Source(f'Path("{path}")')
    return defaults[parameter.name]


def _one_by_one(parameters: list[inspect.Parameter]) -> Iterator[str]:
    named_only = False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not named_only:
            named_only = True
            yield "*"
        yield str(each)


def _in_source(value: Any) -> tuple[dict[str, _Source], dict[str, _Source]]:
    """Annotations and defaults by name, as the source of a function or attrs class has them."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    if isinstance(tree, ast.FunctionDef):
        arguments = tree.args.args + tree.args.kwonlyargs
        notes = {each.arg: each.annotation for each in arguments} | {"return": tree.returns}
        given = dict(zip(reversed(tree.args.args), reversed(tree.args.defaults), strict=False))
        given |= dict(zip(tree.args.kwonlyargs, tree.args.kw_defaults, strict=True))
        defaults = {argument.arg: default for argument, default in given.items()}
    else:
        assert isinstance(tree, ast.ClassDef)
        fields = [each for each in tree.body if isinstance(each, ast.AnnAssign)]
        names = [ast.unparse(each.target).lstrip("_") for each in fields]
        notes = {name: each.annotation for name, each in zip(names, fields, strict=True)}
        defaults = {
            name: _default(each.value)
            for name, each in zip(names, fields, strict=True)
            if each.value
        }
        for base in filter(attrs.has, value.__bases__):
            inherited = _in_source(base)
            return inherited[0] | _texts(notes), inherited[1] | _texts(defaults)
    return _texts(notes), _texts(defaults)


def _default(value: ast.expr) -> ast.expr:
    """What `attrs.field` is told, or what is written instead of it."""
    if not isinstance(value, ast.Call) or ast.unparse(value.func) != "attrs.field":
        return value
    told = {each.arg: each.value for each in value.keywords}
    return told.get("default", ast.Constant(...))


def _texts(nodes: dict[str, ast.expr | None]) -> dict[str, _Source]:
    """Without the names of modules before those of classes."""
    shown = {name: ast.unparse(node) for name, node in nodes.items() if node is not None}
    return {name: _Source(re.sub(r"\b[a-z_]+\.(?=[A-Z])", "", x)) for name, x in shown.items()}


def _below_alias(module: ModuleType, name: str) -> str | None:
    """The string below the definition of a type alias, in the module that the stub names."""
    stub = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    place = re.search(rf"^from ([\w.]+) import {name} as", stub, re.MULTILINE)
    assert place is not None
    body = ast.parse(inspect.getsource(importlib.import_module(place[1]))).body
    for node, below in itertools.pairwise(body):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name:
            match below:
                case ast.Expr(ast.Constant(str(text))):
                    return text
    return None


def _first_line(docstring: str | None) -> str:
    """The summary as Markdown: keys lead to the bibliography, formulas stay in the docstring."""
    first = (docstring or "").strip().split("\n", 1)[0]
    first = re.sub(r"[,:] :math:`[^`]*`", "", first)
    return re.sub(r"\[?\b([a-z]+(?:-[a-z]+)*-\d{4})\b(?:\]_)?", r"[\1](bibliography.md#\1)", first)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
