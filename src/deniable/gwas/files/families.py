"""Which participants are of one family: the study's own file of people, or a list."""

import os
from collections import Counter
from pathlib import Path

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.individuals import NO_FAMILY, Individuals, check_distinct, read_words
from deniable.gwas.public_filters import FAM, Families

FamilyPath = str | os.PathLike[str]
"""The word "fam", or a file: family, individual, group of relatives."""


def check_families(individuals: Individuals | None, stated: Families, path: Path) -> None:
    """Refuse a study in which more participants are of one family than was stated.

    Neither a family nor its size is named. A family "0" is none, as in PLINK: each person is alone.
    So is a person who is not on a list.
    """
    families = stated.path
    if families is None:
        return
    if individuals is None:
        raise InvalidArgument(
            f"Expected people one by one for families, got a table of counts {path}. Give the "
            "size alone (--family-size), or PLINK files."
        )
    participants = [
        name
        for name, takes_part in zip(
            individuals.names, individuals.cases | individuals.controls, strict=True
        )
        if takes_part
    ]
    if families == FAM:
        if not individuals.families:
            raise DataError(
                f"Expected a family for each person, got a file without families at {path}. Give "
                "a list of families (--families FILE)."
            )
        groups = [family for family, _ in participants]
    else:
        path = Path(families)
        known, by_family = read_words(path, "a list of families", "family group")
        if not (by_family and individuals.families):
            check_distinct([name for _, name in known], path)
            check_distinct([name for _, name in participants], path)
            known = {(NO_FAMILY, name): word for (_, name), word in known.items()}
            participants = [(NO_FAMILY, name) for _, name in participants]
        groups = [known[name] for name in participants if name in known]
        if not groups:
            raise DataError(
                f"Expected somebody of the study in the list of families, got nobody at {path}. "
                "Write family and individual as the study has them."
            )
    sizes = Counter(group for group in groups if group != NO_FAMILY)
    if max(sizes.values(), default=1) <= stated.size:
        return
    remedy = "State a larger one with --family-size, or keep fewer of them by a public list."
    if len(sizes) == 1 and len(groups) > stated.size:
        remedy = "All participants have the same one: write 0 for people without a family."
    raise DataError(
        f"Expected at most {stated.size} participants of one family, got more at {path}. {remedy}"
    )
