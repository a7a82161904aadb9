"""Small tables in the layouts in which programs print them, and what enumeration says of them.

The numbers are simulated and public. The oracle goes through all counts of all groups.
"""

import functools
import itertools
import math
import random
from fractions import Fraction

import attrs

from tests.oracles.rules import published

VALUES = {"region": ("north", "south"), "age": ("20-39", "40+"), "sex": ("f", "m")}


@functools.cache
def _published(steps, count):
    (output,) = published(steps, "shown", count)
    return output


@attrs.frozen
class Case:
    """Sizes and counts of groups, the rule, and which numbers are printed.

    A cell's key has a value a column, or None where it is a total of the column.
    """

    columns: tuple[str, ...]
    sizes: dict
    counts: dict
    steps: tuple
    total: str
    prior: Fraction
    mark: str = "c"
    stacked: bool = False

    def is_total(self, key):
        """Whether a cell is a margin; of stacked variables, those of all people alone."""
        return key[:2] == (None, None) if self.stacked else None in key

    def inside(self, key):
        """The groups that a cell counts."""
        return [g for g in self.sizes if all(k in (None, v) for k, v in zip(key, g, strict=True))]

    def rule(self, count):
        return _published(self.steps, count)

    def cell(self, key):
        """What is printed in a cell, as a text."""
        value = self.value(key)
        return self.mark if value == "*" else str(value)

    def value(self, key):
        groups = self.inside(key)
        count = sum(self.counts[g] for g in groups)
        if not self.is_total(key) or self.total == "independent":
            return self.rule(count)
        if self.total == "exact":
            return count
        shown = [self.rule(self.counts[g]) for g in groups]
        return sum(each for each in shown if each != "*")

    def printed(self):
        """All cells, and all margins unless there are none, in the order of a table."""
        values = [VALUES[name] for name in self.columns]
        some = [(*each, None) if self.total != "none" else each for each in values]
        return [key for key in itertools.product(*some) if self.inside(key)]

    def rules(self, sizes, **table):
        hide = [{s[0]: list(s[1:])} if s[0] == "hide" else {"round": s[1]} for s in self.steps]
        return {
            "table": [{"columns": list(self.columns), "total": self.total, **table}],
            "sizes": {"file": sizes},
            "marks": {"hidden": [self.mark]} if self.mark != "*" else {},
            "rule": {"steps": hide},
            "adversary": {"prior": [str(self.prior), str(self.prior)]},
        }

    def sizes_text(self):
        lines = [",".join((*group, str(size))) for group, size in self.sizes.items()]
        return "\n".join([",".join((*self.columns, "size")), *lines]) + "\n"


def random_case(seed, columns=("region", "age"), *, total="independent", large=False, **more):
    draw = random.Random(f"{seed} {columns} {total} {large}")
    groups = list(itertools.product(*(VALUES[name] for name in columns)))
    low, high = (9, 11) if large else (2, 6) if len(groups) < 5 else (1, 2)
    sizes = {group: draw.randint(low, high) for group in groups}
    counts = {group: draw.randint(0, size) for group, size in sizes.items()}
    steps = (("hide", 1, 7), ("round", 5, "up")) if large else (("hide", 1, 2),)
    prior = draw.choice([Fraction(1, 2), Fraction(1, 4)])
    return Case(columns, sizes, counts, steps, total, prior, **more)


def enumerate_counts(case, keys):
    """Bounds of each group's count and the belief about its people, from the cells of some keys."""
    groups, p = list(case.sizes), case.prior
    weights = {
        g: [math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]
        for g, n in case.sizes.items()
    }
    known = []
    for key in keys:
        if case.is_total(key) and case.total == "shown":
            continue
        how = (lambda n: n) if case.is_total(key) and case.total == "exact" else case.rule
        known.append(([groups.index(g) for g in case.inside(key)], case.value(key), how))
    by_group = [weights[g] for g in groups]
    total, means = Fraction(0), [Fraction(0)] * len(groups)
    seen = [set() for _ in groups]
    for counts in itertools.product(*(range(n + 1) for n in case.sizes.values())):
        if any(how(sum(counts[i] for i in some)) != value for some, value, how in known):
            continue
        weight = math.prod(known_of[x] for known_of, x in zip(by_group, counts, strict=True))
        total += weight
        for i, x in enumerate(counts):
            means[i] += weight * x
            seen[i].add(x)
    return {
        ", ".join(g): (min(some), max(some), mean / total / case.sizes[g])
        for g, some, mean in zip(groups, seen, means, strict=True)
    }


