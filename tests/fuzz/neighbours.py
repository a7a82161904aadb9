"""Neighbouring tables by the million through the path that a release takes, up to its noise.

    python -m tests.fuzz.neighbours --pairs 1000000 --folder STATE

A *block* is one random plan and one random world: tables of one schema, in one form, that differ
in what one entity owns. Every table goes by itself through reading the plan, the schema, the
engine, bounding, exact totals and scores, as in a release. A *pair* is two neighbouring tables and
one query of the plan, whose exact numbers are compared with the sensitivity in the certificate and
with what its noise covers. Under replace-one all 48 tables of a block are neighbours of each other
(1,128 pairs a query), under add-remove they are everybody else and any of five entities (32
tables, 80 pairs a query): so there are far fewer runs of the engine than pairs, and the figures say
how many.

By keys that nobody knows (`--unknown-keys`) neighbours may have different keys. What is compared
are the counts of all keys that either has, a key that one lacks counting none; and what it alone
has is to be of one entity, and no more keys than the threshold was made for.

Whether there is a release is compared as well. With `--low-limits` whatever limits rows, keys,
cells, sums, buckets and batches is so low (`LIMITS`) that small tables pass it: an end, or another
way to the same totals, must not depend on what one entity owns.

Every fifth round of blocks, the first one among them, has no entity column. `--several-rows` leaves
those out, so that each entity may own several rows, and makes blocks of fewer queries and more
tables, which is more pairs for the same work. With low limits, where whether there is a release is
what matters most:

    python -m tests.fuzz.neighbours --pairs 100000 --low-limits --several-rows --folder STATE

Block n is drawn from n alone. What came of it is one line of STATE/blocks.jsonl, so that a run that
was stopped goes on where it was, and `--block n` repeats one.
"""

import argparse
import itertools
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from tests.fuzz.attempt import Outcome, attempted
from tests.fuzz.forms import FORMS, Form
from tests.fuzz.plans import BOUNDINGS, UNKNOWN, RandomPlan, random_plan
from tests.fuzz.worlds import World, random_world

ADJACENCIES = ("replace-one", "add-remove")
QUERIES = 10
"""Of a plan in a long run; a sample in the tests asks for every statistic."""
DERIVING = 0.5
"""How often a plan of a long run derives columns."""
SIZES = {"replace-one": 48, "add-remove": 5}
"""Tables, and entities that are there or not."""
MORE, FEW = 2, 4
"""With `--several-rows`: so many times the tables of a block under replace-one, and its queries."""
_WITH_ENTITY = [
    (each, bounding) for bounding in ("truncated", "scaled") for each in BOUNDINGS[bounding]
]
_ALONE = [(each, "one row") for each in BOUNDINGS["one row"]]


LIMITS = {
    "statistics.quantile.MOST_ROWS": 2,
    "query.unknown_keys.LONGEST": 2,
    "totals.aggregate.LIMIT": 2**25,
    "totals.passes.LIMIT": 2**25,
    "totals.passes.MOST_PASSES": 8,
    "totals.passes._ROW_BYTES": 2**30,
    "totals.passes._SORTED_ROW_BYTES": 2**30,
    "totals.row_arrays._BLOCK": 1,
    "totals.row_arrays._MOST_CELLS": 1,
    "sources.frames._BATCH": 1,
    "sources.parquet_source._BATCH": 1,
}
"""Limits that rows may meet, and what they are lowered to; bytes of a row are raised, so that each
is a bucket's. All limits and what they do are in `docs/explanation/threat-model.md`."""


@contextmanager
def low_limits() -> Iterator[None]:
    """Lower all of them."""
    with ExitStack() as stack:
        for name, low in LIMITS.items():
            stack.enter_context(patch(f"deniable.publish.{name}", low))
        yield


def drawn(
    name: str,
    form: Form,
    adjacency: str,
    has_entity: bool,
    size: int,
    asked: Sequence[tuple[str, str]] | int | None = None,
    deriving: float = 0.0,
) -> tuple[RandomPlan, World, random.Random]:
    """The plan and the world of a name.

    It asks for these statistics with their boundings, for so many random ones, or for each once.
    """
    draw = random.Random(f"neighbours {name}")
    known = _WITH_ENTITY if has_entity else _ALONE
    if asked is None:
        asked = known
    if isinstance(asked, int):
        asked = draw.choices(known, k=asked)
    plan = random_plan(draw, adjacency, has_entity, asked, deriving)
    return plan, random_world(draw, form, adjacency, has_entity, plan.rows, size), draw


def block(
    number: int,
    forms: Mapping[str, Form],
    folder: Path,
    *,
    unknown_keys: bool = False,
    several_rows: bool = False,
) -> tuple[str, str, Outcome]:
    """A block of a long run: its form, its adjacency, and what came of it."""
    names = list(forms)
    name = names[number % len(names)]
    of = number // len(names)
    turn = number % len(names) + of if several_rows else of
    adjacency, has_entity = ADJACENCIES[turn % 2], several_rows or of % 5 > 0
    form = forms[name]
    size, queries = SIZES[adjacency], FEW if several_rows else QUERIES
    if several_rows and adjacency == "replace-one":
        size *= MORE
    asked = [UNKNOWN] * queries if unknown_keys else queries
    plan, world, draw = drawn(
        str(number), form, adjacency, has_entity, size, asked, deriving=DERIVING
    )
    return name, adjacency, attempted(form, plan, world, folder, draw)


