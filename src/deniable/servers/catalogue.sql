-- What is asked of PostgreSQL's catalogue, in the order in which postgres.py names it.

-- A database without an encoding holds any bytes, and sends UTF-8 only where all of them are.
SELECT pg_catalog.set_config('client_encoding', 'SQL_ASCII', true)
WHERE pg_catalog.current_setting('server_encoding') = 'SQL_ASCII'

SELECT ev_action::pg_catalog.text FROM pg_catalog.pg_rewrite
WHERE ev_class = {} AND ev_type = '1'

-- Row security is the table's own: partitions and heirs that are read through it add none.
SELECT p.polqual::pg_catalog.text FROM pg_catalog.pg_policy AS p
JOIN pg_catalog.pg_class AS c ON c.oid = p.polrelid
WHERE c.oid = {} AND c.relrowsecurity AND p.polcmd IN ('r', '*') AND p.polqual IS NOT NULL
    AND ({} OR pg_catalog.row_security_active(c.oid) AND EXISTS (
        SELECT FROM pg_catalog.unnest(p.polroles) AS of
        WHERE of = 0 OR pg_catalog.pg_has_role(of, 'USAGE')
    ))

SELECT relkind::pg_catalog.text FROM pg_catalog.pg_class WHERE oid = {}

-- A stable function may look at tables (table_to_xml), but none whose arguments and result are
-- plain values; a session's clock and time zone are the same for all rows. Numbers below 16384 are
-- those of what is there from the start, in every version of the server.
SELECT count(*) FROM pg_catalog.pg_proc AS p
WHERE p.oid IN ({}) AND p.oid < 16384 AND NOT p.proretset AND (
    p.provolatile = 'i' OR p.provolatile = 's' AND NOT EXISTS (
        SELECT 1 FROM pg_catalog.unnest(p.proargtypes::pg_catalog.oid[] || p.prorettype) AS of
        JOIN pg_catalog.pg_type AS t ON t.oid = of
        WHERE t.typname NOT IN (
            'bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'text', 'varchar',
            'bpchar', 'uuid', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'
        )
    )
)

SELECT DISTINCT oprcode::pg_catalog.oid::pg_catalog.int8 FROM pg_catalog.pg_operator
WHERE oid IN ({})

SELECT c.oid::pg_catalog.int8, c.relkind::pg_catalog.text, n.nspname::pg_catalog.text,
    pg_catalog.has_schema_privilege(n.oid, 'USAGE')
        AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = $1::pg_catalog.text AND CASE WHEN $2::pg_catalog.text IS NULL
    THEN pg_catalog.pg_table_is_visible(c.oid) ELSE n.nspname = $2::pg_catalog.text END

-- A domain is what it stands for, however many stand between.
WITH RECURSIVE held AS (
    SELECT attnum, attname, atttypid AS of, attcollation FROM pg_catalog.pg_attribute
    WHERE attrelid = {} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT h.attnum, h.attname, t.typbasetype, h.attcollation
    FROM held AS h JOIN pg_catalog.pg_type AS t ON t.oid = h.of WHERE t.typtype = 'd'
)
SELECT h.attname::pg_catalog.text, t.oid::pg_catalog.int8, t.typtype::pg_catalog.text,
    n.nspname::pg_catalog.text, t.typname::pg_catalog.text,
    COALESCE(c.collisdeterministic, true)
FROM held AS h JOIN pg_catalog.pg_type AS t ON t.oid = h.of
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_collation AS c ON c.oid = h.attcollation
WHERE t.typtype <> 'd' ORDER BY h.attnum
