# How a data frame becomes a CSV file that the program reads as R has it.

# The type of a column follows from its class, never from its values: a guess from values would
# let one person's value decide how everybody's are read.
column_type <- function(x) {
  kind <- class(x)
  if (inherits(x, "factor")) return("text")
  if (inherits(x, "Date")) return("date")
  if (inherits(x, "POSIXt")) return("timestamp")
  if (inherits(x, "integer64")) return("integer")
  plain <- c(
    "AsIs", "difftime", "hms", "labelled", "haven_labelled", "haven_labelled_spss", "vctrs_vctr",
    "integer", "double", "numeric", "character", "logical", "pillar_num"
  )
  is_plain <- !is.object(x) || all(kind %in% plain)
  if (!is.null(dim(x))) return(NA_character_)
  switch(
    typeof(x),
    character = "text",
    logical = if (is_plain) "boolean" else NA_character_,
    integer = if (is_plain) "integer" else NA_character_,
    double = if (is_plain) "number" else NA_character_,
    NA_character_
  )
}

# A column as text, NA where there is no value.
column_text <- function(x) {
  if (inherits(x, "factor")) return(to_utf8(levels(x))[as.integer(x)])
  if (inherits(x, "Date")) return(date_text(x))
  if (inherits(x, "POSIXt")) return(timestamp_text(x))
  if (inherits(x, "integer64")) {
    return(ifelse(bit64::is.na.integer64(x), NA_character_, bit64::as.character.integer64(x)))
  }
  switch(
    typeof(x),
    character = to_utf8(as.vector(unclass(x))),
    logical = c("false", "true")[as.vector(unclass(x)) + 1L],
    number_text(as.vector(unclass(x)))
  )
}

number_text <- function(x, brief = FALSE) {
  text <- format_numbers(x, brief)
  text[is.na(x)] <- NA
  text
}

# SPSS's user-missing values are no values; labels replace codes only where the plan asks for it.
labelled_text <- function(x, declared) {
  labels <- attr(x, "labels", exact = TRUE)
  codes <- as.vector(unclass(x))
  range <- attr(x, "na_range", exact = TRUE)
  is_missing <- codes %in% attr(x, "na_values", exact = TRUE)
  if (!is.null(range)) {
    is_missing <- is_missing | (!is.na(codes) & codes >= range[1] & codes <= range[2])
  }
  codes[is_missing] <- NA
  text <- column_text(codes)
  if (!identical(declared, "labels")) return(text)
  named <- match(codes, as.vector(unclass(labels)))
  ifelse(is.na(named) | is.na(codes), text, to_utf8(names(labels))[named])
}

date_text <- function(x) {
  all_days <- floor(as.vector(unclass(x)))
  days <- unique(all_days) # of which there are few
  days[!is.finite(days)] <- NA
  part <- as.POSIXlt(structure(days, class = "Date"))
  text <- sprintf("%04d-%02d-%02d", as.integer(part$year + 1900), part$mon + 1L, part$mday)
  text[is.na(days)] <- NA
  text[match(all_days, unique(all_days))]
}

# Moments are written in UTC to the microsecond, as the program reads them.
timestamp_text <- function(x) {
  seconds <- as.vector(unclass(as.POSIXct(x)))
  seconds[!is.finite(seconds)] <- NA
  micros <- round((seconds - floor(seconds)) * 1e6)
  whole <- floor(seconds) + (micros == 1e6)
  part <- as.POSIXlt(structure(whole, class = c("POSIXct", "POSIXt"), tzone = "UTC"))
  text <- sprintf(
    "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", as.integer(part$year + 1900), part$mon + 1L, part$mday,
    part$hour, part$min, as.integer(part$sec), as.integer(micros %% 1e6)
  )
  text[is.na(seconds)] <- NA
  text
}

# 17 digits give each double back; `brief` looks for fewer, which takes four times as long. Whole
# numbers are written out, so that 1e15 as text is one, too.
format_numbers <- function(x, brief = FALSE) {
  if (is.integer(x)) return(sprintf("%d", x))
  text <- sprintf("%.17g", x)
  whole <- is.finite(x) & x == trunc(x) & abs(x) < 2^53
  text[whole] <- sprintf("%.0f", x[whole])
  if (brief) {
    short <- !whole & is.finite(x)
    less <- sprintf("%.15g", x[short])
    text[short] <- ifelse(sprintf("%.17g", as.numeric(less)) == text[short], less, text[short])
  }
  text[is.infinite(x)] <- ifelse(x[is.infinite(x)] > 0, "inf", "-inf")
  text
}

# Bytes of UTF-8, marked "bytes" so that R never translates them again. What no encoding explains
# stays as it is, and is no value to the program.
to_utf8 <- function(x) {
  x <- as.character(x)
  marked <- Encoding(x)
  local <- l10n_info()
  is_ours <- !local[["UTF-8"]] && local[["Latin-1"]] # unmarked text is in another encoding
  change <- !is.na(x) & (marked %in% c("latin1", "UTF-8") | (is_ours & marked == "unknown"))
  x[change] <- enc2utf8(x[change])
  Encoding(x) <- "bytes"
  x
}

# Lines of a CSV file, every cell in quotation marks.
csv_lines <- function(columns) {
  paste0("\"", do.call(paste, c(unname(columns), sep = "\",\"")), "\"")
}

double_marks <- function(x) {
  has <- grep("\"", x, fixed = TRUE, useBytes = TRUE)
  x[has] <- gsub("\"", "\"\"", x[has], fixed = TRUE, useBytes = TRUE)
  x
}

# What loses its meaning when it is cut into blocks is turned into text as a whole.
whole_column <- function(x, declared) {
  if (inherits(x, "haven_labelled")) return(labelled_text(x, declared))
  if (inherits(x, "POSIXlt")) return(as.POSIXct(x))
  if (is.double(x) && !is.object(x) && declared == "text") return(number_text(x, brief = TRUE))
  x
}

BLOCK <- 50000L # rows that are turned into text at a time, about 5 MB a column

# `types` is named by the columns to write, in their declared types; others stay empty. A missing
# value is written as `missing`, in quotes, as a line without any mark would be no row.
write_data <- function(data, path, types, missing) {
  names <- to_utf8(names(data))
  rows <- .row_names_info(data, 2L)
  types <- types[match(names, names(types))]
  columns <- lapply(seq_along(names), function(i) {
    if (!is.na(types[i])) whole_column(.subset2(data, i), types[[i]])
  })
  output <- file(path, "wb")
  on.exit(close(output))
  write_rows <- function(cells) {
    writeLines(csv_lines(cells), output, sep = "\n", useBytes = TRUE)
  }
  write_rows(as.list(double_marks(names)))
  for (first in seq(1, length.out = ceiling(rows / BLOCK), by = BLOCK)) {
    here <- seq(first, min(first + BLOCK - 1, rows))
    write_rows(lapply(seq_along(columns), function(i) {
      if (is.null(columns[[i]])) return(rep("", length(here)))
      x <- columns[[i]][here]
      text <- column_text(x)
      text[is.na(text)] <- missing
      if (is.character(x) || is.factor(x)) double_marks(text) else text
    }))
  }
}
