-- All that the file of a book of tables holds, in the words in which SQLite keeps it.

CREATE TABLE book (version INTEGER NOT NULL) STRICT

CREATE TABLE edition (
        number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, document TEXT NOT NULL,
        previous TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE
    ) STRICT

CREATE TRIGGER edition_follows BEFORE INSERT ON edition
        WHEN NEW.number <> 1 + (SELECT COALESCE(MAX(number), 0) FROM edition)
        OR NEW.previous <> COALESCE(
            (SELECT sha256 FROM edition ORDER BY number DESC LIMIT 1), 'the first')
        BEGIN SELECT RAISE(ABORT, 'an edition follows the last one'); END

CREATE TRIGGER book_update BEFORE UPDATE ON book BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER book_delete BEFORE DELETE ON book BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER edition_update BEFORE UPDATE ON edition BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END

CREATE TRIGGER edition_delete BEFORE DELETE ON edition BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed'); END
