"""`deniable rules …`: what is published without noise, judged in beliefs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

import deniable
from deniable.cli.commands import ORDER, Argument, Option, add, group
from deniable.cli.option_groups import Json, Options, in_place_of
from deniable.cli.output import (
    REFUSED,
    WRONG_INPUT,
    appearing,
    at_least,
    at_most,
    guard,
    in_full,
    print_answer,
    print_lines,
    progress_bar,
    say,
    verdict,
)

if TYPE_CHECKING:
    from deniable.rules.beliefs import Extreme
    from deniable.rules.book.record import Edition, TablesBook
    from deniable.rules.designing import RuleComparison, RuleDesign, SizeDesign
    from deniable.rules.exceedance import Exceedance
    from deniable.rules.judgement import (
        EditionBelief,
        MemberBelief,
        RevealedDifference,
        TablesJudgement,
    )
    from deniable.rules.numbers import Chance
    from deniable.rules.reasons import Reason
    from deniable.rules.repairing import RuleRepair
    from deniable.rules.rule import Rule
    from deniable.rules.values import ValuesJudgement


_LONGEST = 20
"""Characters of a fraction that is read beside a number; as JSON it has more."""
_SMALL = 1e-4
"""A probability below which a power of ten is easier to read."""
_RARE = 1e-6
"""A chance of the worst belief below which `--delta` says more: a person in a million."""
_PATIENCE = 0.5
"""Seconds of work before a bar is drawn."""


def print_design(answer: "RuleDesign") -> None:
    """The worst and the lowest belief with their witnesses, and chances."""
    if answer.policy is not None:
        policy = answer.policy
        say(f"{policy.name}: {policy.source} ({policy.date})")
    if rarely := _rarely(answer.sizes):
        say(rarely)
    if answer.several:
        _print_sizes([(None, each) for each in answer.sizes])
    else:
        print_lines(_lines(answer.sizes[0]))
        for each in answer.sizes[0].after:
            low, high = at_least(each.belief.lower), at_most(each.belief.upper)
            say(f"  after {each.output}: {low} to {high}, {chance(each.probability)}")
    if not rarely and any(_is_rare(each.worst.probability) for each in answer.sizes):
        say(f"\nThe worst belief is very rare. Add --delta {_RARE:g} to leave out what is as rare.")
    _rests(answer.assumes)


def _rarely(sizes: "Sequence[SizeDesign]") -> str | None:
    """How far beliefs go but for a rare event, of all lists; None without a δ."""
    with_exception = [each for each in sizes if each.belief_except and each.lowest_except]
    if not with_exception:
        return None
    low = min(each.lowest_except.bound.lower for each in with_exception if each.lowest_except)
    high = max(each.belief_except.bound.upper for each in with_exception if each.belief_except)
    lists = ", whatever the list" if len(with_exception) > 1 else ""
    return (
        f"Except with probability {in_full(float(with_exception[0].delta or 0))}: "
        f"{at_least(100 * low, 2)} to {at_most(100 * high, 2)} %{lists}."
    )


def _is_rare(probability: "Chance") -> bool:
    return probability.power_of_ten is not None and probability.bound.upper < _RARE


def print_comparison(answer: "RuleComparison") -> None:
    """A row a rule and list: the worst and the lowest belief, and chances."""
    sizes = [(rule.name, each) for rule in answer.rules for each in rule.design.sizes]
    _print_sizes(sizes)
    _rests(answer.assumes)


def _print_sizes(sizes: "Sequence[tuple[str | None, SizeDesign]]") -> None:
    """A row for each list, of a rule if it is named, with a column for all that is printed."""
    name, first = sizes[0]
    has_exception = first.delta is not None
    names = ["listed", "worst belief", "after", "lowest", "chance above limit"]
    if has_exception:
        names.insert(1, f"except with {in_full(float(first.delta or 0))}")
    names = ["rule", *names] if name else [*names[:-1], "after", names[-1]]
    if first.shortfall is not None:
        names.append("chance below floor")
    rows = [names]
    for rule, size in sizes:
        row = [f"{size.members:,}"]
        if size.lowest_except and size.belief_except:
            low, high = size.lowest_except.bound.lower, size.belief_except.bound.upper
            row.append(f"{at_least(low)} to {at_most(high)}")
        row += [at_most(size.worst.belief.bound.upper), str(size.worst.output)]
        row.append(at_least(size.lowest.belief.bound.lower))
        row = [rule, *row] if rule else [*row, str(size.lowest.output)]
        row.append("" if size.exceedance is None else chance(size.exceedance.probability))
        rows.append(row + ([chance(size.shortfall.probability)] if size.shortfall else []))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        say("  ".join(cells).rstrip())


def _lines(size: "SizeDesign") -> Iterator[tuple[str, str]]:
    yield "members", f"{size.members:,}"
    yield from _extreme("worst belief", size.worst, at_most(size.worst.belief.bound.upper))
    yield from _extreme("lowest belief", size.lowest, at_least(size.lowest.belief.bound.lower))
    for each in (size.exceedance, size.shortfall):
        if each is not None:
            yield from _exceedance_lines(each)
    if size.delta is not None and size.belief_except and size.lowest_except:
        low, high = size.lowest_except.bound.lower, size.belief_except.bound.upper
        rarely = f"except with {in_full(float(size.delta))}"
        yield rarely, f"at most {at_most(high)}, given in"
        yield rarely, f"at least {at_least(low)}, given out"
    if size.expected is not None:
        yield "on average, given in", at_most(size.expected.bound.upper)


def _extreme(name: str, extreme: "Extreme", belief: str) -> Iterator[tuple[str, str]]:
    exact = extreme.belief.text or ""
    fraction = f" = {exact}" if "/" in exact and len(exact) <= _LONGEST else ""
    yield name, f"{belief}{fraction}, after {extreme.output}"
    others = " and ".join(f"{count:,} at {in_full(float(p))}" for p, count in extreme.others)
    yield "  priors", f"target {in_full(float(extreme.target))}, others {others or 'none'}"
    yield "  chance of it", chance(extreme.probability)


def _exceedance_lines(each: "Exceedance") -> Iterator[tuple[str, str]]:
    side, given = ("above", "in") if each.above else ("below", "out")
    limit = in_full(float(each.limit))
    bound = each.probability.bound
    most = f"{chance(each.probability)} at most, given {given}"
    if bound.lower < bound.upper and bound.evidence.word != "exact":
        most += f"; {at_least(bound.lower, 4)} is reached"
    yield f"belief {side} {limit}", most
    yield (
        "  all at prior " + in_full(float(each.stated)),
        (f"{chance(each.at_stated)} given {given}, {chance(each.unconditional)} anyhow"),
    )


def chance(probability: "Chance") -> str:
    """A probability rounded up; a power of ten where it is small, 0 only where impossible."""
    if probability.power_of_ten is None:
        return "0, impossible"
    if probability.bound.upper >= _SMALL:
        return at_most(probability.bound.upper, 4)
    from deniable.rules.numbers import power_above

    return f"10^{power_above(probability.power_of_ten[1])}"


def _rests(assumes: tuple[str, ...]) -> None:
    say()
    for each in assumes:
        say(each)


_MOST = 20
"""Lines of one kind on a terminal; --json has all."""
_NEAR = 1e-9
"""Beliefs that differ less are printed as one: more digits than are shown."""
_VERDICTS = {True: "met", False: "missed", None: "undecided"}


def print_judgement(answer: "TablesJudgement") -> None:
    """What is certain, beliefs, differences and cells; and what it rests on."""
    if any(each.before is not None for each in answer.editions):
        _print_decision(answer)
    print_lines(_judgement_lines(answer))
    _some("Editions:", list(map(_edition, answer.editions)))
    _some("Read as:", list(answer.read_as))
    if answer.is_met is None and (answer.max_posterior or answer.min_posterior):
        from deniable.rules.judgement import UNDECIDED

        say(UNDECIDED)
    if answer.because is not None:
        _some("Because:", list(_reason(answer.because)))
    _some("Certain:", [_certain(each.list, each.people, each.is_in) for each in answer.certain])
    _some("Sets that differ in few people:", list(map(_difference, answer.differences)))
    people = sorted(answer.beliefs, key=_highest, reverse=True)
    _some("Beliefs that someone is counted:", list(map(_belief, people)))
    cells = [
        f"{each.cell.table}, {each.cell.name}: {each.cell.published} stands for "
        f"{each.interval.lower:,} to {each.interval.upper:,}"
        for each in answer.feasible
    ]
    _some("Counts:", cells)
    _rests(answer.assumes)


def _reason(because: "Reason") -> Iterator[str]:
    """The people, the numbers that suffice, and the repair."""
    from deniable.rules.reasons import CHOICE

    bounds = because.as_json()["belief"]
    yield because.text
    if because.is_high:
        yield f"the belief is then at least {at_least(bounds['lower'])}"
    else:
        yield f"the belief is then at most {at_most(bounds['upper'])}"
    if (repair := because.repair) is None:
        yield "no small change of the tables was found: see `deniable rules repair`"
        return
    still = "" if repair.is_met else ", and what was undecided stays so"
    low, high = at_least(repair.lowest), at_most(repair.highest)
    yield f"cheapest repair found: {repair.text}"
    yield f"beliefs about connected lists are then {low} to {high}{still}"
    if repair.missed:
        yield f"{repair.missed:,} other lists still miss the target"
    yield CHOICE


def _print_decision(answer: "TablesJudgement") -> None:
    """Whether to publish a new edition, and what to leave out of it."""
    if not answer.is_refused:
        say("Beside the earlier editions, this one reveals nothing more about anybody.")
    elif answer.hide:
        say(
            "Do not publish all of it: beside the earlier editions, it reveals more about somebody."
        )
        _some("Leave out:", [f"{each.table}, {each.name}" for each in answer.hide])
    else:
        say("Do not publish it: beside the earlier editions, it reveals more about somebody.")
        say("No few cells were found that it could go without.")
    say()


def _edition(each: "EditionBelief") -> str:
    """Somebody's part in an edition, and the belief before and after it."""
    line = f"{each.list}, {each.role}: {each.verdict}; {_belief(each.belief)}"
    if each.before is None:
        return line
    before = each.as_json()["before"]
    return f"{line}; before, {at_least(before['lower'])} to {at_most(before['upper'])}"


