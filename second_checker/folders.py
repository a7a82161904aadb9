"""The files of a release: their digests, the published plan, and the table of results."""

import csv
import datetime
import hashlib
import io
import itertools
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

from .schemas import same
from .verdicts import Findings

LARGEST = 256 * 2**20
COLUMNS = (
    "bin_low", "bin_high", "category", "rank", "value", "half_width_95", "half_width_unit",
    "rows_per_entity", "max_contribution", "bound_low", "bound_high",
)  # fmt: skip


def check(folder: Path, certificate: dict[str, Any], f: Findings) -> None:
    """Compare the files beside a certificate with it."""
    texts = {}
    for name, digest in certificate.get("files", {}).items():
        path = folder / name
        if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST:
            f.refuse(("files", name), "no such file, or too large a one")
            continue
        texts[name] = path.read_bytes()
        fits = hashlib.sha256(texts[name]).hexdigest() == digest
        f.state(("files", name), fits, "another file than was published")
    if f.refused or "plan" not in certificate:
        return
    try:
        plan = plain(tomllib.loads(texts["plan.toml"].decode("utf-8")))
    except ValueError as error:
        f.refuse(("files", "plan.toml"), f"no TOML: {error}")
        return
    if not same(plan, certificate["plan"], written=True):
        f.refuse(("plan",), "plan.toml says something else")
    results(texts["results.csv"].decode("utf-8"), certificate, f)
    for name in texts:
        if name not in ("plan.toml", "results.csv"):
            f.unopened.append(f"{name}: what it says; its digest is compared")


def plain(value: Any) -> Any:
    """A plan as its certificate has it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, datetime.datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, datetime.date):
        return {"$date": value.isoformat()}
    return value


def results(text: str, certificate: dict[str, Any], f: Findings) -> None:
    """Each row's query, statistic, keys, bins, unit of steps and half-width."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    plan = certificate["plan"]
    if {"sample", "continue"} & set(plan):
        f.unopened.append("results.csv: tables with more columns")
        return
    expected = []
    for query in certificate["queries"]:
        each = expected_rows(query)
        if each is None:
            f.unopened.append(f"results.csv: what a {query['statistic']} publishes")
            return
        expected += each
    if len(rows) != len(expected):
        f.refuse(("files", "results.csv"), f"{len(rows)} rows where {len(expected)} follow")
        return
    for number, (row, wanted) in enumerate(zip(rows, expected, strict=True), 1):
        step = wanted.pop("step")
        for key, value in wanted.items():
            if row.get(key) != value:
                f.refuse(("files", "results.csv"), f"row {number}, {key}: expected {value!r}")
        try:
            if (
                step is not None
                and (Fraction(float(row["value"])) / Fraction(step)).denominator != 1
            ):
                f.refuse(("files", "results.csv"), f"row {number}: no whole number of steps")
        except (ValueError, OverflowError):
            f.refuse(("files", "results.csv"), f"row {number}: no number")
    f.unopened.append("results.csv: values, ranks, half-widths of means, columns of limits")


def expected_rows(query: dict[str, Any]) -> list[dict[str, Any]] | None:
    """What rows a query has, but for the numbers that got the noise."""
    statistic, parameters = query["statistic"], query["parameters"]
    base = {"query": query["name"], "column": query["column"] or "", "statistic": statistic}
    groups: list[dict[str, str]] = [{}]
    for group in query["group_by"]:
        if not all(isinstance(key, str) for key in group["keys"]):
            return None
        groups = [{**g, f"group:{group['column']}": key} for g in groups for key in group["keys"]]
    parts = query["parts"]
    rows: list[dict[str, Any]] = []
    for group in groups:
        width = None if parts[0]["half_width_95"] is None else repr(parts[0]["half_width_95"])
        noisy = {**base, **group, "half_width_95": width, "step": parts[0]["step"]}
        if statistic in ("count", "entities", "sum"):
            rows.append(noisy)
        elif statistic == "histogram":
            edges = [repr(float(edge)) for edge in parameters["edges"]]
            for low, high in itertools.pairwise(edges):
                rows.append({**noisy, "bin_low": low, "bin_high": high})
        elif statistic == "mean" and len(parts) == 2 and parts[1]["mechanism"] is not None:
            rows.append({**base, **group, "step": None})
            count = {"statistic": "count", "half_width_95": repr(parts[1]["half_width_95"])}
            rows.append({**noisy, **count, "step": parts[1]["step"]})
        elif statistic == "quantile":
            rows.append({**noisy, "step": None})
        elif statistic == "top":
            for rank in range(1, parameters["number"] + 1):
                rows.append({**noisy, "rank": str(rank), "step": None})
        else:
            return None
    return rows
