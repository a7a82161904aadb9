"""Mistakes on the command line in the words of the command line: options, and what was meant."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import click

from deniable.errors.arguments import WORDS
from deniable.errors.public_names import nearest

_WORDS: Mapping[str, Any] = json.loads(
    Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
)
"""Words of others for our `commands` and `options`; our option `instead` of another program's.

Then `remarks` on a command that is given more words than it takes, what is said of ranges that are
`points`, and `arguments` that messages call by another name.
"""

_QUOTED = re.compile(r"""("[^"]*"|(?<=\s)'[^']*')""")
_ONE_OF = re.compile(r"(?<=exactly one )(?:target )?of [^.]*")
_WORD = re.compile(r"(?<!-)\b[a-z_]+\b")
_COMMA = re.compile(r"-?\d+,\d+")
_COUNTS = {1: "a value", 2: "two values"}


def options_of(command: click.Command) -> dict[str, str]:
    """The option of each argument of a command, by its name in Python."""
    options = {}
    for each in command.params:
        if isinstance(each, click.Option) and each.name is not None:
            options[each.name] = each.opts[-1]
            for name in _WORDS["arguments"].get(each.name, ()):
                options.setdefault(name, each.opts[-1])
    return options


def with_options(message: str, options: Mapping[str, str]) -> str:
    """A message with options where it uses arguments as code, but in quotation marks."""
    # An argument is code between backticks, before =, in a comparison, in "Expected … to be" and in
    # "exactly one of …".
    names = "|".join(re.escape(name) for name in sorted(options, key=len, reverse=True))
    word = rf"({names})(?![\w-])"
    as_code = re.compile(
        rf"`({names})`|(?<![\w-])(?:{word}(?:=\[([^],]*), ([^],]*)\]|(=)"
        rf"|(?= (?:[<>]=?|low\b|high\b)))|(?<=[<>=] ){word}|(?<=Expected ){word}(?= to be ))"
    )

    def option_of(match: re.Match[str]) -> str:
        code, name, low, high, is_given, compared, expected = match.groups()
        option = options[code or name or compared or expected]
        return f"{option} {low} {high}" if low is not None else f"{option} " if is_given else option

    def with_names(text: str) -> str:
        text = as_code.sub(option_of, text) if options else text
        return _ONE_OF.sub(lambda all_: _WORD.sub(lambda w: options.get(w[0], w[0]), all_[0]), text)

    pieces = _QUOTED.split(message)
    pieces[::2] = map(with_names, pieces[::2])
    return "".join(pieces)


_PLANNED = (" release", " plan", " preview")


def sentence(error: click.UsageError, context: click.Context) -> str | None:
    """The one sentence for a line that Click cannot read; None where its own has to do."""
    path = context.command_path
    match error:
        case click.NoSuchCommand():
            known = cast(click.Group, context.command).list_commands(context)
            near = nearest(error.command_name, [*known, "--help", "--version"], _WORDS["commands"])
            advice = f"Did you mean {near}?" if near else f"See {path} --help."
            return f'Expected a command of {path}, got "{error.command_name}". {advice}'
        case click.NoSuchOption(option_name=option):
            is_of_plans = context.parent is context.find_root() and path.endswith(_PLANNED)
            place = WORDS["in_a_plan"].get(option.strip("-").replace("-", "_"))
            advice = f"The plan says it: {place} = …."
            if not (is_of_plans and place):
                advice = _unknown_option(option, context)
            return f"Expected an option of {path}, got {option}. {advice}"
        case click.BadOptionUsage():
            given = next(each for each in context.command.params if error.option_name in each.opts)
            name = given.opts[-1]
            if getattr(given, "is_flag", False):
                return f"Expected {name} without a value, got one. Write {name} alone."
            wanted = _COUNTS[given.nargs]
            advice = _WORDS["points"].get(name, f"Add {wanted}: {_purpose(given)}")
            return f"Expected {wanted} after {name}, got fewer. {advice}"
        case click.MissingParameter(param=click.Parameter() as parameter):
            name = _label_of(parameter)
            return f"Expected {name}, got none. Add {name}: {_purpose(parameter)}"
        case _:
            return None


def _unknown_option(word: str, context: click.Context) -> str:
    known = [name for each in context.command.params for name in each.opts if name[:2] == "--"]
    # Of another program's option it is no matter which of ours it looks like.
    is_other = _WORDS["instead"].get(word, ("", ""))[0] in known
    # Without dashes, in which all words are alike.
    options = {name.lstrip("-"): name for name in [*known, "--help"]}
    others = {each.lstrip("-"): ours.lstrip("-") for each, ours in _WORDS["options"].items()}
    near = None if is_other else options.get(nearest(word.lstrip("-"), options, others) or "")
    if near is None and len(word) > 1:
        start = "--" + word.lstrip("-").lower()
        near = next((name for name in known if name.startswith(start)), None)
    if near:
        return f"Did you mean {near}?"
    root = context.find_root()
    ours, remark = _WORDS["instead"].get(nearest(word, _WORDS["instead"]) or word, ("", ""))
    for command, names in _below(context.command, root, context.command_path):
        if ours in names:
            return str(remark.format(path=command))
    everywhere = _below(root.command, root, root.command_path)
    elsewhere = [path for path, names in everywhere if word in names]
    own, name = f"{context.command_path} ", f" {context.command.name}"
    elsewhere.sort(key=lambda path: not path.startswith(own) and not path.endswith(name))
    if elsewhere and word != "--help":
        return f"It belongs to {', '.join(elsewhere[:3])}. See {elsewhere[0]} --help."
    return f"See {context.command_path} --help."


def _below(
    command: click.Command, root: click.Context, path: str
) -> Iterator[tuple[str, list[str]]]:
    """A command, or every one of a group, with its options, the nearest to the group first."""
    waiting = [(path, command)]
    for path, each in waiting:
        if isinstance(each, click.Group):
            names = each.list_commands(root)
            below = [(f"{path} {name}", each.get_command(root, name)) for name in names]
            waiting += [(name, child) for name, child in below if child is not None]
        else:
            yield path, [name for parameter in each.params for name in parameter.opts]


def unreadable(parameter: click.Parameter, word: str, is_whole: bool) -> str:
    """A word where a number is wanted, and the number that may be meant."""
    kind = "two numbers" if parameter.nargs > 1 else "a whole number" if is_whole else "a number"
    written = word.strip().strip("[]()")
    if _COMMA.fullmatch(written):
        advice = f"Write {written.replace(',', '.')}, with a point."
    elif written.startswith("--"):
        advice = _WORDS["points"].get(_label_of(parameter), "Put a number before the next option.")
    else:
        advice = f"Write it in digits, such as {'20' if is_whole else '0.5 or 1e-6'}."
    return f'Expected {_label_of(parameter)} to be {kind}, got "{word}". {advice}'


def left_over(context: click.Context, extra: str) -> str:
    """The one sentence for words that no argument takes."""
    advice = _WORDS["remarks"].get(context.command.name or "", "")
    name, _, value = extra.partition("=" if "=" in extra else " ")
    for option in options_of(context.command).values():
        if option == f"--{name}":
            advice = f"Write {option} {value}".rstrip() + "."
    said = f'Expected nothing more after {context.command_path} and its options, got "{extra}".'
    return f"{said} {advice or 'Remove it.'}"


def _label_of(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return parameter.opts[-1]
    return parameter.metavar or parameter.name or ""


def _purpose(parameter: click.Parameter) -> str:
    """The first sentence of a parameter's help."""
    text = str(getattr(parameter, "help", None) or "what it stands for.")
    return text if text.endswith((".", "?")) else f"{text}."