def differences(case, keys, answer):
    """Where a judgement and enumeration differ."""
    expected = enumerate_counts(case, keys)
    wrong = [] if len(answer.beliefs) == len(expected) else ["other groups"]
    for each in answer.beliefs:
        (name,) = each.lists
        bounds = each.as_json()["belief"]
        belief = float(expected[name][2])
        if max(abs(bounds["lower"] - belief), abs(bounds["upper"] - belief)) > 1e-12:
            wrong.append(f"{name}: {bounds}, not {belief}")
    for each in answer.feasible:
        if len(each.cell.lists) == 1 and not each.cell.is_total:
            low, high, _ = expected[each.cell.lists[0]]
            if (each.interval.lower, each.interval.upper) != (low, high):
                wrong.append(f"{each.cell.name}: {each.interval}, not {low} to {high}")
    return wrong


def grid(case, total, head):
    """Two columns as rows of texts: the first down, the second across, with margins."""
    down, across = ([*VALUES[name], None] for name in case.columns)
    if case.total == "none":
        down, across = down[:-1], across[:-1]
    rows = [[head, *(each or total for each in across)]]
    rows += [[one or total, *(case.cell((one, two)) for two in across)] for one in down]
    return rows


def quoted(rows):
    return "\n".join(",".join(f'"{field}"' for field in row) for row in rows) + "\n"


def plain(rows, delimiter=","):
    return "\n".join(delimiter.join(row) for row in rows) + "\n"


def r_table(case):
    """`write.csv(addmargins(table(region, age)), …)`."""
    return quoted(grid(case, "Sum", ""))


def r_ftable(case):
    """`write.table(format(ftable(…), quote = FALSE), sep = ",", col.names = FALSE, …)`."""
    width = [6, 5, 3, 6, 6]
    across = VALUES["sex"]
    rows = [["", "", "sex", *across], ["region", "age", "", "", ""]]
    for region, age in itertools.product(VALUES["region"], VALUES["age"]):
        first = region if age == VALUES["age"][0] else ""
        rows.append([first, age, "", *(case.cell((region, age, sex)).rjust(6) for sex in across)])
    return quoted([f.ljust(w) for f, w in zip(row, width, strict=True)] for row in rows)


def gtsummary(case):
    """`as_tibble(tbl_summary(by = sex))`, written as CSV: variables one below the other."""
    people = {sex: case.cell((None, None, sex)) for sex in VALUES["sex"]}
    rows = [
        ["**Characteristic**", *(f"**{s}**  \nN = {n}" for s, n in people.items()), "**p-value**"]
    ]
    for place, name in enumerate(("region", "age")):
        rows.append([f"__{name}, n (%)__", "NA", "NA", "0.4"])
        for value in VALUES[name]:
            keys = [(*(value if i == place else None for i in (0, 1)), s) for s in people]
            texts = [case.cell(key) for key in keys]
            texts = [
                f"{text} ({100 * int(text) / max(int(n), 1):.1f}%)" if text.isdigit() else text
                for text, n in zip(texts, people.values(), strict=True)
            ]
            rows.append([value, *texts, "NA"])
    rows[1][-1] = rows[4][-1] = "NA"
    return quoted(rows)


def stata(case):
    """`tabulate region age`, as in the log."""
    head, *body = grid(case, "Total", "region")
    rule = "-" * 11 + "+" + "-" * 22 + "+" + "-" * 10

    def line(first, *cells):
        *inner, last = (each.rjust(10) for each in cells)
        return f"{first:>10} | {' '.join(inner)} |{last} "

    lines = [f"{'':10} | {'age':>11}", line(*head), rule, *(line(*row) for row in body[:-1])]
    return "\n".join([". tabulate region age", "", *lines, rule, line(*body[-1]), ""])


def pandas_crosstab(case):
    """`pd.crosstab(region, age, margins=True).to_csv()`."""
    return plain(grid(case, "All", "region"))


