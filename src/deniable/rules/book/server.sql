-- The table of a book of tables in PostgreSQL, and what admits a new row.

CREATE TABLE edition (
        number bigint NOT NULL PRIMARY KEY, name text NOT NULL UNIQUE, document text NOT NULL,
        previous text NOT NULL, sha256 text NOT NULL UNIQUE
    )

BEGIN
    IF NEW.number <> 1 + (SELECT COALESCE(MAX(number), 0) FROM edition)
    OR NEW.previous <> COALESCE(
        (SELECT sha256 FROM edition ORDER BY number DESC LIMIT 1), 'the first')
    THEN RAISE EXCEPTION 'an edition follows the last one'; END IF;
    RETURN NEW;
END
