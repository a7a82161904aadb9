-- What functions of ours are in DuckDB's language, with their arguments; canonical.py makes them.
-- {LOCAL} and {ZONED} are patterns that stand there.

-- NULL is one byte, a number another one and its bits, a text its length and bytes. Floats that
-- are whole are spelled as the integers that they equal; all of them are canonical, never NaN.
number_field(x) AS coalesce('\x01'::BLOB || x::BIGINT::BIT::BLOB, '\x00'::BLOB);
real_field(x) AS CASE WHEN TRY_CAST(x AS BIGINT)::DOUBLE = x THEN number_field(x) ELSE
    coalesce('\x02'::BLOB || x::BIT::BLOB, '\x00'::BLOB) END;
real_hash(x) AS CASE WHEN TRY_CAST(x AS BIGINT)::DOUBLE = x THEN hash(TRY_CAST(x AS BIGINT))
    ELSE hash(x) END;
digest_text(x) AS lower(lpad(hex(x), 32, '0'));
text_field(x) AS coalesce('\x01'::BLOB || strlen(x)::BIT::BLOB || encode(x), '\x00'::BLOB);
-- Compared by bytes, whatever the collation; NULL where the bytes are no UTF-8.
valid_text(x) AS TRY(decode(encode(x)));
joined(one, other) AS one || other;
day_number(x) AS x - DATE '1970-01-01';
-- The first and the last of 64 bits stand for what is infinite.
moment_number(x) AS CASE WHEN isfinite(x) THEN epoch_us(x) WHEN x > TIMESTAMP '1970-01-01' THEN
    9223372036854775807 WHEN x < TIMESTAMP '1970-01-01' THEN -9223372036854775807 END;
toward_zero(x) AS trunc(x);
is_whole_type(x) AS typeof(x) = 'HUGEINT';
exact_sum(x) AS sum(x);
-- A cast goes by milliseconds in float64: far from 1970 two moments meet, and the last fail.
in_utc(x) AS CASE WHEN isfinite(x) THEN make_timestamp(epoch_us(x)) ELSE CAST(x AS TIMESTAMP)
    END;
-- As a text's further digits are dropped; a cast drops them toward 1970.
whole_microseconds(x) AS CASE WHEN isfinite(x) THEN make_timestamp((epoch_ns(x) - (epoch_ns(x) %
    1000 + 1000) % 1000) // 1000) ELSE CAST(x AS TIMESTAMP) END;
-- In UTC, whether or not the format has a time zone. A year of two digits is none before 1000.
moment(x, written) AS of_written_year(x, in_utc(TRY(try_strptime(x, written))));
of_written_year(x, y) AS CASE WHEN year(y) >= 1000 OR contains(x, year_text(y)) THEN y END;
-- By its offset or zone, or in UTC. A text without either, read as one with a zone, would be in
-- that of the one before it; and one next to the last moment ends a cast without TRY.
-- What ends in Z is not local. Of a year of four places the moment is finite, so that the cast
-- is written once: of a zone's name it takes longest, and within a CASE it is not shared.
zoned(x) AS TRY(TRY_CAST(x AS TIMESTAMPTZ));
moment_of(x) AS CASE WHEN NOT suffix(x, 'Z') AND regexp_matches(x, '{LOCAL}') THEN TRY_CAST(x AS
    TIMESTAMP) WHEN NOT regexp_matches(x, '{ZONED}') THEN NULL WHEN x LIKE '____-__-__%' THEN
    make_timestamp(epoch_us(zoned(x))) ELSE in_utc(zoned(x)) END;
-- Of days and moments in the years 1 to 9999; a week is that of ISO 8601.
year_text(x) AS lpad(year(x)::VARCHAR, 4, '0');
quarter_text(x) AS year_text(x) || '-Q' || quarter(x)::VARCHAR;
month_text(x) AS year_text(x) || '-' || lpad(month(x)::VARCHAR, 2, '0');
week_text(x) AS lpad(isoyear(x)::VARCHAR, 4, '0') || '-W' || lpad(week(x)::VARCHAR, 2, '0');
weekday_text(x) AS isodow(x)::VARCHAR;
hour_text(x) AS lpad(hour(x)::VARCHAR, 2, '0');
complete_days(x) AS x // 86400000000;
-- In 128 bits, which hold any result of two numbers of 64.
sum_or_null(x, y) AS TRY_CAST(x::HUGEINT + y::HUGEINT AS BIGINT);
difference_or_null(x, y) AS TRY_CAST(x::HUGEINT - y::HUGEINT AS BIGINT);
product_or_null(x, y) AS TRY_CAST(x::HUGEINT * y::HUGEINT AS BIGINT);
