"""Views whose every row comes from one row of one table, as PostgreSQL stored their definition.

A view may let one person's row change everybody's: by an average, a limit, a join. What is
admitted here is what a plan's own `where` could say, and what is computed within a row.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from deniable.errors import PlanError
from deniable.publish.sources.postgres_place import Place
from deniable.publish.sources.postgres_session import Session

_NODE = re.compile(r"(?<!\\)\{(\w+)")
_WORD = re.compile(r"\w+")
_ROW_BY_ROW = {
    # The definition, its columns, its one table and its order (which says nothing).
    *_WORD.findall(
        "QUERY ALIAS RTE RANGETBLENTRY RTEPERMISSIONINFO FROMEXPR RANGETBLREF TARGETENTRY "
        "SORTGROUPCLAUSE"
    ),
    # What is computed within a row; names differ between versions of the server.
    *_WORD.findall(
        "VAR CONST FUNCEXPR OPEXPR DISTINCTEXPR NULLIFEXPR SCALARARRAYOPEXPR BOOLEXPR NULLTEST "
        "BOOLEANTEST RELABELTYPE COERCEVIAIO COLLATE COLLATEEXPR CASE CASEEXPR WHEN CASEWHEN "
        "CASETESTEXPR COALESCE COALESCEEXPR MINMAX MINMAXEXPR ARRAY ARRAYEXPR ROW ROWEXPR "
        "ROWCOMPARE ROWCOMPAREEXPR SUBSCRIPTINGREF SQLVALUEFUNCTION"
    ),
}
_ONCE = ("QUERY", "RANGETBLREF")
"""One definition, no other inside it, from one table."""
_EMPTY = _WORD.findall(
    "cteList groupClause groupingSets havingQual windowClause distinctClause limitOffset "
    "limitCount rowMarks setOperations"
)
_RELATION = re.compile(r" :rtekind 0 :relid (\d+) ")
_FUNCTION = re.compile(r" :(?:funcid|opfuncid) (\d+) ")
_OPERATOR = re.compile(r" :(?:opno|eqop|sortop) (\d+) ")

_DEFINITION = (
    "SELECT ev_action::pg_catalog.text FROM pg_catalog.pg_rewrite "
    "WHERE ev_class = {} AND ev_type = '1'"
)
_KIND = "SELECT relkind::pg_catalog.text FROM pg_catalog.pg_class WHERE oid = {}"
_BUILT_IN = 16384
"""The first number of what is not there from the start, in every version of the server."""
_PLAIN = _WORD.findall(
    "bool int2 int4 int8 float4 float8 numeric text varchar bpchar uuid date time timetz "
    "timestamp timestamptz interval"
)
# A stable function may look at tables (table_to_xml), but none whose arguments and result are
# plain values; a session's clock and time zone are the same for all rows.
_KNOWN_FUNCTIONS = f"""
SELECT count(*) FROM pg_catalog.pg_proc AS p
WHERE p.oid IN ({{}}) AND p.oid < {_BUILT_IN} AND NOT p.proretset AND (
    p.provolatile = 'i' OR p.provolatile = 's' AND NOT EXISTS (
        SELECT 1 FROM pg_catalog.unnest(p.proargtypes::pg_catalog.oid[] || p.prorettype) AS of
        JOIN pg_catalog.pg_type AS t ON t.oid = of
        WHERE t.typname NOT IN ({", ".join(f"'{name}'" for name in _PLAIN)})
    )
)
"""
_FUNCTIONS_OF = (
    "SELECT DISTINCT oprcode::pg_catalog.oid::pg_catalog.int8 FROM pg_catalog.pg_operator "
    "WHERE oid IN ({})"
)


def check_view(session: Session, place: Place, view: int) -> None:
    """Refuse a view, by its number in the catalogue, unless its rows are rows of one table.

    Raises
    ------
    PlanError
        If one of its rows may depend on several.
    """
    ((definition,),) = session.rows(_DEFINITION.format(view))
    tables = {int(number) for number in _RELATION.findall(definition)} - {view}
    if not _is_row_by_row(definition) or len(tables) != 1 or not _is_known(session, definition):
        raise PlanError(
            f"Expected a view that takes its rows from one table, each by itself, got "
            f"{place.named} at {place.server}, whose rows may depend on other people's. Where they "
            "do not, write them down: CREATE MATERIALIZED VIEW … AS SELECT …."
        )
    (below,) = tables
    ((kind,),) = session.rows(_KIND.format(below))
    if kind == "v":
        check_view(session, place, below)


def _is_row_by_row(definition: str) -> bool:
    nodes = _NODE.findall(definition)
    return (
        set(nodes) <= _ROW_BY_ROW
        and all(nodes.count(node) == 1 for node in _ONCE)
        and all(f" :{clause} <> " in definition for clause in _EMPTY)
        and ":tablesample {" not in definition
    )


def _is_known(session: Session, definition: str) -> bool:
    """Whether all that is computed is the server's own, and looks at nothing but its arguments."""
    functions = {int(number) for number in _FUNCTION.findall(definition)} - {0}
    if operators := {int(number) for number in _OPERATOR.findall(definition)} - {0}:
        if max(operators) >= _BUILT_IN:
            return False
        functions |= {of for (of,) in session.rows(_FUNCTIONS_OF.format(_format_list(operators)))}
    if not functions:
        return True
    ((known,),) = session.rows(_KNOWN_FUNCTIONS.format(_format_list(functions)))
    return bool(known == len(functions))


def _format_list(numbers: Collection[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