def line(number: int, name: str, adjacency: str, outcome: Outcome) -> str:
    """What is kept of a block."""
    pairs = [[*key, count] for key, count in outcome.pairs.items()]
    kept = {
        "block": number, "form": name, "adjacency": adjacency, "runs": outcome.runs, "pairs": pairs,
        "existence": outcome.existence, "ends": outcome.ends,
        "violations": [str(each) for each in outcome.violations[:20]], "refused": outcome.refused,
    }  # fmt: skip
    return json.dumps(kept)


def blocks(path: Path) -> Iterator[dict]:
    """The blocks that were run; a last line that was cut off is none."""
    if path.exists():
        for each in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if each.endswith("\n"):
                yield json.loads(each)


def figures(done: list[dict]) -> str:
    """Pairs, runs and violations of all blocks, by statistic, bounding, adjacency and form."""
    tables = {name: Counter() for name in ("statistic and bounding", "adjacency", "form")}
    for each in done:
        for statistic, bounding, count in each["pairs"]:
            tables["statistic and bounding"][f"{statistic}, {bounding}"] += count
            tables["adjacency"][each["adjacency"]] += count
            tables["form"][each["form"]] += count
    text = f"{pairs_of(done):,} pairs in {sum(each['runs'] for each in done):,} runs of "
    text += (
        f"{len(done):,} blocks; {sum(bool(each['refused']) for each in done):,} blocks without a "
    )
    text += f"release; {sum(bool(each['violations']) for each in done):,} with violations\n"
    compared, ends = (sum(each.get(key, 0) for each in done) for key in ("existence", "ends"))
    text += f"whether there is a release: {compared:,} pairs of tables, {ends:,} tables without\n"
    for name, counts in tables.items():
        text += f"\n{name}\n"
        text += "".join(f"  {key:32}{count:>12,}\n" for key, count in sorted(counts.items()))
    found = [(each["block"], each["form"], what) for each in done for what in each["violations"]]
    return text + "".join(f"\nblock {number} ({form}): {what}" for number, form, what in found)


def pairs_of(done: list[dict]) -> int:
    return sum(count for each in done for *_, count in each["pairs"])


def run(
    pairs: int,
    folder: Path,
    forms: Mapping[str, Form],
    tell: Callable[[str], None],
    *,
    unknown_keys: bool = False,
    several_rows: bool = False,
) -> None:
    """Go on from what the folder holds until there are so many pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "blocks.jsonl"
    done = list(blocks(path))
    path.write_text("".join(json.dumps(each) + "\n" for each in done), encoding="utf-8")
    count, first = pairs_of(done), 1 + max((each["block"] for each in done), default=-1)
    with path.open("a", encoding="utf-8") as file:
        for number in itertools.count(first):
            if count >= pairs:
                return
            with tempfile.TemporaryDirectory(prefix="neighbours-") as place:
                found = block(
                    number,
                    forms,
                    Path(place),
                    unknown_keys=unknown_keys,
                    several_rows=several_rows,
                )
            name, adjacency, outcome = found
            file.write(line(number, name, adjacency, outcome) + "\n")
            file.flush()
            count += sum(outcome.pairs.values())
            wrong = outcome.violations[:1] or ""
            tell(f"block {number}: {count:,} of {pairs:,} pairs, {name}, {wrong}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--block", type=int, help="repeat this block and print all of it")
    parser.add_argument(
        "--servers", action="store_true", help="also PostgreSQL and Spark, elsewhere"
    )
    parser.add_argument(
        "--unknown-keys", action="store_true", help="only by keys that nobody knows"
    )
    parser.add_argument(
        "--low-limits", action="store_true", help="with limits that small tables pass"
    )
    parser.add_argument(
        "--several-rows", action="store_true", help="only where an entity may own several rows"
    )
    parser.add_argument("--figures", action="store_true", help="print figures and run nothing")
    given = parser.parse_args()
    chosen = {"unknown_keys": given.unknown_keys, "several_rows": given.several_rows}
    with ExitStack() as stack:
        forms = FORMS
        if given.low_limits:
            stack.enter_context(low_limits())
        if given.servers:
            from tests.fuzz.servers import started

            forms = stack.enter_context(started())
        if given.block is not None:
            with tempfile.TemporaryDirectory() as place:
                print(block(given.block, forms, Path(place), **chosen))
            return
        if not given.figures:
            run(
                given.pairs,
                given.folder,
                forms,
                lambda text: print(text, file=sys.stderr),
                **chosen,
            )
    print(figures(list(blocks(given.folder / "blocks.jsonl"))))


if __name__ == "__main__":
    main()
