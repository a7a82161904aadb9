# A plan, and what has to change in its text so that the program reads a data frame beside it:
# the source, the types of columns, and names of files that the plan looks up beside itself.

# Texts over several lines come first, then those in one line, remarks, ends of lines, marks, words.
TOKEN <- paste(
  "\"\"\"[^\"\\\\]*+(?:(?:\\\\[\\s\\S]|\"{1,2}(?!\"))[^\"\\\\]*+)*+\"{3,5}",
  "'''(?:(?!''')[\\s\\S])*+'{3,5}",
  "\"(?:\\\\.|[^\"\\\\\\n])*+\"", "'[^'\\n]*+'", "#[^\\n]*+", "\\n", "[\\[\\]{}=,.]",
  "[ \\t\\r]++", "[^\\s\"'#\\[\\]{}=,.]++", "[\\s\\S]",
  sep = "|"
)

# The keys of a TOML text: where each value stands among the tokens, which together are the text.
# It reads what is well formed; the program says what is wrong with the rest.
read_toml <- function(text) {
  tokens <- regmatches(text, gregexpr(TOKEN, text, perl = TRUE, useBytes = TRUE))[[1]]
  Encoding(tokens) <- "bytes"
  is_mark <- grepl("^(\\s+|#.*)$", tokens, useBytes = TRUE)
  entries <- list()
  headers <- list()
  at <- 1L
  skip <- function(lines = FALSE) {
    while (at <= length(tokens) && is_mark[at] && (lines || tokens[at] != "\n")) at <<- at + 1L
  }
  peek <- function() if (at <= length(tokens)) tokens[at] else ""
  read_key <- function() {
    path <- character()
    repeat {
      skip()
      path <- c(path, decode(peek()))
      at <<- at + 1L
      skip()
      if (peek() != ".") return(path)
      at <<- at + 1L
    }
  }
  read_value <- function(path) {
    skip()
    first <- at
    if (peek() %in% c("{", "[")) {
      is_table <- peek() == "{"
      at <<- at + 1L
      repeat {
        skip(lines = TRUE)
        if (peek() %in% c("}", "]", "")) break
        if (peek() == ",") at <<- at + 1L
        else if (is_table) read_pair(path)
        else read_value(NULL)
      }
      at <<- at + 1L
    } else {
      # A number or a date may be several tokens: 2.0, 2024-01-01 10:00
      while (!is_mark[min(at, length(tokens))] && !peek() %in% c(",", "}", "]", "")) at <<- at + 1L
      if (at == first) at <<- at + 1L
    }
    if (!is.null(path)) {
      entries[[length(entries) + 1L]] <<- list(path = path, first = first, last = at - 1L)
    }
  }
  read_pair <- function(table) {
    path <- c(table, read_key())
    if (peek() == "=") at <<- at + 1L
    read_value(path)
  }
  table <- character()
  repeat {
    skip(lines = TRUE)
    if (at > length(tokens)) break
    if (tokens[at] == "[") {
      while (peek() == "[") at <- at + 1L
      first <- at
      table <- read_key()
      while (peek() == "]") at <- at + 1L
      headers[[length(headers) + 1L]] <- list(path = table, first = first, last = at - 1L)
    } else {
      read_pair(table)
    }
  }
  list(tokens = tokens, entries = entries, headers = headers)
}

ESCAPES <- c(b = "\b", t = "\t", n = "\n", f = "\f", r = "\r", e = "\033", `"` = "\"", `\\` = "\\")

# The text that a token stands for: a word, or a text in any quotation marks.
decode <- function(token) {
  if (!grepl("^[\"']", token, useBytes = TRUE)) return(token)
  width <- if (grepl("^(\"\"\"|''')", token, useBytes = TRUE)) 3L else 1L
  size <- length(charToRaw(token))
  inner <- rawToChar(charToRaw(token)[seq_len(size) > width & seq_len(size) <= size - width])
  if (startsWith(token, "\"")) {
    found <- gregexpr("\\\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", inner, useBytes = TRUE)
    regmatches(inner, found) <- lapply(regmatches(inner, found), function(escapes) {
      vapply(escapes, function(each) {
        letter <- substr(each, 2, 2)
        if (letter %in% c("u", "U")) return(intToUtf8(strtoi(substring(each, 3), 16L)))
        if (letter %in% names(ESCAPES)) ESCAPES[[letter]] else each
      }, "", USE.NAMES = FALSE)
    })
  }
  to_utf8(inner)
}

