-- The tables of a ledger in PostgreSQL, and what admits a new entry: in version 1, and since.

CREATE TABLE dataset (
        number bigint NOT NULL PRIMARY KEY, name text NOT NULL UNIQUE, entity text, unit text,
        adjacency text NOT NULL, low double precision NOT NULL, high double precision NOT NULL,
        target text NOT NULL, value double precision NOT NULL, worlds bigint,
        exceedance double precision NOT NULL, measure text NOT NULL,
        budget bigint NOT NULL CHECK (budget > 0), exposure bigint CHECK (exposure > 0),
        household_size bigint, tie text, tie_value double precision
    )

CREATE TABLE entry (
        number bigint NOT NULL, id text NOT NULL, dataset text NOT NULL REFERENCES dataset (name),
        units bigint NOT NULL, what text NOT NULL, plan_sha256 text, "by" text NOT NULL,
        at text NOT NULL, state text NOT NULL, because text, statement_sha256 text,
        previous text NOT NULL, sha256 text NOT NULL, exposure bigint, PRIMARY KEY (dataset, number)
    )

CREATE UNIQUE INDEX ends ON entry (id, (state = 'charged'))

BEGIN
    IF NEW.number <> 1 + (SELECT COALESCE(MAX(number), 0) FROM entry WHERE dataset = NEW.dataset)
    OR NEW.units > (SELECT budget FROM dataset WHERE name = NEW.dataset)
        - (SELECT COALESCE(SUM(units), 0) FROM entry WHERE dataset = NEW.dataset)
    THEN RAISE EXCEPTION 'an entry follows the last one, and fits what is left'; END IF;
    RETURN NEW;
END

BEGIN
    IF NEW.number <> 1 + (SELECT COALESCE(MAX(number), 0) FROM entry WHERE dataset = NEW.dataset)
    OR NEW.units > (SELECT budget FROM dataset WHERE name = NEW.dataset)
        - (SELECT COALESCE(SUM(units), 0) FROM entry WHERE dataset = NEW.dataset)
    OR NEW.exposure > (SELECT exposure FROM dataset WHERE name = NEW.dataset)
        - (SELECT COALESCE(SUM(exposure), 0) FROM entry WHERE dataset = NEW.dataset)
    OR (NEW.exposure IS NULL) <> (SELECT exposure IS NULL FROM dataset WHERE name = NEW.dataset)
    THEN RAISE EXCEPTION 'an entry follows the last one, and fits what is left'; END IF;
    RETURN NEW;
END
