"""What a column holds, as far as a plan cares; told from the engine's name of its type."""

import enum


class Kind(enum.StrEnum):
    """What a column holds, as far as a plan cares."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"


_KINDS = {
    Kind.INTEGER: ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"],
    # Not UHUGEINT, of which the engine makes floats on the way: two entities would be one.
    Kind.NUMBER: ["UBIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"],
    Kind.TEXT: ["VARCHAR", "UUID", "ENUM"],
    Kind.BOOLEAN: ["BOOLEAN"],
    Kind.DATE: ["DATE"],
    Kind.TIMESTAMP: [
        "TIMESTAMP",
        "TIMESTAMP_S",
        "TIMESTAMP_MS",
        "TIMESTAMP_NS",
        "TIMESTAMP WITH TIME ZONE",
    ],
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}


def kind_of(described: str) -> Kind:
    """The kind of a type such as ``DECIMAL(18,3)``.

    A type that is not in the list is refused by its name, before any value is read. Among them
    are blobs, bit strings, times of day, intervals, lists, structs and maps.

    Examples
    --------
    >>> kind_of("DECIMAL(18,3)"), kind_of("INTEGER[]")
    (<Kind.NUMBER: 'number'>, <Kind.OTHER: 'other'>)
    """
    if described.endswith("]"):
        return Kind.OTHER  # a list, also of a known type
    return _KIND_OF.get(described.split("(")[0], Kind.OTHER)