encode <- function(text) {
  text <- gsub("([\"\\\\])", "\\\\\\1", text, useBytes = TRUE)
  for (code in c(1:31, 127)) {
    mark <- rawToChar(as.raw(code))
    text <- gsub(mark, sprintf("\\u%04X", code), text, fixed = TRUE, useBytes = TRUE)
  }
  to_utf8(paste0("\"", text, "\""))
}

# A plan or rules, from a path or from the text itself: the text, and the folder that it stands in.
read_text <- function(given, what) {
  if (!is.character(given) || anyNA(given) || length(given) == 0) {
    wrong("Expected ", what, " as a path or as TOML text.")
  }
  if (length(given) > 1 || grepl("[\n=]", given)) {
    text <- paste(to_utf8(given), collapse = "\n")
    return(list(text = text, folder = getwd(), name = paste0(what, ".toml"), path = NULL))
  }
  path <- path.expand(given)
  if (!file.exists(path) || dir.exists(path)) wrong(path, " does not exist.")
  path <- normalizePath(path)
  text <- rawToChar(readBin(path, "raw", file.size(path)))
  list(text = to_utf8(text), folder = dirname(path), name = basename(path), path = path)
}

# Entries of a plan that name a file, which it looks up beside itself.
names_file <- function(path) {
  depth <- length(path)
  identical(path, c("ledger", "file")) || identical(path, c("adversary", "population")) ||
    (path[depth] == "file" && depth > 2 && path[depth - 2] == "keys")
}

# Write the data frame and the plan that reads it into a folder; return the plan's path.
hand_over <- function(data, plan, folder) {
  if (!is.data.frame(data)) data <- as.data.frame(data)
  toml <- read_toml(sub("^\xef\xbb\xbf", "", plan$text, useBytes = TRUE))
  refuse_source(toml)
  missing <- missing_text(toml)
  types <- column_types(data, toml)
  write_data(data, file.path(folder, "data.csv"), types$written, missing)
  path <- file.path(folder, plan$name)
  output <- file(path, "wb")
  on.exit(close(output))
  writeLines(plan_text(toml, types, plan$folder), output, sep = "", useBytes = TRUE)
  path
}

value_at <- function(toml, ...) {
  path <- c(...)
  found <- Filter(function(each) identical(each$path, path), toml$entries)
  if (length(found) == 0) return(NULL)
  paste(toml$tokens[found[[1]]$first:found[[1]]$last], collapse = "")
}

texts_at <- function(toml, ...) {
  path <- c(...)
  found <- Filter(function(each) identical(each$path, path), toml$entries)
  tokens <- unlist(lapply(found, function(each) toml$tokens[each$first:each$last]))
  vapply(tokens[grepl("^[\"']", tokens, useBytes = TRUE)], decode, "", USE.NAMES = FALSE)
}

refuse_source <- function(toml) {
  source <- texts_at(toml, "data", "source")
  if (length(source) > 0 && !identical(source, "memory")) {
    wrong("The plan names a source of its own. Remove it, or leave out `data`.")
  }
  is_csv <- vapply(toml$entries, function(each) identical(each$path[1:2], c("data", "csv")), NA)
  if (any(is_csv)) {
    wrong("The plan has [data.csv], which says how a file is written. ",
          "Remove it: a data frame is no file.")
  }
  if (!is.null(value_at(toml, "data"))) wrong("Write [data] as a table with a heading of its own.")
}

missing_text <- function(toml) {
  if (is.null(value_at(toml, "data", "nulls"))) return("")
  nulls <- texts_at(toml, "data", "nulls")
  if (length(nulls) == 0) {
    wrong("`nulls` of the plan is empty, so NA cannot be written. Add a text that no value has.")
  }
  if ("" %in% nulls) "" else nulls[1]
}

