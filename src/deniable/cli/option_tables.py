"""Options that stand in a table beside a guest's commands: their words are data."""

import tomllib
from pathlib import Path
from typing import Annotated, Any

from deniable.cli.commands import Option
from deniable.cli.option_groups import REQUIRED, Options

_TYPES: dict[str, Any] = {
    "text": str, "path": Path, "integer": int, "number": float, "flag": bool,
    "texts": list[str], "paths": list[Path], "integers": list[int],
    "two integers": tuple[int, int], "two numbers": tuple[float, float],
    "two texts": tuple[str, str],
}  # fmt: skip
"""What a table calls the types of options."""


def read_options(module: str) -> dict[str, Options]:
    """Return the groups of options in `options.toml`, the table beside the file of this module.

    An option that is `like` another, "group.name", has what it does not say from there.
    """
    with Path(module).with_name("options.toml").open("rb") as file:
        groups = tomllib.load(file)

    def read(name: str, own: dict[str, Any]) -> tuple[str, Any, Any]:
        group, _, other = own.get("like", "").partition(".")
        entry = groups[group][other] | own if group else own
        default = entry.get("default", False if entry["type"] == "flag" else None)
        if isinstance(default, list):
            default = tuple(default)
        words = {key: entry[key] for key in ("help", "metavar", "older") if key in entry}
        words["help"] = " ".join(words["help"].split())
        names = [entry["option"]] if "option" in entry else []
        declared = Option(*names, **words, is_point_enough="is_point_enough" in entry)
        kind: Any = Annotated[_TYPES[entry["type"]], declared]
        return entry.get("argument", name), kind, REQUIRED if entry.get("required") else default

    return {
        group: {name: read(name, own) for name, own in options.items()}
        for group, options in groups.items()
    }
