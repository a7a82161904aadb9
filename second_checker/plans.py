"""What follows from a plan, and whether a certificate says it.

Rounded numbers are compared by what must hold of them: shares sum to no more than the budget.
"""

import itertools
import math
import re
from fractions import Fraction
from typing import Any

from . import numbers
from .claims import Claims
from .numbers import ball
from .parts import Design, Part, crosstab, margins_of, parts_of, tree, tree_of
from .verdicts import FOLDER, is_number, once_each

PAGE = (FOLDER.parents[2] / "docs" / "reference" / "certificate.md").read_text("utf-8")
WORDS = dict(re.findall(r"^- `([a-z-]+)`: (.+)$", PAGE, re.MULTILINE))
EARLIER = WORDS | dict(re.findall(r"^- `([a-z-]+)` in 2: (.+)$", PAGE, re.MULTILINE))
"""Sentences of certificates, as the page has them, in format 2.1 and in format 2."""
WITHHELD = (("data", "source"), ("adversary", "population"), ("ledger", "file"), ("ledger", "url"))
COMMON = "name statistic group_by keys where max_contribution weight precision"
OWN = {
    "count": "", "entities": "", "sum": "column bounds", "mean": "column bounds nulls",
    "histogram": "column edges quantiles", "top": "column number", "removed": "most_rows",
    "quantile": "column bounds quantile candidates", "variance": "column bounds",
    "regression": "column bounds predictors", "running_count": "",
    "crosstab": "columns margins importance whole rows", "tree": "levels nested importance whole",
}  # fmt: skip
"""Keys of queries, of all and of each statistic."""
TARGETS = ("gamma", "max_posterior", "attack_success", "advantage", "identifiability", "epsilon")


