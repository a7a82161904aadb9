"""What every command shares: one JSON object or plain lines, and exit statuses for errors."""

import functools
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, ParamSpec

import typer

from deniable.errors import (
    BudgetExceeded,
    DeniableError,
    InfeasibleTarget,
    NoDerivation,
    NotApplicable,
)

P = ParamSpec("P")

WRONG_INPUT = 2
REFUSED = 3
OUR_FAULT = 1
INTERRUPTED = 130
_NEAR = Decimal("1e-12")
"""A number within this share of a short decimal is shown as that decimal."""
_SHORT = 6
"""Digits of a short decimal."""
_REFUSALS = (InfeasibleTarget, BudgetExceeded, NoDerivation, NotApplicable)


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn exceptions into one line on standard error and the documented exit status."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except typer.Exit:
            raise
        except KeyboardInterrupt:
            _fail("Interrupted; nothing was written.", INTERRUPTED)
        except BrokenPipeError:
            sys.stderr.close()
            raise typer.Exit(OUR_FAULT) from None
        except DeniableError as error:
            _fail(str(error), REFUSED if isinstance(error, _REFUSALS) else WRONG_INPUT)
        except OSError as error:
            place = f" ({error.filename})" if error.filename else ""
            _fail(f"The system refused: {error.strerror}{place}. Nothing was written.", WRONG_INPUT)
        except Exception as error:
            _fault(error)

    return run


def print_json(answer: dict[str, Any]) -> None:
    """One object on standard output; infinities as text, never NaN."""
    text = json.dumps(_plain(answer), ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write(text + "\n")


def print_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Aligned name and value pairs."""
    pairs = list(lines)
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        typer.echo(f"{name:<{width}}  {value}".rstrip())


def at_most(value: float, digits: int = 5) -> str:
    """A claimed number, rounded up to so many significant digits."""
    return _rounded(value, digits, ROUND_CEILING)


def at_least(value: float, digits: int = 5) -> str:
    """A number to apply, rounded down to so many significant digits."""
    return _rounded(value, digits, ROUND_FLOOR)


def _rounded(value: float, digits: int, rounding: str) -> str:
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    exact = Decimal(value)
    near = Context(prec=min(digits, _SHORT)).create_decimal(exact)
    if abs(near - exact) <= abs(near) * _NEAR:
        rounded = near  # 0.30000000000000004 is 0.3
    else:
        rounded = Context(prec=digits, rounding=rounding).create_decimal(exact)
    if not value or 1e-4 <= abs(value) < 1e9:
        return f"{rounded.normalize():f}"
    mantissa, exponent = f"{rounded:e}".split("e")
    return f"{Decimal(mantissa).normalize():f}e{int(exponent):+d}"


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case float() if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        case _:
            return value


def _fail(message: str, status: int) -> None:
    typer.echo(message, err=True)
    raise typer.Exit(status) from None


def _fault(error: Exception) -> None:
    # The message of a foreign exception may quote a record: type and code place only.
    if os.environ.get("DENIABLE_DEBUG") == "1":
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    name = os.path.basename(frame.filename)
    _fail(
        f"A fault of ours: {type(error).__name__} at {name}:{frame.lineno}. Please report it; "
        "DENIABLE_DEBUG=1 shows more, which may quote the data.",
        OUR_FAULT,
    )