# Types of the columns that the plan names: `written` as the plan declares them or as R has them,
# and `added`, those that the plan does not declare.
column_types <- function(data, toml) {
  spoken <- grepl("^[\"']|^[A-Za-z0-9_-]+$", toml$tokens, useBytes = TRUE)
  mentioned <- vapply(unique(toml$tokens[spoken]), decode, "", USE.NAMES = FALSE)
  names <- to_utf8(names(data))
  used <- which(names %in% mentioned & nzchar(names))
  given <- vapply(used, function(i) column_type(.subset2(data, i)), "")
  if (anyNA(given)) {
    column <- used[is.na(given)][1]
    wrong("The column ", printable(names[column]), " has the class ",
          class(.subset2(data, column))[1], ", which cannot be written. ",
          "Convert it to numbers, text, dates or logical values.")
  }
  is_wide <- vapply(used, function(i) inherits(.subset2(data, i), "integer64"), NA)
  if (any(is_wide) && !requireNamespace("bit64", quietly = TRUE)) {
    wrong("The column ", printable(names[used[is_wide]][1]), " has the class integer64. ",
          "Install the package bit64, or convert it to text.")
  }
  names(given) <- names[used]
  given <- given[!duplicated(names(given))]
  declared <- vapply(names(given), function(name) {
    said <- texts_at(toml, "data", "types", name)
    if (length(said) == 0) NA_character_ else said[1]
  }, "")
  list(written = ifelse(is.na(declared), given, declared), added = given[is.na(declared)])
}

printable <- function(name) {
  Encoding(name) <- "UTF-8"
  paste0("\"", iconv(gsub("[[:cntrl:]]", "\ufffd", name), "UTF-8", "UTF-8", sub = "byte"), "\"")
}

plan_text <- function(toml, types, folder) {
  tokens <- toml$tokens
  for (each in toml$entries) {
    here <- each$first:each$last
    is_labels <- identical(each$path[1:2], c("data", "types")) && length(each$path) == 3 &&
      identical(decode(tokens[each$first]), "labels")
    if (is_labels) tokens[each$first] <- "\"text\""
    is_text <- length(here) == 1 && grepl("^[\"']", tokens[here[1]], useBytes = TRUE)
    if (is_text && names_file(each$path)) {
      file <- decode(tokens[here])
      if (!grepl("^(/|[A-Za-z]:[/\\\\])", file, useBytes = TRUE)) {
        tokens[here] <- encode(paste0(to_utf8(folder), "/", file))
      }
    }
    if (identical(each$path, c("data", "source"))) tokens[here] <- "\"data.csv\""
  }
  add_to_data(tokens, toml, types$added)
}

# Lines that TOML takes beside what [data] has: its types may be a table in braces, a table of
# their own, keys with a point, or not there.
add_to_data <- function(tokens, toml, added) {
  pairs <- paste(vapply(names(added), encode, ""), "=", vapply(added, encode, ""))[seq_along(added)]
  at <- function(path) Filter(function(each) identical(each$path, path), toml$headers)
  insert <- function(place, text) tokens[place] <<- paste0(tokens[place], text)
  lines <- if (is.null(value_at(toml, "data", "source"))) "source = \"data.csv\""
  braces <- Filter(function(each) identical(each$path, c("data", "types")), toml$entries)
  own <- at(c("data", "types"))
  dotted <- Filter(function(each) identical(each$path[1:2], c("data", "types")), toml$entries)
  if (length(pairs) > 0) {
    if (length(braces) > 0) {
      more <- if (length(dotted) > 1) ","
      insert(braces[[1]]$first, paste0(" ", paste0(pairs, collapse = ", "), more))
    } else if (length(own) > 0) {
      insert(own[[1]]$last, paste0("\n", pairs, collapse = ""))
    } else if (length(dotted) > 0) {
      lines <- c(lines, paste0("types.", pairs))
    } else {
      lines <- c(lines, paste0("types = { ", paste0(pairs, collapse = ", "), " }"))
    }
  }
  text <- paste0("\n", lines, collapse = "")
  if (length(lines) == 0) return(tokens)
  if (length(at("data")) > 0) {
    insert(at("data")[[1]]$last, text)
    return(tokens)
  }
  # Keys before the first heading are the plan's own, such as data.entity.
  is_root <- any(vapply(toml$entries, function(each) each$path[1] == "data", NA))
  if (is_root && length(own) == 0) return(c(paste0("data.", lines, "\n"), tokens))
  c(tokens, "\n[data]", text, "\n")
}
