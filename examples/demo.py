"""Release two plans on real tables, and say what was promised and where to look."""

import itertools
import json
import math
import os
import shutil
from pathlib import Path

import data

import deniable
from deniable.certificate import ResultRow
from deniable.publish.release import Released

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "demo-output"
PLANS = ["health-insurance", "wages"]
SHOWN = 5


def main() -> None:
    """Build the tables, release both plans, show a little of each."""
    shutil.rmtree(OUT, ignore_errors=True)
    data.write(OUT)
    for name in PLANS:
        show(name, deniable.release(HERE / f"{name}.toml", OUT / name))
    print(
        "These tables are public. With a table of your own, every run of a plan draws fresh noise"
    )
    print("and spends its budget again: release once.")


def show(name: str, released: Released) -> None:
    """The protected unit, the guarantee, the first results, the report's place."""
    certificate = json.loads((released.out / "certificate.json").read_text(encoding="utf-8"))
    print(f"{name}\n{'=' * len(name)}\n{certificate['unit']['sentence']}\n")
    print(f"The plan spends ε = {certificate['guarantee']['epsilon']:.4g}. After all of it")
    for each in released.prepared.posterior:
        after = math.ceil(1000 * each.upper) / 10
        print(f"  a belief of {100 * each.prior:g} % becomes at most {after:g} %")
    for query, rows in itertools.groupby(released.rows, key=lambda row: row.query):
        listed = list(rows)
        print("", query, *map(line, listed[:SHOWN]), sep="\n")
        if len(listed) > SHOWN:
            print(f"  … and {len(listed) - SHOWN} more")
    print(f"\nThe report, for a browser: {os.path.relpath(released.out / 'report.html')}\n\n")


def line(row: ResultRow) -> str:
    """One result: the cell it belongs to, the value, its 95 % half-width."""
    cell = [f"{column} {key}" for column, key in row.groups.items()]
    if row.bin_low is not None:
        cell.append(f"{row.bin_low:g} to {row.bin_high:g}")
    width = f"± {figure(row.half_width_95)} {row.half_width_unit}"
    if row.rank is not None:
        return f"  {', '.join([*cell, f'{row.rank}. {row.category}']):<54}           {width}"
    return f"  {', '.join([*cell, row.statistic]):<54} {figure(row.value):>9} {width}"


def figure(value: float) -> str:
    """A number with as many digits as its size deserves."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:,.2f}"


if __name__ == "__main__":
    main()
