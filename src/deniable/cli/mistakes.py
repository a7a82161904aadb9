"""Mistakes on the command line in the words of the command line: options, and what was meant."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from deniable.errors.public_names import nearest

UsageError: Any = typer.BadParameter.__base__
"""What Typer raises for a command line that it cannot read."""

COMMANDS = {
    "publish": "release", "run": "release", "execute": "release", "validate": "check",
    "init": "new", "create": "new", "template": "new", "dry-run": "preview", "add": "compose",
    "total": "compose", "calc": "calibrate", "budget": "calibrate", "prove": "derive",
    "judge": "verify", "attack": "audit", "genome": "gwas", "genomics": "gwas", "plink": "gwas",
    "normal": "gaussian", "geometric": "discrete-laplace", "help": "--help", "version": "--version",
}  # fmt: skip
"""Words of others for our commands."""
OPTIONS = {
    "--sigma": "--scale", "--scale": "--sigma", "--std": "--sigma", "--output": "--out",
    "--posterior": "--max-posterior", "--eps": "--epsilon", "--success": "--attack-success",
    "--phenotype": "--pheno", "--phenotypes": "--pheno", "--memory": "--memory-limit",
    "-o": "--out", "--timeout": "--time-limit", "--threads": "--workers", "--jobs": "--workers",
    "--n": "--size",
}  # fmt: skip
"""Words of others for our options."""
REMARKS = {
    "explain": "Write one guarantee such as pure-dp:1, or --epsilon and a number.",
    "derive": "Write FROM and TO as one word each, such as pure-dp:1; several releases are "
    "added up by deniable compose.",
    "risk": "Write a baseline behind --baseline, and what holds of the same release too behind "
    "--also.",
}
"""What to say of a command that is given more words than it takes."""
ARGUMENTS = {"pheno": "phenotype", "identifiability": "rho"}
"""Options that messages call by another name."""

_QUOTED = re.compile(r"""("[^"]*"|(?<=\s)'[^']*')""")
_ONE_OF = re.compile(r"(?<=exactly one )(?:target )?of [^.]*")
_COUNTS = {1: "a value", 2: "two values"}
_FRACTION = re.compile(r"(\d+)/(\d+)")
_POWER = re.compile(r"10(?:\^|\*\*)(-?\d+)")
_COMMA = re.compile(r"-?\d+,\d+")


def options_of(command: Any) -> dict[str, str]:
    """The option of each argument of a command, by its name in Python."""
    options = {}
    for parameter in command.params:
        if parameter.param_type_name == "option":
            options[parameter.name] = parameter.opts[-1]
            options[ARGUMENTS.get(parameter.name, parameter.name)] = parameter.opts[-1]
    return options


def with_options(message: str, options: Mapping[str, str]) -> str:
    """A message with options where it uses arguments as code; nothing in quotation marks changes.

    An argument is code between backticks, before ``=``, in a comparison, in "Expected … to be" and
    in "exactly one of …".

    Examples
    --------
    >>> with_options("Expected gamma >= 1, got gamma=0.5.", {"gamma": "--gamma"})
    'Expected --gamma >= 1, got --gamma 0.5.'
    """
    pieces = _QUOTED.split(message)
    return "".join(
        piece if number % 2 else _name_options(piece, options)
        for number, piece in enumerate(pieces)
    )


def _name_options(text: str, options: Mapping[str, str]) -> str:
    for name, option in sorted(options.items(), key=lambda pair: -len(pair[0])):
        word = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        text = re.sub(rf"`{re.escape(name)}`", option, text)
        text = re.sub(rf"{word}=\[([^],]*), ([^],]*)\]", rf"{option} \1 \2", text)
        text = re.sub(rf"{word}=", f"{option} ", text)
        text = re.sub(rf"{word}(?= (?:[<>]=?|low\b|high\b))", option, text)
        text = re.sub(rf"(?<=[<>=] ){word}", option, text)
        text = re.sub(rf"(?<=Expected ){word}(?= to be )", option, text)
    return _ONE_OF.sub(lambda match: _all_renamed(match[0], options), text)


def _all_renamed(text: str, options: Mapping[str, str]) -> str:
    return re.sub(r"(?<!-)\b[a-z_]+\b", lambda word: options.get(word[0], word[0]), text)


def unknown_command(context: Any, word: str) -> str:
    """The one sentence for a command that is not there, and the nearest that is."""
    group = context.command
    known = [*group.list_commands(context), "--help", "--version"]
    near = nearest(word, known, COMMANDS)
    advice = f"Did you mean {near}?" if near else f"See {context.command_path} --help."
    return f'Expected a command of {context.command_path}, got "{word}". {advice}'