def pandas_levels(case):
    """`pd.crosstab(region, [age, sex], margins=True).to_csv()`: names across have two levels."""
    across = [*itertools.product(VALUES["age"], VALUES["sex"]), (None, None)]
    rows = [
        ["age", *(age or "All" for age, _ in across)],
        ["sex", *(sex or "" for _, sex in across)],
        ["region", *[""] * len(across)],
    ]
    for region in (*VALUES["region"], None):
        rows.append([region or "All", *(case.cell((region, *each)) for each in across)])
    return plain(rows)


def pandas_index(case):
    """`pd.crosstab([region, age], sex, margins=True).to_csv()`: names down have two levels."""
    down = [*itertools.product(VALUES["region"], VALUES["age"]), (None, None)]
    rows = [["region", "age", *VALUES["sex"], "All"]]
    for region, age in down:
        cells = [case.cell((region, age, sex)) for sex in (*VALUES["sex"], None)]
        rows.append([region or "All", age or "", *cells])
    return plain(rows)


def acro(case):
    """`acro.crosstab(…, margins=True)`: suppressed cells are empty, and so numbers have a point."""
    head, *body = grid(case, "All", "region")
    return plain([head, *([row[0], *(f"{c}.0" if c else "" for c in row[1:])] for row in body)])


def opensafely(case):
    """A rounded and redacted file of a project, a row a count."""
    rows = [["region", "age", "count", "percent"]]
    for key in case.printed():
        rows.append([*(each or "All" for each in key), case.cell(key), ""])
    return plain(rows)


def ons(case):
    """A worksheet as CSV: notes above the header, merged names of columns, marks in brackets."""
    across = [*itertools.product(VALUES["age"], VALUES["sex"])]
    rows = [
        ["Table 3: People by region, age and sex [note 1]", *[""] * 4],
        ['Some cells are suppressed, and shown as "[c]".'.replace('"', '""'), *[""] * 4],
        ["", "20-39", "", "40+", ""],
        ["region", "f [note 2]", "m", "f", "m"],
    ]
    for region in VALUES["region"]:
        rows.append([region, *(case.cell((region, *each)) for each in across)])
    rows[-1][1] += " [r]" if rows[-1][1] != case.mark else ""
    return quoted([*rows, ["Source: a survey", *[""] * 4]])


def eurostat(case):
    """A TSV file of the bulk download: keys folded into one field, flags behind numbers."""
    rows = [["freq,region,age\\sex", *VALUES["sex"]]]
    for region, age in itertools.product(VALUES["region"], VALUES["age"]):
        texts = [case.cell((region, age, sex)) for sex in VALUES["sex"]]
        flags = [f"{text} p" if text.isdigit() else text for text in texts]
        rows.append([f"A,{region},{age}", *flags])
    return plain([[row[0], *(f"{field} " for field in row[1:])] for row in rows], "\t")


THREE = ("region", "age", "sex")


LAYOUTS = {
    "R table": (r_table, {"total": "independent"}, Case.printed),
    "R ftable": (r_ftable, {"columns": THREE, "total": "none"}, Case.printed),
    "gtsummary": (gtsummary, {"columns": THREE, "total": "exact", "stacked": True}, lambda _: [
        *((None, None, sex) for sex in VALUES["sex"]),
        *((region, None, sex) for region in VALUES["region"] for sex in VALUES["sex"]),
        *((None, age, sex) for age in VALUES["age"] for sex in VALUES["sex"]),
    ]),
    "Stata tabulate": (stata, {"total": "exact"}, Case.printed),
    "pandas crosstab": (pandas_crosstab, {"total": "exact", "mark": "*"}, Case.printed),
    "pandas, two levels across": (pandas_levels, {"columns": THREE, "total": "independent"},
        lambda case: [key for key in case.printed() if (key[1] is None) == (key[2] is None)]),
    "pandas, two levels down": (pandas_index, {"columns": THREE, "total": "independent"},
        lambda case: [key for key in case.printed() if (key[0] is None) == (key[1] is None)]),
    "ACRO": (acro, {"total": "shown", "mark": ""}, Case.printed),
    "OpenSAFELY": (opensafely, {"total": "independent", "large": True, "mark": "[REDACTED]"},
        Case.printed),
    "ONS": (ons, {"columns": THREE, "total": "none", "mark": "[c]"}, Case.printed),
    "Eurostat": (eurostat, {"columns": THREE, "total": "none", "mark": ": c"}, Case.printed),
}  # fmt: skip
"""How a table is printed, what is drawn for it, and which cells it has."""
