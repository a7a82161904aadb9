test_that("a column's type is its class's, never its values'", {
  expect_identical(vapply(list(
    1L, c(1, 2), "1", TRUE, NA, factor("1"), as.Date(NA), Sys.time(), as.POSIXlt(Sys.time()), I("x"),
    as.difftime(1, units = "days"), structure(1, class = "integer64"),
    structure(1, class = c("haven_labelled", "vctrs_vctr", "double"))
  ), column_type, ""), c(
    "integer", "number", "text", "boolean", "boolean", "text", "date", "timestamp", "timestamp",
    "text", "number", "integer", "number"
  ))
  for (odd in list(list(1), 1i, as.raw(1), matrix(1, 1), structure(1, class = "yearmon"), NULL)) {
    expect_identical(column_type(odd), NA_character_)
  }
})

test_that("values are written exactly", {
  numbers <- c(0.1, 1/3, 1e15, 1e300, 5e-324, -0.5, 2^53, 123456789.123456789, NA, NaN, Inf, -Inf, 1)
  text <- column_text(numbers)
  expect_identical(is.na(text), is.na(numbers))
  expect_identical(number_text(0.1, brief = TRUE), "0.1")
  expect_identical(whole_column(c(0.1, NA), "text"), c("0.1", NA))
  expect_identical(text[c(1, 3, 11, 12, 13)], c("0.10000000000000001", "1000000000000000", "inf", "-inf", "1"))
  finite <- is.finite(numbers)
  expect_identical(as.numeric(text[finite]), numbers[finite])
  set.seed(2)
  draws <- rexp(2000) * 10^sample(-30:30, 2000, replace = TRUE)
  expect_identical(sprintf("%.17g", as.numeric(column_text(draws))), sprintf("%.17g", draws))
  expect_identical(column_text(c(TRUE, FALSE, NA)), c("true", "false", NA))
  expect_identical(column_text(c(1L, NA, -.Machine$integer.max)), c("1", NA, "-2147483647"))
  days <- as.Date(c("2024-02-29", NA, "0099-01-02", "2024-01-01", "1969-12-31")) + c(0, 0, 0, 25 * 146097, 0)
  expect_identical(column_text(days), c("2024-02-29", NA, "0099-01-02", "12024-01-01", "1969-12-31"))
  expect_identical(column_text(as.Date(c(0.9, -0.1, Inf), origin = "1970-01-01")),
                   c("1970-01-01", "1969-12-31", NA))
  moments <- structure(c(0, -0.25, 1706697000.123456, 0.9999999, NA), class = c("POSIXct", "POSIXt"),
                       tzone = "Europe/Berlin")
  expect_identical(column_text(moments), c(
    "1970-01-01T00:00:00.000000Z", "1969-12-31T23:59:59.750000Z", "2024-01-31T10:30:00.123456Z",
    "1970-01-01T00:00:01.000000Z", NA
  ))
})

test_that("text is UTF-8 whatever it was, and marks are quoted", {
  latin <- "M\xfcller"
  Encoding(latin) <- "latin1"
  expect_identical(to_utf8(c(latin, "M\u00fcller", NA)), c(bytes("M\u00fcller", "M\u00fcller"), NA))
  broken <- "\xff"
  expect_identical(charToRaw(to_utf8(broken)), as.raw(0xff))
  expect_identical(
    csv_lines(list(double_marks(c("a", "a\"b")), c("a,\nb", ""))), c("\"a\",\"a,\nb\"", "\"a\"\"b\",\"\"")
  )
  levels <- factor(c("b", NA, latin), levels = c(latin, "b"))
  expect_identical(column_text(levels), c("b", NA, bytes("M\u00fcller")))
})