class PlanCertificate(Claims):
    """One certificate of a plan on a table, and what was found of it."""

    def check(self) -> None:
        """Compare everything that this checker can recompute."""
        f, c = self.f, self.c
        self.plan: dict[str, Any] = c["plan"]
        self.entity, self.rows = c["unit"]["entity"], c["limits"]["rows_per_entity"]
        self.swap = self.adjacency == "replace-one"
        self.owned = self.rows if self.entity is not None else 1
        self.asked_for(self.plan)
        if f.refused:
            return
        parts = [self.parts(i) for i in range(len(c["queries"]))]
        if self.pure and self.g["delta"] != 0:
            f.cannot(("guarantee",), "pure noise beside keys that nobody knew")
        elif not is_number(self.total):
            f.refuse(("guarantee",), "the budget is infinite")
        else:
            self.shares(parts)
        self.derivation()
        self.sentences()
        if "ledger" in c:
            f.equal(("ledger", "dataset"), self.plan.get("ledger", {}).get("dataset"))
            self.charged([part for query in c["queries"] for part in query["parts"]])
        if "population" in c:
            f.cannot(("population",), "what holds against whoever knows the list")

    def asked_for(self, plan: dict[str, Any]) -> None:
        """Names, keys and limits: word by word what the plan says."""
        f, data = self.f, plan.get("data", {})
        if any(plan.get(table, {}).get(key, "withheld") != "withheld" for table, key in WITHHELD):
            f.refuse(("plan",), "a place that a published plan withholds")
        f.equal(("unit", "entity"), data.get("entity"))
        f.equal(("unit", "adjacency"), data.get("adjacency", "replace-one"))
        f.equal(("unit", "word"), data.get("unit"))
        f.equal(("adversary", "prior"), floats(plan.get("adversary", {}).get("prior", [0, 1])))
        rows = plan.get("limits", {}).get("rows_per_entity")
        f.equal(("limits", "rows_per_entity"), rows)
        listed = plan.get("adversary", {}).get("knows") == "population"
        target = plan.get("floor" if listed else "target", {})
        kinds, queries = [kind for kind in TARGETS if kind in target], plan.get("query", [])
        names = {query.get("name") for query in queries} - {""}
        if (
            len(kinds) != 1 or isinstance(rows, float) or (rows or 0) > 2**31
            or listed != ("population" in self.c) or "source" not in data
            or not len(names) == len(queries) == len(self.c["queries"])
            or len({"file", "url"} & plan.get("ledger", {"file": ""}).keys()) != 1
        ):  # fmt: skip
            f.refuse(("plan",), "not one target, or not the queries, limit or list of this plan")
            return
        value = target[kinds[0]]
        value = value if isinstance(value, dict) else {"rho": value, "worlds": None}
        said = {"kind": kinds[0], "value": float(value["rho"]), "worlds": value["worlds"]}
        f.equal(("target",), said)
        f.equal(("guarantee", "delta"), floats(target.get("delta", 0)))
        if ("delta" in target) == self.pure and "noise" not in target:
            f.refuse(("guarantee", "rho"), "ρ is for plans with a δ, and for these alone")
        for i, query in enumerate(queries):
            self.query(i, query)

    def query(self, i: int, query: dict[str, Any]) -> None:
        """One query's request."""
        f, where, statistic = self.f, ("queries", i), query.get("statistic", "")
        if statistic == "survival":
            f.cannot(where, "the numbers of a survival curve")
            return
        columns = query.get("group_by", query.get("columns", []))
        columns = query.get("levels", [])[-1:] if statistic == "tree" else columns
        used = {*columns, *([query.get("column")] if statistic == "top" else [])}
        strange = set(query) - {*COMMON.split(), *OWN.get(statistic, "").split()}
        if strange or set(query.get("keys", {})) - used - {"file", "type"}:
            f.refuse(("plan", "query", i), "keys that this statistic does not have")
        for key, default in (("name", None), ("statistic", None), ("column", None), ("where", [])):
            f.equal((*where, key), query.get(key, default))
        f.equal((*where, "max_contribution"), floats(query.get("max_contribution")))
        if "precision" in query:
            for at in ((*where, "weight"), ("plan", "query", i, "precision")):
                f.skip(at, "what follows from a wanted precision")
        else:
            f.equal((*where, "weight"), floats(query.get("weight", 1)))
        keys = {**self.plan.get("keys", {}), **query.get("keys", {})}
        if statistic == "tree" and "nested" in query:
            keys |= {columns[0]: tree_of(query["nested"])[1]}
        hidden = [column for column in columns if keys.get(column) == "unknown"]
        keys |= {column: [] for column in hidden}
        reals = [c for c, k in keys.items() if any(isinstance(x, float) for x in k)]
        keys |= {column: floats(keys[column]) for column in reals}
        known = all(isinstance(keys.get(column), list) for column in columns)
        parameters = self.parameters(query, keys) if known else None
        if parameters is None or "quantiles" in query:
            f.cannot(where, f"the numbers of a {statistic} as this one, or keys that are no list")
            return
        f.equal((*where, "group_by"), [{"column": c, "keys": keys[c]} for c in columns])
        f.equal((*where, "parameters"), parameters)
        if f.refused:
            return
        bounds = [parameters.get("bounds", []), parameters.get("edges", [])]
        bounds += [each for _, each in parameters.get("predictors", [])]
        lists = [keys[c] for c in columns if c not in hidden] + [parameters.get("categories", [0])]
        bare = "column" not in OWN.get(statistic, "").split()
        fits = (
            (query.get("column") is None) == bare
            and "" not in [*columns, *query.get("levels", []), query.get("column")]
            and all(a < b for each in bounds for a, b in itertools.pairwise(each))
            and all(map(one_kind, lists))
            and ("max_contribution" not in query or statistic in ("count", "sum", "histogram"))
            and ("max_contribution" not in query or self.entity is not None)
            and not (statistic == "running_count" and self.pure)
            and not ("precision" in query and "weight" in query)
            and all(("precision" in query) == ("precision" in q) for q in self.plan["query"])
            and (not columns or statistic not in ("top", "removed", "regression"))
            and parameters.get("number", 1) <= len(parameters.get("categories", [0]))
            and parameters.get("candidates", 2) >= 2
            and 0 < parameters.get("quantile", 0.5) < 1
            and (not hidden or (statistic == "entities" and "exposure" in self.g))
        )
        f.state(("plan", "query", i), fits, "keys, bounds or a column that no plan can ask for")
        if hidden or "threshold" in self.c["queries"][i]:
            f.equal((*where, "threshold", "columns"), hidden)

    def parameters(self, query: dict[str, Any], keys: Any) -> dict[str, Any] | None:
        """What a statistic's own keys become; None where this checker does not know them."""
        bounds, scaled = {"bounds": floats(query.get("bounds"))}, "max_contribution" in query
        match query.get("statistic"):
            case "count" | "entities" as word:
                return {"scaled": scaled} if word == "count" else {}
            case "histogram":
                return {"edges": floats(query.get("edges")), "scaled": scaled}
            case "sum" | "variance":
                return bounds
            case "mean":
                public = self.swap and self.entity is None and "nulls" in query
                public = public and not query.get("group_by") and not query.get("where")
                return bounds | {"nulls": floats(query.get("nulls")), "size_is_public": public}
            case "quantile":
                part = {"quantile": floats(query.get("quantile", 0.5))}
                return bounds | part | {"candidates": query.get("candidates", 1001)}
            case "top" if isinstance(keys.get(query.get("column")), list):
                return {"categories": keys[query["column"]], "number": query.get("number")}
            case "regression":
                predictors = query.get("predictors", {})
                return bounds | {"predictors": [[k, floats(v)] for k, v in predictors.items()]}
            case "removed":
                return {"rows_per_entity": self.rows, "most_rows": query.get("most_rows")}
            case "running_count" if "continue" not in self.plan and query.get("group_by"):
                return {"periods": len(keys[query["group_by"][0]]), "before": 0}
            case "crosstab" if isinstance(columns := query.get("columns"), list):
                whole, rows = query.get("whole", False), query.get("rows")
                return {"columns": columns, "rows_to_share": rows, "whole_numbers": whole}
            case "tree":
                return {"levels": query["levels"], "whole_numbers": query.get("whole", False)}
        return None

    def parts(self, i: int) -> list[Part] | None:
        """A query's parts, and how many numbers it has; None where they are not known."""
        f, where, query = self.f, ("queries", i), self.c["queries"][i]
        statistic, p = query["statistic"], query["parameters"]
        if any(missing.startswith(f"/queries/{i}:") for missing in f.missing):
            return None
        design = self.design(i, query) if statistic in ("crosstab", "tree") else None
        result = parts_of(query, self.owned, self.swap, design)
        if result is None or (design is None and statistic in ("crosstab", "tree")):
            f.cannot(where, f"what a {statistic} as this one measures")
            return None
        number = math.prod(len(group["keys"]) for group in query["group_by"])
        number *= max(1, len(p.get("edges", [])) - 1)
        d = len(p.get("predictors", [])) + 2
        number *= {"variance": 3, "regression": d * (d + 1) // 2, "removed": 2}.get(statistic, 1)
        if design is not None:
            number = design.coordinates + (design.public and statistic == "crosstab")
        f.equal((*where, "cells"), number)
        if "partition" in query:
            alone = self.owned == 1 and query["max_contribution"] is None
            total = self.swap and self.pure and self.g["delta"] == 0
            total = total and "population" not in self.c and "sample" not in self.plan
            fits = alone and total and statistic in ("count", "histogram") and 1 < number < 100
            fits = fits and query["partition"] == number + 1
            f.state((*where, "partition"), fits, "not cells of which everybody is in one")
        if len(result) != len(query["parts"]):
            f.refuse((*where, "parts"), "not as many as the statistic has")
            return None
        return result

    def design(self, i: int, query: dict[str, Any]) -> Design | None:
        """How noise is split over margins, or over families of nodes."""
        f, where, asked = self.f, ("queries", i), self.plan["query"][i]
        public = self.swap and self.entity is None and not query["where"]
        importance, columns = asked.get("importance", {}), asked.get("columns", [])
        if "precision" in asked or (query["statistic"] == "tree" and "nested" not in asked):
            return None
        if query["statistic"] == "tree":
            names = ("total", *asked["levels"])
            weights = [float(importance.get(name, 1)) for name in names]
            if min(weights) <= 0 or len({*names, *importance}) != len(names):
                return None
            return tree([*tree_of(asked["nested"])[0], []], weights, public, self.pure)
        blocks = margins_of(len(columns), asked.get("margins", 2), columns)
        names = {"total" if not b else columns[b[0]]: b for b in blocks if len(b) < 2}
        if len(columns) > 8 or not importance.keys() <= names.keys() or len(blocks) < 2:
            return None
        sizes = [len(group["keys"]) + 1 for group in query["group_by"]]
        given = {names[name]: importance[name] for name in importance}
        design = crosstab(sizes, blocks, given, public, self.pure)
        if len(query.get("margins", [])) != len(blocks):
            f.refuse((*where, "margins"), "not the margins that were asked for")
            return None
        for k, (block, m) in enumerate(zip(blocks, design.multipliers, strict=True)):
            at = (*where, "margins", k)
            f.equal((*at, "columns"), [columns[place] for place in block])
            f.equal((*at, "cells"), math.prod(sizes[place] for place in block))
            f.equal((*at, "multiplier"), m)
            for key in ("half_width_95", "method"):
                f.skip((*at, key), "half-widths of margins, after everything adds up")
        return design

    def shares(self, expected: list[list[Part] | None]) -> None:
        """All parts, what they spend together, and the Gaussian curve where all have that noise."""
        f, queries = self.f, self.c["queries"]
        weights = [Fraction(query["weight"]) for query in queries]
        precise = any("precision" in query for query in self.plan["query"])
        name, spent, kappa = "epsilon" if self.pure else "rho", Fraction(0), ball(0)
        for query, weight, parts in zip(queries, weights, expected, strict=True):
            for k, part in enumerate(query["parts"]):
                if part["mechanism"] is not None:
                    if not is_number(part[name]) or not part["sensitivity"]:
                        f.refuse(("queries",), "noise without a share")
                        return
                    spent += Fraction(part[name])
                due = parts[k] if parts else None
                if due is None or (due.step is not None and due.moved is None):
                    kappa = None
                elif due.moved is not None and kappa is not None and part["sensitivity"]:
                    used = ball(part["sensitivity"]["value"]) ** 2
                    kappa += ball(weight / sum(weights) * due.fraction * due.moved) / used
        if spent > Fraction(self.total):
            f.refuse(("guarantee",), f"shares sum to more than {self.total}")
        self.slack = None if kappa is None else kappa.sqrt()
        if None in expected and not self.pure:
            f.cannot(("guarantee",), "a total of noise that is not known")
        else:
            self.guarantee()
        for i, (query, weight, parts) in enumerate(zip(queries, weights, expected, strict=True)):
            p, choices = query["parameters"], 0
            if query["statistic"] in ("quantile", "top"):
                choices = p.get("candidates") or len(p["categories"])
            share = Fraction(self.total) * weight / sum(weights)
            for k, wanted in enumerate(parts or []):
                due_share = None if precise else share * wanted.fraction
                at = ("queries", i, "parts", k)
                self.part(at, wanted, due_share, p.get("number", 1), choices)
            if "threshold" in query and parts:
                self.threshold(i, query, sum("threshold" in each for each in queries))

    def threshold(self, i: int, query: dict[str, Any], number: int) -> None:
        """The least number at which keys of one entity alone are as rare as they have to be."""
        where, scale = ("queries", i, "threshold"), query["parts"][0]["scale"]
        rows, value = self.owned, query["threshold"]["value"]
        self.f.equal((*where, "keys_per_entity"), rows)
        if not isinstance(scale, float) or not 1 / 1000 < scale < 1000:
            self.f.cannot(where, "thresholds of noise as large or as small as this")
            return
        tails = numbers.gaussian_tails(Fraction(scale))
        most = ball(Fraction(self.g["exposure"]) / number)

        def appears(tau: int) -> Any:
            return -((-tails[tau - 1]).log1p() * rows).expm1()

        fits = isinstance(value, int) and 2 <= value < len(tails) and bool(appears(value) <= most)
        fits = fits and (value == 2 or bool(appears(value - 1) > most * ball(1 - numbers.SLACK)))
        self.f.state((*where, "value"), fits, "not the least threshold")
        if fits:
            self.f.bound((*where, "exposure"), appears(value))

    def sentences(self) -> None:
        """What is protected, what is assumed and what is not covered, in the words of the page."""
        f, queries, word, entity = self.f, self.c["queries"], self.c["unit"]["word"], self.entity
        hidden = [query["threshold"]["columns"] for query in queries if "threshold" in query]
        columns = " and ".join(f"“{name}”" for name in dict.fromkeys(itertools.chain(*hidden)))
        kind, one = ("row", "row") if entity is None else ("entity", f"“{entity}”")
        named = {"entity": entity, "word": word, "rows": self.rows, "one": one, "columns": columns}
        words = WORDS if self.c["format"].endswith("/2.1") else EARLIER
        unit = (f"unit-{kind}" + ("" if word is None else "-named"), f"{self.adjacency}-{kind}")
        f.equal(("unit", "sentence"), " ".join(words[key].format(**named) for key in unit))
        keys = ["beliefs", "knowledge", "plan", "noise"]
        if entity is not None:
            keys += ["entities"] if self.rows is None else ["entities", "limit"]
        running = any(query["statistic"] == "running_count" for query in queries)
        keys += ["unknown"] * bool(hidden) + ["series", "periods"] * running
        said = [words[key].format(**named) for key in keys]
        more = self.c["assumptions"][len(said) :] * ("sample" in self.plan)
        f.equal(("assumptions",), said + more)
        rest = ("families", "chosen-plan", "other-releases", "wrong-ids")
        f.equal(("not_covered",), [words[key] for key in rest])


def floats(value: Any) -> Any:
    """Numbers as certificates write those that need not be whole."""
    if isinstance(value, list):
        return [floats(each) for each in value]
    return float(value) if is_number(value) else value


def one_kind(keys: list[Any]) -> bool:
    """Whether keys are there, of one kind and each once."""
    kinds = {"number" if is_number(key) else type(key).__name__ for key in keys}
    return len(kinds) == 1 and once_each(keys)
