"""Two certificates with made-up results, for the tests of certificate and report."""

import datetime
import math
from collections.abc import Sequence

import attrs

from deniable.certificate.model import CertifiedPart, Guarantee, Sensitivity, Unit
from deniable.certificate.results import Key, ResultRow
from deniable.certificate.tables import (
    FORMAT_1,
    NOT_COVERED,
    CertifiedGroup,
    CertifiedQuery,
    TableCertificate,
    assumptions,
    unit_sentence,
)
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.target import GammaTarget, MaxPosteriorTarget, Step

PLANS = CertifiedGroup("plan", ("free", "shared", "catastrophic"))
KEYS = {"since": (datetime.date(1974, 1, 1), datetime.date(1975, 1, 1))}
YEARS = CertifiedGroup("since", KEYS["since"])
EDGES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 52.0)
REASONS = ("injury", "infection", "pregnancy", "check-up", "other")
STEP = 2.0**-18
VERSIONS = {
    "deniable": "0.1.0", "opendp": "0.16.0", "duckdb": "1.5.6", "ibis": "12.0.0",
    "python": "3.11.2",
}  # fmt: skip
EPSILON = 0.8873031950009027


def laplace(
    label: str, epsilon: float, l1: int, half_width: float | None, step: float = 1.0
) -> CertifiedPart:
    return CertifiedPart(
        label=label,
        mechanism="discrete-laplace",
        step=step,
        scale=step * l1 / epsilon,
        sensitivity=Sensitivity("l1", l1),
        epsilon=epsilon,
        half_width_95=half_width,
    )


def selection(label: str, epsilon: float, changes: int, half_width: float) -> CertifiedPart:
    return CertifiedPart(
        label=label,
        mechanism="noisy-top-k-exponential",
        step=1.0,
        scale=2 * changes / epsilon,
        sensitivity=Sensitivity("linf-sum", changes, monotone=False),
        epsilon=epsilon,
        half_width_95=half_width,
    )


def query(
    name: str,
    statistic: str,
    parts: Sequence[CertifiedPart],
    column: str | None = None,
    groups: Sequence[CertifiedGroup] = (),
    **other: object,
) -> CertifiedQuery:
    parameters = {
        key: other.pop(key)
        for key in ("bounds", "edges", "quantile", "candidates", "categories", "number")
        if key in other
    }
    fields: dict[str, object] = {
        "where": (),
        "weight": 1.0,
        "max_contribution": None,
        "cells": math.prod(len(group.keys) for group in groups),
    }
    return CertifiedQuery(
        name=name,
        statistic=statistic,
        column=column,
        parameters=parameters,
        group_by=tuple(groups),
        parts=tuple(parts),
        **(fields | other),  # type: ignore[arg-type]
    )


def sample_queries() -> tuple[CertifiedQuery, ...]:
    share = EPSILON / 8
    return (
        query("years by plan", "count", [laplace("count", share, 10, 271.0)], groups=[PLANS]),
        query(
            "visits by plan and year",
            "sum",
            [laplace("sum", 2 * share, 40_000_000, 541.2, STEP)],
            "visits",
            [PLANS, YEARS],
            bounds=[0, 52],
            where=(("age", ">=", 18), ("region", "in", ("north", "south"))),
            max_contribution=100.0,
            weight=2.0,
        ),
        query(
            "mean visits by plan",
            "mean",
            [laplace("sum", share, 65_000_000, 660.0, STEP), laplace("count", share, 10, 271.0)],
            "visits",
            [PLANS],
            bounds=[0, 52],
            weight=2.0,
        ),
        query(
            "visits in a year",
            "histogram",
            [laplace("histogram", share, 10, 271.0)],
            "visits",
            edges=EDGES,
        ),
        query(
            "median age",
            "quantile",
            [selection("quantile", share, 5, 611.5)],
            "age",
            bounds=[0, 120],
            quantile=0.5,
            candidates=121,
        ),
        query(
            "most frequent reasons",
            "top",
            [selection("top", share, 5, 402.0)],
            "reason",
            categories=REASONS,
            number=3,
        ),
    )


def cells(groups: Sequence[CertifiedGroup]) -> list[dict[str, Key]]:
    result: list[dict[str, Key]] = [{}]
    for group in groups:
        keys = KEYS.get(group.column, group.keys)
        result = [{**cell, group.column: key} for cell in result for key in keys]
    return result


