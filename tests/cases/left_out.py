"""Tests that need what a machine may lack: left out with one reason, and never where CI is set."""

import os
from typing import NoReturn

import pytest

PREFIX = "Left out: "


def left_out(part: str, remedy: str) -> NoReturn:
    """Skip a test whose part has no server here; under CI that is a failure.

    `make test` ends with one line a part: "Left out: PostgreSQL (no server found: …)".
    """
    if os.environ.get("CI"):
        pytest.fail(f"{part} must be tested where CI is set: {remedy}", pytrace=False)
    pytest.skip(f"{PREFIX}{part} ({remedy})")


def reasons(skipped) -> list[str]:
    """What was left out, each part once, from the reports of skipped tests."""
    said = {report.longrepr[2].removeprefix("Skipped: ") for report in skipped}
    return sorted(reason for reason in said if reason.startswith(PREFIX))