def _judgement_lines(answer: "TablesJudgement") -> Iterator[tuple[str, str]]:
    if answer.policy is not None:
        yield "policy", f"{answer.policy.name}: {answer.policy.source} ({answer.policy.date})"
    if (who := answer.adversary) is not None:
        low, high = in_full(float(who.low)), in_full(float(who.high))
        yield "prior of each person", low if low == high else f"{low} to {high}"
    if (worst := answer.worst) is not None:
        yield "worst belief", _belief(worst)
    if (lowest := answer.lowest) is not None:
        yield "lowest belief", _belief(lowest)
    for name, limit in (("at most", answer.max_posterior), ("at least", answer.min_posterior)):
        if limit is not None:
            yield f"target: {name} {in_full(float(limit))}", ""
    if answer.max_posterior is not None or answer.min_posterior is not None:
        yield "verdict", _VERDICTS[answer.is_met]


def _some(heading: str, lines: list[str]) -> None:
    if not lines:
        return
    say()
    say(heading)
    for line in lines[:_MOST]:
        say(f"  {line}")
    if len(lines) > _MOST:
        say(f"  … and {len(lines) - _MOST:,} more: see --json")


def _certain(name: str, people: int, is_in: bool) -> str:
    if people == 1:
        return f"{name}: the one person is {'in' if is_in else 'out'}"
    return f"{name}: {'all' if is_in else 'none'} of {people:,} people are in"


