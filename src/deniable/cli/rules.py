"""`deniable rules …`: what is published without noise, judged in beliefs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import deniable
from deniable.cli.commands import ORDER, add, group
from deniable.cli.option_groups import in_place_of
from deniable.cli.output import announce_written, guard, print_json
from deniable.cli.rules_answers import print_comparison, print_design
from deniable.cli.rules_judgement import print_judgement, print_repair
from deniable.cli.rules_options import (
    QUESTION,
    STEPS,
    Json,
    Page,
    RulesFile,
    RulesNames,
    RulesToml,
    Tables,
    Threshold,
)
from deniable.errors.late import late

if TYPE_CHECKING:
    from deniable.rules.rule import Rule

whole_page: Any = late("deniable.report.whole_page")


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    members = group(
        "rules",
        "What is published without noise? Thresholds, rounding and cell keys, judged in beliefs."
        "\n\nExample: deniable rules design --preset opensafely --members 2..100 --prior 0.5 0.5",
    )
    for command in (design, judge, compare, repair):
        add(members, guard(command))
    app.add_typer(members)


@in_place_of("steps", STEPS)
@in_place_of("question", QUESTION)
def design(
    context: typer.Context,
    file: RulesFile = None,
    steps: Any = None,
    question: Any = None,
    page: Page = None,
    as_json: Json = False,
) -> None:
    """How far a rule lets belief go, before there is any table: all that it can publish.

    Steps apply in the order typed. The target's prior is the upper bound for the worst belief and
    the lower for the lowest; the others' are anywhere between.

    Example: deniable rules design --hide 1 7 --round 5 --members 9 --prior 0.5 0.5 --limit 0.75
    """
    if page is not None:
        whole_page.check_page(page)
    rule, policy, question = _read_question(file, context, steps, question)
    answer = deniable.rules.design(policy or rule, **question)
    if page is not None:
        whole_page.write_page(answer.page(), page)
        announce_written(f"Written to {page}.")
    if as_json:
        print_json(answer.as_json())
    else:
        print_design(answer)


def judge(
    rules: RulesToml,
    tables: Tables,
    threshold: Threshold = 10,
    page: Page = None,
    as_json: Json = False,
) -> None:
    """What anybody can infer from tables as they were published, all of them together.

    A table is a CSV file: names of lists and what was published, or a grid with margins.

    Example: deniable rules judge rules.toml wards.csv ages.csv
    """
    if page is not None:
        whole_page.check_page(page)
    answer = deniable.rules.judge(rules, *tables, threshold=threshold)
    if page is not None:
        whole_page.write_page(answer.page(), page)
        announce_written(f"Written to {page}.")
    if as_json:
        print_json(answer.as_json())
    else:
        print_judgement(answer)


@in_place_of("question", QUESTION)
def compare(rules: RulesNames, question: Any = None, as_json: Json = False) -> None:
    """How far each of several rules lets belief go, for the same lists.

    Rules are names of published policies, or files of rules.

    Example: deniable rules compare cms opensafely midpoint6 --members 10,20,50 --prior 0.5 0.5
    """
    from deniable.rules.files import read_rules

    _check_members(question)
    named = {each: read_rules(each).rule if each.endswith(".toml") else each for each in rules}
    answer = deniable.rules.compare(named, **question)
    if as_json:
        print_json(answer.as_json())
    else:
        print_comparison(answer)


def repair(rules: RulesToml, as_json: Json = False) -> None:
    """The cheapest change of rules or tables with which beliefs stay within the target.

    Thresholds, bases, top codes, zeros, merged lists, fewer tables, and noise; before anybody has
    looked at counts.

    Example: deniable rules repair rules.toml
    """
    answer = deniable.rules.repair(rules)
    if as_json:
        print_json(answer.as_json())
    else:
        print_repair(answer)


def _read_question(
    file: Path | None, context: typer.Context, steps: dict[str, Any], question: dict[str, Any]
) -> tuple["Rule", str | None, dict[str, Any]]:
    """The rule, the policy's name where it is one, and what is asked; a file stands behind both."""
    from deniable.errors import InvalidArgument
    from deniable.rules.files import read_rules, typed_rule

    rule, policy = typed_rule(context.meta[ORDER], steps)
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
