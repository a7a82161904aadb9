"""Sentences that every certificate repeats: the unit, what is rested on, what is not covered."""

from deniable.notions import Adjacency

NOT_COVERED = (
    "Entities that belong together: if several entities are all in the data or all out of it "
    "(a family, one person under two ids), what is learned of the group can exceed what this "
    "certificate states for one.",
    "A plan made from the data: if keys, bounds, edges or candidates were chosen by looking at "
    "this table, that choice is a release of its own, without protection.",
    "Other releases: what was or will be published from the same entities, by anyone, adds to "
    "what this release shows. This certificate speaks of this plan alone.",
    "Wrong entity ids: whoever appears under two ids is protected as two entities, each by "
    "itself; rows that carry somebody else's id are protected as the other's.",
)
"""What no differentially private release covers, for `Certificate.not_covered`."""


def unit_sentence(entity: str | None, adjacency: Adjacency, unit: str | None = None) -> str:
    """What is protected, in one or two sentences; `unit` is the plan's word for it.

    Examples
    --------
    >>> unit_sentence(None, Adjacency.ADD_REMOVE, "person-year").split(":")[0]
    'The protected unit is one person-year, which is one row of the table'
    """
    if entity is None:
        named = (
            "one row of the table" if unit is None else f"one {unit}, which is one row of the table"
        )
        what = f"The protected unit is {named}: no column names an entity."
        owned, number = "one row", "how many rows there are"
    else:
        named = "" if unit is None else f"one {unit}, "
        what = (
            f"The protected unit is {named}everything that one value of “{entity}” owns in the "
            "table."
        )
        owned, number = f"one “{entity}”", "how many of them there are"
    match adjacency:
        case Adjacency.REPLACE_ONE:
            return f"{what} Exchanging {owned} for another stays hidden; {number} is public."
        case Adjacency.ADD_REMOVE:
            return f"{what} Whether {owned} is there at all stays hidden, and so does {number}."


def assumptions(entity: str | None, rows_per_entity: int | None) -> tuple[str, ...]:
    """What the guarantee rests on, for `Certificate.assumptions`."""
    result = [
        "Before the release, the adversary's beliefs about different entities are independent of "
        "one another, apart from the number of entities where that is public.",
        "The adversary may know everything else: all other entities' rows, the plan, this program.",
        "Everything in the plan besides the table's values is public: names, keys, bounds, edges, "
        "conditions, the target.",
        "Noise comes from the operating system's secure random numbers and is forgotten after "
        "use; nothing but the files of this release leaves the house.",
    ]
    if entity is not None:
        result.append(f"Rows whose “{entity}” is NULL are left out.")
    if entity is not None and rows_per_entity is not None:
        result.append(
            f"Of one “{entity}”, at most {rows_per_entity} rows are used, chosen by a secret "
            "random order before any filter."
        )
    return tuple(result)