def _highest(belief: "MemberBelief") -> float:
    from deniable.rules.numbers import bound_between

    return bound_between(belief.highest.lower, belief.highest.upper).upper


def _belief(belief: "MemberBelief") -> str:
    bounds = belief.as_json()["belief"]
    low, high = at_least(bounds["lower"]), at_most(bounds["upper"])
    is_point = bounds["upper"] - bounds["lower"] < _NEAR
    who = f"{belief.people:,} people" if belief.people > 1 else "the one person"
    loose = ", bounded outwards" if belief.evidence == "outward" else ""
    return (
        f"{high if is_point else f'{low} to {high}'}: {who} on {' and '.join(belief.lists)}{loose}"
    )


def print_values(answer: "ValuesJudgement") -> None:
    """The verdict, then whose values are bounded too closely, or how closely at most."""
    from deniable.rules.value_lines import VERDICTS, describe_attacks, describe_value

    print_lines([("verdict", _VERDICTS[answer.is_met]), *describe_attacks(answer)])
    for word, heading in VERDICTS.items():
        some = [each for each in answer.values if each.verdict == word]
        _some(heading, list(map(describe_value, some)))
    _rests(answer.assumes)


def _difference(each: "RevealedDifference") -> str:
    first, second = each.difference.first, each.difference.second
    people = each.difference.people
    who = "1 person" if people == 1 else f"{people:,} people"
    count = f"{each.interval.lower:,}" if each.interval.lower == each.interval.upper else (
        f"{each.interval.lower:,} to {each.interval.upper:,}"
    )  # fmt: skip
    return (
        f"{who} in {first.table}, {first.name} and not in {second.table}, {second.name}: "
        f"{count} counted"
    )


