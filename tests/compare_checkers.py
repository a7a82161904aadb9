"""Deniable's check and the second one, on certificates that somebody changed.

By hand, on as many changes as wanted (an hour for 10⁵ on one processor):

    python -m tests.compare_checkers 100000

Every change repairs the digest of the statement, as a forger would. A difference is printed with
what was changed, unless it has an explanation: the second checker cannot tell, a number moved by so
little that it may be rounding, or a certificate of format 1 says what no plan could ask for.
"""

import copy
import hashlib
import json
import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deniable
from second_checker.__main__ import examine
from second_checker.schemas import leaves, pointer

GOLDEN = Path(__file__).parent / "data" / "golden"
NAMES = ("plan", "plan-gaussian", "plan-charged", "first-plan", "first-plan-gaussian", "members")


def get(document: Any, where: tuple[Any, ...]) -> Any:
    for key in where:
        document = document[key]
    return document


def put(document: Any, where: tuple[Any, ...], value: Any) -> None:
    get(document, where[:-1])[where[-1]] = value


def another(value: Any, document: Any, draw: random.Random) -> Any:
    """A value that is not this one: near to it, far from it, or from another place."""
    if isinstance(value, bool):
        return draw.choice([not value, None, int(value)])
    if isinstance(value, int | float):
        x = float(value)
        return draw.choice(
            [
                math.nextafter(x, math.inf),
                math.nextafter(x, -math.inf),
                x * (1 + 1e-13),
                x * (1 - 1e-9),
                x * (1 + 1e-6),
                x * 0.9,
                x * 2,
                -x,
                0,
                value + 1,
                value - 1,
                x / 3,
                1e300,
                str(value),
                None,
                True,
                1e-300,
                "inf",
                int(x) if abs(x) < 1e15 else 7,
            ]
        )
    if isinstance(value, str):
        others = [get(document, leaf) for leaf in leaves(document)]
        at = draw.randrange(len(value) + 1)
        return draw.choice(
            [
                value + " ",
                value.upper(),
                value[:-1],
                value[:at] + "x" + value[at:],
                "",
                5,
                None,
                draw.choice([each for each in others if isinstance(each, str)]),
            ]
        )
    return draw.choice([0, 1, 0.5, "text", [], {}, False])


def is_rounding(old: Any, value: Any) -> bool:
    """Whether a number moved by so little that the second checker may take it for rounding."""
    if not (isinstance(old, float) and isinstance(value, float)):
        return False
    return abs(value - old) <= 2**-40 * abs(old)


def changed(document: Any, draw: random.Random) -> tuple[Any, str, bool]:
    """A copy with one change, what it was, and whether that is within rounding."""
    new = copy.deepcopy(document)
    where = draw.choice(leaves(new))
    while where[0] == "statement_sha256":
        where = draw.choice(leaves(new))
    old = get(new, where)
    way = draw.choice(["leaf"] * 6 + ["everywhere"] * 2 + ["drop", "add", "twice", "swap"])
    if way in ("drop", "add", "twice", "swap"):
        above = where[: draw.randrange(len(where))]
        holder = get(new, above)
        if isinstance(holder, dict):
            key = draw.choice(sorted(holder))
            if way == "drop":
                del holder[key]
                return new, f"without {pointer((*above, key))}", False
            name = draw.choice(["source", "x", "training", "population", "delta", "weight"])
            holder[name] = copy.deepcopy(draw.choice([1.0, {}, holder[key]]))
            return new, f"{pointer(above)} has {name}", False
        if way == "drop":
            del holder[draw.randrange(len(holder))]
        elif way == "twice":
            holder.append(copy.deepcopy(draw.choice(holder)))
        else:
            draw.shuffle(holder)
        return new, f"{way} in {pointer(above)}", False
    value = another(old, new, draw)
    places = [where]
    if way == "everywhere":
        places = [leaf for leaf in leaves(new) if type(get(new, leaf)) is type(old)]
        places = [leaf for leaf in places if get(new, leaf) == old]
    for leaf in places:
        put(new, leaf, value)
    what = f"{way} {pointer(where)}: {old!r} becomes {value!r}"
    return new, what, is_rounding(old, value)


def sealed(document: Any) -> bytes:
    """The text of a certificate, with the digest of its statement as a forger would repair it."""
    if "statement_sha256" in document:
        above = {k: v for k, v in document.items() if k not in ("statement_sha256", "files")}
        text = json.dumps(above, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        document["statement_sha256"] = hashlib.sha256(
            text.encode("utf-8", "surrogatepass")
        ).hexdigest()
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def first_verdict(text: bytes, path: Path) -> str:
    path.write_bytes(text)
    try:
        return "verified" if deniable.check(path).holds else "refused"
    except (ValueError, OSError):
        return "refused"
    except Exception as error:  # an end that is no sentence
        return type(error).__name__


STRICTER = "keys, bounds or a column that no plan can ask for"
"""Of format 1, which has no plan, Deniable takes a query's request on trust; the second checker
still refuses keys of two kinds, which no plan could have."""


def compare(
    count: int, seed: int, tell: Callable[[str], None]
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How often the two gave which verdicts, and the differences without an explanation."""
    draw = random.Random(seed)
    golden = [json.loads((GOLDEN / name / "certificate.json").read_bytes()) for name in NAMES]
    verdicts: Counter[tuple[str, str]] = Counter()
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            at = draw.randrange(len(golden))
            document, what, rounding = changed(golden[at], draw)
            text = sealed(document)
            first = first_verdict(text, Path(folder) / "c.json")
            findings = examine(text)
            second = findings.verdict
            if (first, second) == ("refused", "verified") and rounding:
                second = "verified, as rounding"
            stricter = all(STRICTER in each for each in findings.refused)
            if (first, second) == ("verified", "refused") and stricter and "first" in NAMES[at]:
                second = "refused, as stricter"
            verdicts[first, second] += 1
            if second not in (
                first,
                "cannot tell",
                "verified, as rounding",
                "refused, as stricter",
            ):
                line = f"{NAMES[at]}: {first}, {second}: {what} {findings.refused[:1]}"
                differences.append(line)
                tell(line)
    return verdicts, differences


if __name__ == "__main__":
    totals, unexplained = compare(int(sys.argv[1]), int((sys.argv[2:] or ["1"])[0]), print)
    for pair, number in sorted(totals.items()):
        print(f"{number:7d}  Deniable: {pair[0]:13s} second: {pair[1]}")
    print(f"{len(unexplained)} differences")
