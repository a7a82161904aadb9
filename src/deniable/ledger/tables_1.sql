-- All that a ledger's file of version 1 holds, in the words in which SQLite keeps it.
-- The index of amounts has all that sums read. A row that replaces another would take it away without
-- a word: the triggers let in only what is new.

CREATE TABLE book (version INTEGER NOT NULL) STRICT

CREATE TABLE dataset (
        number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, entity TEXT, unit TEXT,
        adjacency TEXT NOT NULL, low REAL NOT NULL, high REAL NOT NULL, target TEXT NOT NULL,
        value REAL NOT NULL, worlds INTEGER, exceedance REAL NOT NULL, measure TEXT NOT NULL,
        budget INTEGER NOT NULL CHECK (budget > 0)
    ) STRICT

CREATE TABLE entry (
        number INTEGER NOT NULL, id TEXT NOT NULL, dataset TEXT NOT NULL, units INTEGER NOT NULL,
        what TEXT NOT NULL, plan_sha256 TEXT, "by" TEXT NOT NULL, at TEXT NOT NULL,
        state TEXT NOT NULL, because TEXT, statement_sha256 TEXT, previous TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        PRIMARY KEY (dataset, number)
    ) STRICT, WITHOUT ROWID

CREATE INDEX amounts ON entry (dataset, units)

CREATE TRIGGER entry_fits BEFORE INSERT ON entry
        WHEN NEW.units > (SELECT budget FROM dataset WHERE name = NEW.dataset)
            - (SELECT COALESCE(SUM(units), 0) FROM entry WHERE dataset = NEW.dataset)
        OR NOT EXISTS (SELECT 1 FROM dataset WHERE name = NEW.dataset)
        BEGIN SELECT RAISE(ABORT, 'a charge fits what is left'); END

CREATE UNIQUE INDEX ends ON entry (id, (state = 'charged'))

CREATE TRIGGER entry_follows BEFORE INSERT ON entry
        WHEN NEW.number <> 1
            + (SELECT COALESCE(MAX(number), 0) FROM entry WHERE dataset = NEW.dataset)
        OR EXISTS (SELECT 1 FROM entry
            WHERE id = NEW.id AND (state = 'charged') = (NEW.state = 'charged'))
        BEGIN SELECT RAISE(ABORT, 'an entry follows the last one'); END

CREATE TRIGGER dataset_follows BEFORE INSERT ON dataset
        WHEN EXISTS (SELECT 1 FROM dataset WHERE name = NEW.name OR number = NEW.number)
        BEGIN SELECT RAISE(ABORT, 'a dataset is made once'); END

CREATE TRIGGER book_update BEFORE UPDATE ON book BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER book_delete BEFORE DELETE ON book BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER dataset_update BEFORE UPDATE ON dataset BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER dataset_delete BEFORE DELETE ON dataset BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER entry_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER entry_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END