def print_repair(answer: "RuleRepair") -> None:
    """Changes that meet the target, with what each costs; and what they rest on."""
    met = [each for each in answer.options if each.is_met]
    if not met:
        say("No change that was tried keeps beliefs within the target.")
    lines = [
        f"{each.text}: belief up to {at_most(each.highest)}, at least {at_least(each.lowest)}; "
        f"counts within {at_most(each.half_width, 3)}, {at_most(100 * each.share, 3)} % listed"
        for each in met
    ]
    _some("Within the target, the cheapest first:", lines)
    _rests(answer.assumes)


RulesFile = Annotated[
    Path | None,
    Argument(
        metavar="RULES.toml", help="A file of rules, in place of steps; options come before it."
    ),
]
RulesNames = Annotated[
    list[str],
    Argument(metavar="RULE…", help="Names of published policies, or files RULES.toml."),
]
RulesToml = Annotated[
    Path, Argument(metavar="RULES.toml", help="The lists, the tables, the rule and the attacker.")
]
Tables = Annotated[
    list[Path],
    Argument(metavar="TABLE.csv…", help="Published tables, a file for each [[table]]."),
]
Threshold = Annotated[
    int, Option(metavar="PEOPLE", help="Report sets that differ in at most so many people.")
]
Page = Annotated[
    Path | None,
    Option(metavar="PAGE.html", help="Write a page here, for the person who decides."),
]


BookOption = Annotated[
    Path | None,
    Option(metavar="BOOK", help="Judge beside the editions of this book, jointly."),
]
Book = Annotated[Path, Argument(metavar="BOOK", help="The file of a book of published tables.")]
EditionName = Annotated[str, Option(metavar="NAME", help="What this edition is called.")]
Published = Annotated[str, Option(metavar="DAY", help="The day of publication, 2025-03-01.")]
By = Annotated[str | None, Option(metavar="NAME", help="Who enters it; you by default.")]


def _text(metavar: str, text: str, older: str = "") -> Any:
    return Annotated[str | None, Option(metavar=metavar, help=text, older=older)]


def _step(metavar: str, text: str, kind: Any = int) -> Any:
    return Annotated[list[kind] | None, Option(metavar=metavar, help=text)]


def _left_out(kinds: dict[str, Any]) -> Options:
    return {name: (name, kind, None) for name, kind in kinds.items()}