def sample_rows() -> list[ResultRow]:
    rows = [
        ResultRow("years by plan", "count", None, key, value=value, half_width_95=271.0,
                  half_width_unit="rows")
        for key, value in zip(cells([PLANS]), (6840.0, 2377.0, -41.0), strict=True)
    ]  # fmt: skip
    rows += [
        ResultRow("visits by plan and year", "sum", "visits", key, value=value,
                  half_width_95=541.2, half_width_unit="visits")
        for key, value in zip(
            cells([PLANS, YEARS]),
            (14211.3789, 13809.21, 7120.5, 6904.125, 1211.0, -88.25),
            strict=True,
        )
    ]  # fmt: skip
    for key, value, width, number in zip(
        cells([PLANS]), (4.1239, 2.9117, 6.4), (0.31, 0.62, 45.6), (6851.0, 2290.0, 12.0),
        strict=True,
    ):  # fmt: skip
        name = "mean visits by plan"
        rows.append(ResultRow(name, "mean", "visits", key, value=value, half_width_95=width,
                              half_width_unit="visits"))  # fmt: skip
        rows.append(ResultRow(name, "count", "visits", key, value=number, half_width_95=271.0,
                              half_width_unit="rows"))  # fmt: skip
    rows += [
        ResultRow("visits in a year", "histogram", "visits", {}, low, high, value=value,
                  half_width_95=271.0, half_width_unit="rows")
        for low, high, value in zip(
            EDGES[:-1], EDGES[1:], (6308.0, 3817.0, 4420.0, 3355.0, 1502.0, 389.0), strict=True
        )
    ]  # fmt: skip
    rows.append(ResultRow("median age", "quantile", "age", value=26.0, half_width_95=611.5,
                          half_width_unit="rows"))  # fmt: skip
    rows += [
        ResultRow("most frequent reasons", "top", "reason", category=reason, rank=rank,
                  half_width_95=402.0, half_width_unit="rows")
        for rank, reason in enumerate(("infection", "check-up", "injury"), start=1)
    ]  # fmt: skip
    return rows


def sample_certificate() -> TableCertificate:
    """Pure, replace-one, γ = 2 against beliefs in [0.3, 0.7]."""
    entity, adjacency = "person", Adjacency.REPLACE_ONE
    return TableCertificate(
        format=FORMAT_1,
        created="2026-11-21",
        plan_sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        unit=Unit(entity, adjacency, unit_sentence(entity, adjacency)),
        adversary=BoundedPriors(0.3, 0.7),
        target=GammaTarget(2.0),
        guarantee=Guarantee(
            epsilon=EPSILON,
            delta=0.0,
            exceedance=0.0,
            rho=None,
            gamma=2.0,
            gamma_outside=2.428571428571429,
            attack_success=0.7083333333333334,
            advantage=0.4166666666666667,
        ),
        derivation=(
            Step(
                f"pure-dp:{EPSILON}",
                "positive-membership:2.0",
                "pure_dp_to_positive_membership (tramer-2015, Theorem 2; add-remove: "
                "li-2013, Theorem 4.5)",
            ),
        ),
        rows_per_entity=5,
        queries=sample_queries(),
        assumptions=assumptions(entity, 5),
        not_covered=NOT_COVERED,
        versions=VERSIONS,
    )


def gaussian_certificate() -> TableCertificate:
    """δ > 0, add-remove, rows as entities, at most 50 % from beliefs up to 0.1 %."""
    part = CertifiedPart(
        label="count",
        mechanism="discrete-gaussian",
        step=1.0,
        scale=3.1,
        sensitivity=Sensitivity("l2", 1.0),
        rho=0.052,
        half_width_95=6.0,
    )
    return attrs.evolve(
        sample_certificate(),
        unit=Unit(None, Adjacency.ADD_REMOVE, unit_sentence(None, Adjacency.ADD_REMOVE)),
        adversary=BoundedPriors(0.0, 0.001),
        target=MaxPosteriorTarget(0.005),
        guarantee=Guarantee(
            epsilon=1.613,
            delta=1e-6,
            exceedance=1e-6,
            rho=0.052,
            gamma=5.018,
            gamma_outside=5.018,
            attack_success=0.572,
            advantage=0.144,
        ),
        derivation=(
            Step("zcdp:0.052@add-remove", "privacy-loss-tail:1.613,1e-06@add-remove",
                 "zcdp_to_privacy_loss_tail (bun-steinke-2016, Lemma 3.5)"),
            Step("privacy-loss-tail:1.613,1e-06@add-remove", "max-posterior:0.005",
                 "pure_dp_to_max_posterior (tramer-2015, Equation 9)"),
        ),
        rows_per_entity=None,
        queries=(query("years by plan", "count", [part], groups=[PLANS]),),
        assumptions=assumptions(None, None),
    )  # fmt: skip
