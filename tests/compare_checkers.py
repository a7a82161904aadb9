"""Deniable's check and the second one, on certificates that somebody changed.

By hand, on as many changes as wanted; with a file it goes on where an earlier call stopped:

    python -m tests.compare_checkers 100000 counts.jsonl

Every change repairs the digest of the statement, as a forger would. A difference is printed with
what was changed, unless it has an explanation: the second checker cannot tell, or says that it does
not cover what was changed, or a number moved by so little that it may be rounding.
"""

import copy
import functools
import hashlib
import itertools
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
from second_checker.verdicts import Findings, leaves, pointer

GOLDEN = Path(__file__).parent / "data" / "golden"
KINDS = Path(__file__).parent / "data" / "kinds.json"
NAMES = (
    "plan", "plan-gaussian", "plan-charged", "members", "study", "frequencies", "training",
    "plan-2.1", "study-2.1",
)  # fmt: skip
BATCH = 250


@functools.cache
def originals() -> dict[str, Any]:
    """Certificates by name: the golden ones, and small ones of every other kind."""
    golden = {name: json.loads((GOLDEN / name / "certificate.json").read_bytes()) for name in NAMES}
    golden |= json.loads(KINDS.read_bytes())
    return golden


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


def changed_places(old: Any, new: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where two certificates differ: the smallest parts that both have, or the holder's place."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        pairs = [(key, old[key], new[key]) for key in old]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(key, *both) for key, both in enumerate(zip(old, new, strict=True))]
    else:
        same = type(old) is type(new) and old == new and repr(old) == repr(new)
        return [] if same else [where]
    return [place for key, a, b in pairs for place in changed_places(a, b, (*where, key))]


def second_verdict(findings: Findings, places: list[tuple[Any, ...]], rounding: bool) -> str:
    """The second checker's verdict, and why it accepts what was changed."""
    if not findings.verdict.startswith("verified"):
        return findings.verdict
    exactly = [findings.marks[place][0] for place in places if place in findings.marks]
    below = [
        mark
        for leaf, (mark, _) in findings.marks.items()
        if any(leaf[: len(place)] == place for place in places)
    ]
    if "not covered" in exactly or (below and set(below) <= {"not covered", "on trust"}):
        return "not covered" if "not covered" in below else "verified"
    return "verified, as rounding" if rounding else "verified"


def compare(
    count: int, seed: int, tell: Callable[[str], None]
) -> tuple[Counter[tuple[str, str, str]], list[str]]:
    """How often the two gave which verdicts of which certificate, and unexplained differences."""
    draw = random.Random(seed)
    verdicts: Counter[tuple[str, str, str]] = Counter()
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            name = draw.choice(sorted(originals()))
            document, what, rounding = changed(originals()[name], draw)
            text = sealed(document)
            places = [
                place
                for place in changed_places(originals()[name], json.loads(text))
                if place[:1] != ("statement_sha256",)
            ]
            first = first_verdict(text, Path(folder) / "c.json")
            findings = examine(text)
            second = second_verdict(findings, places, rounding)
            explained = second in ("cannot tell", "not covered")
            explained |= first == "refused" and second == "verified, as rounding"
            agrees = first == second.partition(",")[0] or explained
            verdicts[name, first, second] += 1
            if not agrees:
                line = f"{name}: {first}, {second}: {what} {findings.refused[:1]}"
                differences.append(line)
                tell(line)
    return verdicts, differences


def go_on(count: int, file: Path) -> None:
    """Batches until so many changes were tried, each added to a file by its seed."""
    done = file.read_text("utf-8").splitlines() if file.exists() else []
    for seed in range(len(done), -(-count // BATCH)):
        verdicts, differences = compare(BATCH, seed, print)
        entry = {
            "seed": seed,
            "verdicts": [[*key, number] for key, number in sorted(verdicts.items())],
            "differences": differences,
        }
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(entry, ensure_ascii=False) + "\n")


def show(file: Path) -> None:
    """The counts of a file, by certificate and by verdicts."""
    entries = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    kinds: dict[str, Counter[str]] = {}
    for name, first, second, number in itertools.chain(*(entry["verdicts"] for entry in entries)):
        kinds.setdefault(name, Counter())[f"{first}/{second}"] += number
    for name, counts in sorted(kinds.items()):
        print(f"{name:25s} {sum(counts.values()):6d}  {dict(sorted(counts.items()))}")
    total = sum(kinds.values(), Counter())
    print(f"{sum(total.values())} changes: {dict(sorted(total.items()))}")
    differences = [line for entry in entries for line in entry["differences"]]
    print(f"{len(differences)} differences", *differences, sep="\n")


if __name__ == "__main__":
    where = Path((sys.argv[2:] or ["counts.jsonl"])[0])
    go_on(int(sys.argv[1]), where)
    show(where)