STEPS: Options = _left_out({
    "hide": _step("A B", 'Show counts A to B as "*".', str),
    "round": _step("B", "Round to the nearest multiple of B."),
    "halves": _text("up|down|even", "Where --round sends a half, if B is even; up by default."),
    "round_down": _step("B", "Round down to a multiple of B."),
    "random": _step("B", "Round to a multiple of B by chance, without bias."),
    "midpoint": _step("B", "Show the middle of 1 to B, B+1 to 2B, …."),
    "top": _step("U", "Show counts above U as U."),
    "bottom": _step("L", "Show counts below L as L."),
    "barnard": _step("Q", "Add 1 or subtract 1, each with probability Q.", str),
    "cell_key": _step(
        "FILE.csv", "Add noise by a p-table: columns count, noise, probability.", str
    ),
    "preset": _step(
        "NAME",
        "A published policy: opensafely, ehrql, cms, all-of-us, acro, rr3 or midpoint6.",
        str,
    ),
    "zero": _text(
        "shown|hidden|merged", 'A 0 is shown; or shown as "*"; or hidden counts are shown as 0.'
    ),
})  # fmt: skip
"""Steps of a rule."""
QUESTION: Options = _left_out({
    "members": _text(
        "M", "How many people the list has: 9, or 10,20,50, or 2..1000 for all."
    ),
    "prior": Annotated[
        tuple[str, str] | None,
        Option(
            metavar="LOW HIGH",
            help="Range of the belief about each member before: two numbers, such as 1/20 0.5.",
        ),
    ],
    "sample": Annotated[
        tuple[int, int] | None,
        Option(metavar="n N", help="In place of --prior: n people were drawn from a list of N."),
    ],
}) | {
    "max_posterior": ("limit", _text(
        "BELIEF", "Report the probability of a belief above it in a counted person.", "--limit"
    ), None),
    "min_posterior": ("floor", _text(
        "BELIEF", "Report the probability of a belief below it in someone not counted.", "--floor"
    ), None),
} | _left_out({
    "delta": _text("D", "Report the belief that holds except with this probability."),
    "stated": _text("P", "Also report probabilities at this prior for all; HIGH by default."),
})  # fmt: skip
"""The options that say whom you fear, and what the question is."""
PLACE = 40
"""Place of these commands in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    members = group(
        "rules",
        "Judge tables without noise: thresholds, rounding and cell keys, in beliefs."
        "\n\nExample: deniable rules design --preset opensafely --members 2..100 --prior 0.5 0.5",
    )
    for command in (design, judge, compare, repair):
        add(members, guard(command))
    books = group(
        "book",
        "Keep a record of published tables about the same people, to judge later ones beside them."
        "\n\nExample: deniable rules book show wards.book",
    )
    for name, command in (
        ("new", book_new), ("add", book_add), ("show", book_show), ("check", book_check)
    ):  # fmt: skip
        add(books, guard(command), name)
    members.add_command(books)
    app.add_command(members)


@in_place_of("steps", STEPS)
@in_place_of("question", QUESTION)
def design(
    file: RulesFile = None,
    steps: Any = None,
    question: Any = None,
    page: Page = None,
    as_json: Json = False,
) -> None:
    """Judge a rule before there is any table, over everything that it can publish.

    Steps apply in the order typed. The target's prior is the upper bound for the worst belief and
    the lower for the lowest; the others' are anywhere between.

    Example: deniable rules design --hide 1 7 --round 5 --members 9 --prior 0.5 0.5
    --max-posterior 0.75
    """
    if page is not None:
        from deniable.report import html as whole_page

        whole_page.check_page(page)
    rule, policy, question = _read_question(file, steps, question)
    answer = deniable.rules.design(policy or rule, **question)
    if page is not None:
        appearing(page)
        whole_page.write_page(answer.page(), page)
    print_answer(answer, as_json, print_design)


def judge(
    rules: RulesToml,
    tables: Tables,
    threshold: Threshold = 10,
    book: BookOption = None,
    page: Page = None,
    as_json: Json = False,
) -> None:
    """Judge what an attacker can infer from published tables, all of them together.

    A table is a CSV file: names of lists and published numbers, or a grid with margins. With
    --book the exit status is 3 if the tables reveal more than the earlier editions do. With
    [values] in the rules, tables are sums, and the answer is what contributors can infer of each
    other's values.

    Example: deniable rules judge rules.toml wards.csv ages.csv
    """
    from deniable.errors import InvalidArgument
    from deniable.rules.files import read_rules

    if page is not None:
        from deniable.report import html as whole_page

        whole_page.check_page(page)
    read = read_rules(rules)
    if read.values is not None:
        if page is not None:
            raise InvalidArgument("Expected no --page for sums of values, got one. Leave it out.")
        print_answer(deniable.rules.judge_values(read, *tables), as_json, print_values)
        return
    answer = deniable.rules.judge(read, *tables, threshold=threshold, book=book)
    if page is not None:
        appearing(page)
        whole_page.write_page(answer.page(), page)
    with verdict(REFUSED if answer.is_refused else 0):
        print_answer(answer, as_json, print_judgement)


def book_new(book: Book, as_json: Json = False) -> None:
    """Make an empty book of published tables, readable for its owner only.

    Example: deniable rules book new wards.book
    """
    print_answer(deniable.rules.book.new(book), as_json, _print_book)


def book_add(
    book: Book,
    rules: RulesToml,
    tables: Tables,
    name: EditionName,
    published: Published,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Enter tables that were published; nothing is changed or removed afterwards.

    Example: deniable rules book add wards.book rules.toml wards.csv --name 2024 --published
    2024-03-01
    """
    answer = deniable.rules.book.add(book, rules, *tables, name=name, published=published, by=by)
    print_answer(answer, as_json, lambda each: say(f"Entered: {_entered(each)}"))


