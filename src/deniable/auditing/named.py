"""A function or model that is named by its module: ``module:name``."""

import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from deniable.errors import InvalidArgument
from deniable.errors.suggest import nearest
from deniable.errors.validate import format_value


def named(text: str) -> Any:
    """What stands in a module under a name, with the current folder on the path.

    Parameters
    ----------
    text : str
        ``module:name``, where both may have dots.

    Raises
    ------
    InvalidArgument
        If there is no such module or name, or the module fails while it is imported.

    Examples
    --------
    >>> named("math:exp")(0.0)
    1.0
    """
    module, _, path = text.partition(":")
    is_file = module.endswith(".py")
    if is_file or not path or not all(each.isidentifier() for each in module.split(".")):
        remedy = ""
        if is_file:
            remedy = f" Write {Path(module).stem}:{path or 'FUNCTION'}, in the folder where it is."
        raise InvalidArgument(
            f"Expected a plan (PLAN.toml) or MODULE:FUNCTION, got {format_value(text)}.{remedy}"
        )
    found: Any = _imported(module)
    for name in path.split("."):
        if not hasattr(found, name):
            near = nearest(name, [each for each in dir(found) if not each.startswith("_")])
            remedy = f" Did you mean {near}?" if near else ""
            raise InvalidArgument(f"Expected a name of {module}, got {format_value(path)}.{remedy}")
        found = getattr(found, name)
    return found


def _imported(module: str) -> Any:
    """The module; processes that help find it in the same folder, for the path goes with them."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.startswith(error.name):
            raise InvalidArgument(
                "Expected a module that is installed or in this folder, got "
                f"{format_value(module)}."
            ) from None
        raise _failed(module, error) from error
    except (Exception, SystemExit) as error:
        raise _failed(module, error) from error


def _failed(module: str, error: BaseException) -> InvalidArgument:
    """What a module raised, by type and place."""
    what = type(error).__name__
    if isinstance(error, SyntaxError):
        place = f"{os.path.basename(error.filename or module)}:{error.lineno}"
    else:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    if isinstance(error, ModuleNotFoundError):
        what = f"no module {format_value(error.name)}"
    return InvalidArgument(f"Expected a module that can be imported, got {what} at {place}.")
