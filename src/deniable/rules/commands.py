"""`deniable rules …`: what is published without noise, judged in beliefs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

import deniable
from deniable.cli.commands import ORDER, Argument, Option, add, group
from deniable.cli.option_groups import Json, in_place_of
from deniable.cli.option_tables import read_options
from deniable.cli.output import (
    REFUSED,
    WRONG_INPUT,
    guard,
    page_writer,
    print_answer,
    progress_bar,
    say,
    verdict,
)

if TYPE_CHECKING:
    from deniable.rules.rule import Rule

_PATIENCE = 0.5  # Seconds of work before a bar is drawn
RulesToml = Annotated[
    Path, Argument(metavar="RULES.toml", help="The lists, the tables, the rule and the attacker.")
]
Tables = Annotated[
    list[Path], Argument(metavar="TABLE.csv…", help="Published tables, a file for each [[table]].")
]
Page = Annotated[
    Path | None, Option(metavar="PAGE.html", help="Write a page here, for the person who decides.")
]


Book = Annotated[
    str, Argument(metavar="BOOK", help="The file of a book of published tables, or a database.")
]


_GROUPS = read_options(__file__)
PLACE = 40  # Place of these commands in the list of all, after those of the core


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
        "Keep a record of published tables about the same people, and judge new tables with it."
        "\n\nExample: deniable rules book show wards.book",
    )
    for name, command in (
        ("new", book_new), ("add", book_add), ("show", book_show), ("check", book_check)
    ):  # fmt: skip
        add(books, guard(command), name)
    members.add_command(books)
    app.add_command(members)


@in_place_of("steps", _GROUPS["steps"])
@in_place_of("question", _GROUPS["question"])
def design(
    file: Annotated[
        Path | None,
        Argument(
            metavar="RULES.toml", help="A file of rules, in place of steps; options come before it."
        ),
    ] = None,
    steps: Any = None,
    question: Any = None,
    page: Page = None,
    as_json: Json = False,
) -> None:
    """Judge a rule before there is any table, over everything that it can publish.

    Steps apply in the order typed. For the worst belief the target has the prior HIGH, and for the
    lowest belief LOW. The others have any priors between.

    Example: deniable rules design --hide 1 7 --round 5 --members 9 --prior 0.5 0.5
    --max-posterior 0.75
    """
    from deniable.rules.design_lines import print_design

    write = page_writer(page)
    rule, policy, question = _read_question(file, steps, question)
    answer = deniable.rules.design(policy or rule, **question)
    write(answer)
    print_answer(answer, as_json, print_design)


def judge(
    rules: RulesToml,
    tables: Tables,
    threshold: Annotated[
        int, Option(metavar="PEOPLE", help="Report sets that differ in at most this many people.")
    ] = 10,
    book: Annotated[
        str | None, Option(metavar="BOOK", help="Judge jointly with the editions of this book.")
    ] = None,
    page: Page = None,
    as_json: Json = False,
) -> None:
    """Judge what an attacker can infer from published tables, all of them together.

    A table is a CSV file: names of lists and published numbers, or a grid with margins. With
    --book the exit status is 3 if the tables reveal more than the earlier editions do. With
    [values] in the rules, tables are sums, and the answer is what contributors can infer about each
    other's values.

    Example: deniable rules judge rules.toml wards.csv ages.csv
    """
    from deniable.rules import judgement_lines as lines
    from deniable.rules.files import read_rules

    write = page_writer(page)
    read = read_rules(rules)
    if read.values is not None:
        sums = deniable.rules.judge_values(read, *tables)
        write(sums)
        print_answer(sums, as_json, lines.print_values)
        return
    answer = deniable.rules.judge(read, *tables, threshold=threshold, book=book)
    write(answer)
    with verdict(REFUSED if answer.is_refused else 0):
        print_answer(answer, as_json, lines.print_judgement)


def book_new(book: Book, as_json: Json = False) -> None:
    """Make an empty book of published tables, readable only by its owner.

    Example: deniable rules book new wards.book
    """
    from deniable.rules.judgement_lines import print_book

    print_answer(deniable.rules.book.new(book), as_json, print_book)


def book_add(
    book: Book,
    rules: RulesToml,
    tables: Tables,
    name: Annotated[str, Option(metavar="NAME", help="What this edition is called.")],
    published: Annotated[str, Option(metavar="DAY", help="The day of publication, 2025-03-01.")],
    by: Annotated[str | None, Option(metavar="NAME", help="Who enters it; you by default.")] = None,
    as_json: Json = False,
) -> None:
    """Enter published tables into a book; you cannot change or remove them afterwards.

    Example: deniable rules book add wards.book rules.toml wards.csv --name 2024 --published
    2024-03-01
    """
    from deniable.rules.judgement_lines import entered

    answer = deniable.rules.book.add(book, rules, *tables, name=name, published=published, by=by)
    print_answer(answer, as_json, lambda each: say(f"Entered: {entered(each)}"))


def book_show(book: Book, as_json: Json = False) -> None:
    """Show the editions of a book.

    Example: deniable rules book show wards.book
    """
    from deniable.rules.judgement_lines import print_book

    print_answer(deniable.rules.book.show(book), as_json, print_book)


def book_check(book: Book, as_json: Json = False) -> None:
    """Check that no entry of a book was changed, and that its file is whole.

    Example: deniable rules book check wards.book
    """
    from deniable.rules.judgement_lines import print_book

    answer = deniable.rules.book.check(book)
    with verdict(0 if answer.holds else WRONG_INPUT):
        print_answer(answer, as_json, print_book)


@in_place_of("question", _GROUPS["question"])
def compare(
    rules: Annotated[
        list[str],
        Argument(metavar="RULE…", help="Names of published policies, or files RULES.toml."),
    ],
    question: Any = None,
    as_json: Json = False,
) -> None:
    """Compare what an attacker can conclude under several rules, for the same lists.

    Rules are names of published policies, or files of rules.

    Example: deniable rules compare cms opensafely midpoint6 --members 10,20,50 --prior 0.5 0.5
    """
    from deniable.rules.design_lines import print_comparison
    from deniable.rules.files import read_rules

    _check_members(question)
    named = {each: read_rules(each).rule if each.endswith(".toml") else each for each in rules}
    answer = deniable.rules.compare(named, **question)
    print_answer(answer, as_json, print_comparison)


def repair(rules: RulesToml, as_json: Json = False) -> None:
    """Find the cheapest change of rules or tables that keeps beliefs within the target.

    It tries thresholds, bases, top codes, zeros, merged lists, fewer tables and noise. It needs no
    counts, so you can choose a rule before anybody looks at them.

    Example: deniable rules repair rules.toml
    """
    from deniable.rules.judgement_lines import print_repair

    with progress_bar("Trying changes", patience=_PATIENCE) as progress:
        answer = deniable.rules.repair(rules, progress=progress)
    print_answer(answer, as_json, print_repair)


def _read_question(
    file: Path | None, steps: dict[str, Any], question: dict[str, Any]
) -> tuple["Rule", str | None, dict[str, Any]]:
    """The rule, the policy's name where it is one, and what is asked; a file stands behind both."""
    from deniable.errors import InvalidArgument
    from deniable.rules.files import read_rules, typed_rule
    from deniable.rules.worlds import Priors

    rule, policy = typed_rule(click.get_current_context().meta[ORDER], steps)
    if file is not None:
        if rule is not None:
            raise InvalidArgument(
                "Expected steps or a file of rules, got both. Leave one of them out."
            )
        read = read_rules(file)
        rule, policy = read.rule, None if read.policy is None else read.policy.name
        question = dict(question)  # and what the file says where nothing was typed
        if question["prior"] is None and question["sample"] is None and read.adversary is not None:
            who = read.adversary
            if isinstance(who, Priors):
                question["prior"] = (who.low, who.high)
            else:
                question["sample"] = (who.size, who.population)
        sizes = sorted({each.size for each in read.lists})
        behind = {
            "limit": read.max_posterior, "floor": read.min_posterior, "delta": read.delta,
            "members": sizes[0] if len(sizes) == 1 else sizes or None,
        }  # fmt: skip
        question |= {key: value for key, value in behind.items() if question[key] is None}
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