def book_show(book: Book, as_json: Json = False) -> None:
    """Show the editions of a book.

    Example: deniable rules book show wards.book
    """
    print_answer(deniable.rules.book.show(book), as_json, _print_book)


def book_check(book: Book, as_json: Json = False) -> None:
    """Check that no entry of a book was changed, and that its file is whole.

    Example: deniable rules book check wards.book
    """
    answer = deniable.rules.book.check(book)
    with verdict(0 if answer.holds else WRONG_INPUT):
        print_answer(answer, as_json, _print_book)


def _print_book(answer: "TablesBook") -> None:
    for finding in answer.findings:
        say(finding)
    if answer.holds:
        editions = len(answer.editions)
        say(f"{answer.place} holds {editions} edition{'' if editions == 1 else 's'}.")
    for each in answer.editions:
        say(f"  {_entered(each)}")


def _entered(edition: "Edition") -> str:
    lists = ", ".join(each.name for each in edition.rules.lists[:_MOST])
    return (
        f"{edition.name}, published {edition.published}, entered by {edition.by}: "
        f"{len(edition.cells):,} number{'' if len(edition.cells) == 1 else 's'} on {lists}"
    )


@in_place_of("question", QUESTION)
def compare(rules: RulesNames, question: Any = None, as_json: Json = False) -> None:
    """Compare what an attacker can conclude under several rules, for the same lists.

    Rules are names of published policies, or files of rules.

    Example: deniable rules compare cms opensafely midpoint6 --members 10,20,50 --prior 0.5 0.5
    """
    from deniable.rules.files import read_rules

    _check_members(question)
    named = {each: read_rules(each).rule if each.endswith(".toml") else each for each in rules}
    answer = deniable.rules.compare(named, **question)
    print_answer(answer, as_json, print_comparison)


def repair(rules: RulesToml, as_json: Json = False) -> None:
    """Find the cheapest change of rules or tables that keeps beliefs within the target.

    Thresholds, bases, top codes, zeros, merged lists, fewer tables, and noise; before anybody has
    looked at counts.

    Example: deniable rules repair rules.toml
    """
    with progress_bar("Trying changes", patience=_PATIENCE) as progress:
        answer = deniable.rules.repair(rules, progress=progress)
    print_answer(answer, as_json, print_repair)


def _read_question(
    file: Path | None, steps: dict[str, Any], question: dict[str, Any]
) -> tuple["Rule", str | None, dict[str, Any]]:
    """The rule, the policy's name where it is one, and what is asked; a file stands behind both."""
    from deniable.errors import InvalidArgument
    from deniable.rules.files import read_rules
    from deniable.rules.typed import typed_rule

    rule, policy = typed_rule(click.get_current_context().meta[ORDER], steps)
    if file is not None:
        if rule is not None:
            raise InvalidArgument(
                "Expected steps or a file of rules, got both. Leave one of them out."
            )
        read = read_rules(file)
        rule, policy = read.rule, None if read.policy is None else read.policy.name
        question = _fill(question, read)
    if rule is None:
        raise InvalidArgument(
            "Expected a rule, got none. Give steps such as --hide 1 7 --round 5, or --preset, "
            "or a file of rules."
        )
    _check_members(question)
    return rule, policy, question


def _check_members(question: dict[str, Any]) -> None:
    from deniable.errors import InvalidArgument

    if question["members"] is None:
        raise InvalidArgument("Expected --members, got none. Say how many people the list has.")


def _fill(question: dict[str, Any], read: Any) -> dict[str, Any]:
    """What is asked, with what a file of rules says where nothing was typed."""
    from deniable.rules.worlds import Priors

    filled = dict(question)
    if filled["prior"] is None and filled["sample"] is None and read.adversary is not None:
        who = read.adversary
        if isinstance(who, Priors):
            filled["prior"] = (who.low, who.high)
        else:
            filled["sample"] = (who.size, who.population)
    sizes = sorted({each.size for each in read.lists})
    behind = {
        "limit": read.max_posterior, "floor": read.min_posterior, "delta": read.delta,
        "members": sizes[0] if len(sizes) == 1 else sizes or None,
    }  # fmt: skip
    return filled | {key: value for key, value in behind.items() if filled[key] is None}
