#' Judge tables without noise
#'
#' Says what anybody can infer from published tables of counts, all of them together.
#'
#' @param table A `table`, `xtabs` or [ftable()] object, a matrix, a data frame or the path of a CSV
#'   file, as it is published. A list of several is judged together; its names are the tables'.
#' @param rules The path of a file of rules, or its TOML text: who is listed, what was done to the
#'   counts, and what the attacker may believe.
#' @param ... Further options: `threshold`, and `page = "page.html"` for a page that [dn_report()]
#'   shows.
#'
#' @section How tables are read:
#' The cells of a table stand for the lists of its `[[table]]`, row by row as printed; of a table of
#' more than two dimensions as `ftable(table)` prints it. The margins of [addmargins()] are
#' read as totals. `NA`, or `"*"` in a table of text, is a hidden count. A data frame is taken as it
#' is: names of lists and counts, or names of rows and a column for each group.
#'
#' @return A list of the program's JSON keys, printed with the verdict first. `as.data.frame()`
#'   gives what each published count stands for.
#' @export
#' @examplesIf nzchar(Sys.getenv("DENIABLE", Sys.which("deniable")))
#' counts <- as.table(matrix(c(15, 10, 10, 20), 2, dimnames = list(
#'   ward = c("north", "south"), sick = c("yes", "no")
#' )))
#' rules <- '
#' list = [
#'   { name = "north, sick", size = 40 }, { name = "north, well", size = 30 },
#'   { name = "south, sick", size = 20 }, { name = "south, well", size = 25 },
#' ]
#' table = [{ lists = ["north, sick", "north, well", "south, sick", "south, well"] }]
#' rule = { preset = "opensafely" }
#' adversary = { prior = [0.3, 0.7] }
#' target = { max_posterior = 0.95 }
#' '
#' dn_judge(counts, rules)
dn_judge <- function(table, rules, ...) {
  rules <- read_text(rules, "rules")
  options <- list(...)
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE, force = TRUE))
  path <- rules$path
  if (is.null(path)) {
    path <- file.path(folder, rules$name)
    writeLines(rules$text, path, sep = "", useBytes = TRUE)
  }
  is_several <- is.list(table) && !is.data.frame(table)
  tables <- if (is_several) table else list(table)
  names <- if (is.null(names(tables))) rep("", length(tables)) else names(tables)
  names[names == ""] <- if (length(tables) == 1) "table" else paste0("table", which(names == ""))
  files <- vapply(seq_along(tables), function(i) write_table(tables[[i]], names[i], folder), "")
  words <- c("rules", "judge", path, files, as_words(options))
  answer <- run(words, hidden = folder, class = "deniable_judgement")
  if (!is.null(options$page)) answer$page <- normalizePath(options$page)
  answer
}

write_table <- function(table, name, folder) {
  if (is.character(table) && is.null(dim(table))) {
    if (length(table) != 1 || !file.exists(table)) wrong("Expected a table, or the path of one.")
    return(normalizePath(table))
  }
  if (grepl("[/\\\\]|^[.]", name)) wrong("Expected names of tables without / and \\.")
  path <- file.path(folder, paste0(name, ".csv"))
  cells <- if (is.data.frame(table)) frame_cells(table) else grid_cells(table)
  lines <- csv_lines(apply(cells, 2, double_marks, simplify = FALSE))
  output <- file(path, "wb")
  on.exit(close(output))
  writeLines(lines, output, sep = "\n", useBytes = TRUE)
  path
}

# A matrix of text, its header in the first row.
frame_cells <- function(frame) {
  columns <- lapply(frame, function(column) {
    # What is no name of a row is a count.
    text <- if (is.numeric(column)) count_text(column) else to_utf8(column)
    ifelse(is.na(text), "*", text)
  })
  rbind(to_utf8(names(frame)), do.call(cbind, unname(columns)))
}

# All dimensions but the last name rows, in the order in which ftable() prints them.
grid_cells <- function(table) {
  if (inherits(table, "ftable")) table <- as.table(table)
  if (is.null(dim(table)) || !(is.numeric(table) || is.character(table))) {
    wrong("Expected a table of counts: of table(), xtabs() or ftable(), a matrix or a data frame.")
  }
  size <- dim(table)
  labels <- dimnames(table)
  if (is.null(labels) || any(vapply(labels, is.null, NA))) {
    wrong("Expected a table with names of rows and columns. Set dimnames().")
  }
  text <- if (is.numeric(table)) count_text(as.vector(table)) else to_utf8(as.vector(table))
  text[is.na(text)] <- "*"
  titles <- names(labels)
  if (is.null(titles)) titles <- rep("", length(size))
  titles[titles == ""] <- "rows" # a column without a name could be taken for row numbers
  titles <- to_utf8(titles)
  labels <- lapply(labels, function(each) ifelse(is.na(each), "NA", to_utf8(each)))
  last <- length(size)
  if (last == 1) return(unname(rbind(c(titles, "count"), cbind(labels[[1]], text))))
  # as.vector() runs through the first dimension fastest; rows are wanted with the last of the
  # others running fastest.
  order <- aperm(array(seq_along(text), size), c(last, rev(seq_len(last - 1))))
  body <- matrix(text[order], ncol = size[last], byrow = TRUE)
  rows <- rev(expand.grid(rev(labels[-last]), stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE))
  header <- c(titles[-last], labels[[last]])
  rbind(header, cbind(as.matrix(unname(rows)), body), deparse.level = 0)
}

count_text <- function(x) number_text(x, brief = TRUE)
