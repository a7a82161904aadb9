"""One release of many statistics, with keys that other programs take for something else."""

import pyarrow as pa
import pytest

import deniable

AREAS = ["01", "1", "02", "=1+1", "1e3", "true", "Total", 'é, "x"']
MONTHS = ["2024-01", "2024-02", "2024-03"]
PLAN = {
    "data": {"adjacency": "add-remove"},
    "adversary": {"prior": [0.1, 0.5]},
    "target": {"max_posterior": 0.8},
    "report": {"title": "Admissions by area", "organisation": "North Hospital"},
    "keys": {"area": AREAS, "month": MONTHS, "sex": ["f", "m"]},
    "query": [
        {"name": "admissions", "statistic": "crosstab", "columns": ["area", "month"],
         "margins": 2, "whole": True},
        {"name": "pairs of three", "statistic": "crosstab", "columns": ["area", "month", "sex"],
         "margins": [["area", "sex"], ["month"], ["sex"]]},
        {"name": "age/[a:b]?", "statistic": "histogram", "column": "age",
         "edges": [0, 25, 45, 120], "group_by": ["sex"]},
        {"name": "AGE [a b]", "statistic": "mean", "column": "age", "bounds": [0, 120],
         "group_by": ["area"]},
        {"name": "median", "statistic": "quantile", "column": "age", "bounds": [0, 120],
         "quantile": 0.5},
        {"name": "most frequent", "statistic": "top", "column": "area", "number": 2},
    ],
}  # fmt: skip
TABLE = pa.table(
    {
        "area": [AREAS[n % len(AREAS)] for n in range(240)],
        "month": [MONTHS[n % 3] for n in range(240)],
        "sex": ["fm"[n // 7 % 2] for n in range(240)],
        "age": [n % 90 for n in range(240)],
    }
)


@pytest.fixture(scope="package")
def again():
    """Release the plan into a folder."""
    return lambda out: deniable.release(PLAN, out, data=TABLE)


@pytest.fixture(scope="package")
def published(tmp_path_factory, again):
    """The folder of the release; nobody writes into it."""
    out = tmp_path_factory.mktemp("release") / "published"
    again(out)
    return out