def sentence(error: Any, context: Any, args: list[str]) -> str | None:
    """The one sentence for a line that Typer cannot read; None where it is not an error."""
    match type(error).__name__:
        case "NoSuchOption":
            advice = _unknown_option(error.option_name, context)
            return (
                f"Expected an option of {context.command_path}, got {error.option_name}. {advice}"
            )
        case "BadOptionUsage":
            return _without_value(_option(context, error.option_name), error)
        case "MissingParameter":
            name = _label_of(error.param)
            return f"Expected {name}, got none. Add {name}: {_purpose(error.param)}"
        case "BadParameter":
            return _unreadable(error.param, error.message, context, args)
        case "UsageError" if "extra" in error.message:
            return _left_over(error.message, context)
        case _:
            return None


def _unknown_option(word: str, context: Any) -> str:
    known = [name for each in context.command.params for name in each.opts if name[:2] == "--"]
    near = nearest(word, [*known, "--help"], OPTIONS)
    if near is None and len(word) > 1:
        start = "--" + word.lstrip("-").lower()
        near = next((name for name in known if name.startswith(start)), None)
    if near:
        return f"Did you mean {near}?"
    elsewhere = [path for path, names in _everywhere(context) if word in names]
    if elsewhere and word != "--help":
        return f"It belongs to {', '.join(elsewhere[:3])}."
    return f"See {context.command_path} --help."


def _everywhere(context: Any) -> Iterator[tuple[str, list[str]]]:
    """Every command with its options."""
    root = context.find_root()  # whose object is the program, where it made one command only
    command = root.command if root.obj is None else typer.main.get_command(root.obj())
    waiting = [(root.command_path, command)]
    for path, command in waiting:
        below = getattr(command, "commands", {})
        waiting += [(f"{path} {name}", each) for name, each in below.items()]
        if not below:
            yield path, [name for each in command.params for name in each.opts]


def _option(context: Any, name: str) -> Any:
    return next(each for each in context.command.params if name in each.opts)


def _without_value(option: Any, error: Any) -> str:
    name = option.opts[-1]
    if "does not take" in error.message:
        return f"Expected {name} without a value, got one. Write {name} alone."
    wanted = _COUNTS[option.nargs]
    return f"Expected {wanted} after {name}, got fewer. Add {wanted}: {_purpose(option)}"


def _unreadable(parameter: Any, message: str, context: Any, args: list[str]) -> str:
    """A word where a number is wanted, and the number that may be meant."""
    values, _, _ = context.command.make_parser(context).parse_args(args=list(args))
    given = values[parameter.name]
    words = [given] if isinstance(given, str) else list(given)
    is_integer = "integer" in message
    wrong = next((word for word in words if not _reads(word, is_integer)), words[0])
    kind = "two numbers" if len(words) > 1 else "a whole number" if is_integer else "a number"
    advice = _as_number(wrong, is_integer)
    return f'Expected {_label_of(parameter)} to be {kind}, got "{wrong}". {advice}'


def _reads(word: str, is_integer: bool) -> bool:
    try:
        (int if is_integer else float)(word)
    except ValueError:
        return False
    return True


def _as_number(word: str, is_integer: bool) -> str:
    """How the number is written that a word stands for."""
    written = word.strip().strip("[]()")
    if _COMMA.fullmatch(written):
        return f"Write {written.replace(',', '.')}, with a point."
    if (fraction := _FRACTION.fullmatch(written)) and int(fraction[2]):
        return f"Write {int(fraction[1]) / int(fraction[2])!r}."
    if power := _POWER.fullmatch(written):
        return f"Write 1e{power[1]}."
    if len(written) == 1 and (value := unicodedata.numeric(written, None)) is not None:
        return f"Write {value:g}."
    if written.startswith("--"):
        return "Put a number before the next option."
    return f"Write it in digits, such as {'20' if is_integer else '0.5'}."


def _left_over(message: str, context: Any) -> str:
    extra = message[message.index("(", message.index("(s)") + 3) + 1 : -1]
    advice = REMARKS.get(context.command.name, "")
    name, _, value = extra.partition("=" if "=" in extra else " ")
    for option in options_of(context.command).values():
        if option == f"--{name}":
            advice = f"Write {option} {value}".rstrip() + "."
    said = f'Expected nothing more after {context.command_path} and its options, got "{extra}".'
    return f"{said} {advice or 'Remove it.'}"


def _label_of(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        return str(parameter.opts[-1])
    return str(parameter.metavar or parameter.name)


def _purpose(parameter: Any) -> str:
    """The first sentence of a parameter's help."""
    text = str(getattr(parameter, "help", None) or "what it stands for.")
    return text if text.endswith((".", "?")) else f"{text}."