test_that("labelled columns are codes without user-missing values, or labels", {
  x <- structure(
    c(1, 2, 3, 97, 99, NA), labels = c(yes = 1, "n\u00f6" = 2, refused = 99), na_values = 3,
    na_range = c(98, Inf), class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double")
  )
  expect_identical(whole_column(x, "number"), c("1", "2", NA, "97", NA, NA))
  expect_identical(whole_column(x, "labels"), c("yes", bytes("n\u00f6"), NA, "97", NA, NA))
  skip_if_not_installed("haven")
  y <- haven::labelled_spss(c("a", "z", "b"), c(first = "a"), na_values = "z")
  expect_identical(whole_column(y, "labels"), c("first", NA, "b"))
  expect_identical(whole_column(haven::labelled(haven::tagged_na("a"), c(no = haven::tagged_na("a"))), "labels"),
                   NA_character_)
})

test_that("only columns that the plan names are written, in blocks, row by row", {
  path <- tempfile(fileext = ".csv")
  rows <- BLOCK + 3L
  data <- data.frame(x = seq_len(rows), secret = "SECRET", y = rep(c("a\nb", NA, "\""), length.out = rows))
  write_data(data, path, c(x = "integer", y = "text"), "")
  back <- utils::read.csv(path, na.strings = "", colClasses = "character")
  unlink(path)
  expect_identical(as.integer(back$x), data$x)
  expect_identical(back$y, data$y)
  expect_true(all(is.na(back$secret)))
  write_data(data.frame(x = c(NA, 1L))[0, , drop = FALSE], path, c(x = "integer"), "?")
  expect_identical(readLines(path), "\"x\"")
  write_data(data.frame(x = c(NA, 1L)), path, c(x = "integer"), "?")
  expect_identical(readLines(path), c("\"x\"", "\"?\"", "\"1\""))
  unlink(path)
})

test_that("the program reads every column as R has it", {
  skip_without_program()
  moments <- as.POSIXct("2024-01-31 23:30:00", tz = "UTC") + 3600 * 0:5
  latin <- "Z\xfcrich"
  Encoding(latin) <- "latin1"
  data <- data.frame(
    person = c("a", "b", "c", "d", NA, "f"), id = 1:6, days = c(1.5, NA, 2, Inf, 3, 4),
    ward = factor(c("a, \"x\"\nb", latin, "NA", "", NA, "b")),
    on = as.Date("2024-02-28") + 0:5, at = moments, ok = c(TRUE, NA, FALSE, TRUE, TRUE, TRUE)
  )
  data$code <- structure(c(1, 1, 2, 9, 9, 2), labels = c(yes = 1, no = 2, none = 9), na_values = 9,
                         class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"))
  names(data)[3] <- "the \"days\",\nin \u20ac"
  data$lists <- as.list(1:6)
  if (requireNamespace("bit64", quietly = TRUE)) {
    data$big <- bit64::as.integer64("9007199254740993") + 0:5
  } else {
    data$big <- "9007199254740993"
  }
  conditions <- c(
    "[\"ward\", \"==\", \"a, \\\"x\\\"\\nb\"]" = 1, "[\"ward\", \"==\", \"Z\u00fcrich\"]" = 1,
    "[\"ward\", \"==\", \"NA\"]" = 1, "[\"on\", \">=\", 2024-02-29]" = 5,
    "[\"at\", \">=\", 2024-02-01T00:30:00]" = 5, "[\"ok\", \"==\", true]" = 4,
    "[\"id\", \"<=\", 3]" = 3, "[\"the \\\"days\\\",\\nin \\u20ac\", \">=\", 1.5]" = 5,
    "[\"code\", \"==\", \"yes\"]" = 2, "[\"code\", \"!=\", \"yes\"]" = 2
  )
  if (inherits(data$big, "integer64")) conditions["[\"big\", \"==\", 9007199254740993]"] <- 1
  queries <- sprintf(
    "[[query]]\nname = \"%d\"\nstatistic = \"count\"\nwhere = [%s]\n", seq_along(conditions), names(conditions)
  )
  plan <- c("[data]\nadjacency = \"add-remove\"\ntypes = { code = \"labels\" }\n[target]\ngamma = 2", queries)
  answer <- suppressMessages(dn_preview(data, plan)) # advice about disjoint groups
  expect_identical(setNames(as.numeric(answer$removed$unbounded), names(conditions)), conditions)
  expect_nothing_left()
})
