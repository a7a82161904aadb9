#' Publish a data frame with noise that keeps a limit on beliefs
#'
#' `dn_plan()` computes noise, half-widths and beliefs without looking at values. `dn_preview()`
#' shows the owner what limits remove; **do not publish it**. `dn_release()` publishes: it draws
#' fresh noise every time and spends the budget again.
#'
#' @param data A data frame, or anything that [as.data.frame()] makes one of. `NULL` if the plan
#'   names a source of its own.
#' @param plan The path of a plan, or its TOML text. Its `[data]` needs no `source`. Relative paths
#'   in it are looked up beside the plan, or in the working directory if it is text.
#' @param out A new or empty folder for results, certificate, plan and report.
#' @param ... Further options of the command, such as `memory_limit = "4GB"`; see [dn_run()].
#'
#' @section How columns are read:
#' The class of a column decides, not its values: integer and integer64 are integers, doubles are
#' numbers, logical values are truth values, dates are dates, and moments are timestamps in UTC.
#' Text and factors are text; a factor is its labels. `types` in the plan overrides this. `NA` and
#' `NaN` are no value, and so is every empty text unless the plan says `nulls`.
#'
#' A labelled column of haven is its codes, without SPSS's user-missing values. For its labels write
#' `types = { sex = "labels" }`. Row names are no column. Columns that the plan does not name
#' are not written; one that it names and that holds lists or the like is an error.
#'
#' @return A list of the program's JSON keys, printed with the verdict first. [as.data.frame()] of a
#'   release gives the published numbers, of a plan or preview the queries. [dn_report()] shows the
#'   page of a release.
#'
#' `dn_release()` also sets `folder`, the absolute path of `out`.
#' @export
#' @examplesIf nzchar(Sys.getenv("DENIABLE", Sys.which("deniable")))
#' plan <- '
#' [target]
#' max_posterior = 0.5
#' [adversary]
#' prior = [0, 0.1]
#' [[query]]
#' name = "women by education"
#' statistic = "count"
#' group_by = ["education"]
#' keys = { education = ["0-5yrs", "6-11yrs", "12+ yrs"] }
#' '
#' dn_plan(infert, plan)
#' published <- dn_release(infert, plan, out = tempfile("published"))
#' published
#' as.data.frame(published)
dn_release <- function(data, plan, out, ...) {
  if (!is.character(out) || length(out) != 1 || is.na(out)) wrong("Expected `out` to be a folder.")
  answer <- run_plan("release", data, plan, "deniable_release", c(list(out = out), list(...)))
  answer$folder <- normalizePath(out)
  answer
}

#' @rdname dn_release
#' @export
dn_plan <- function(data, plan, ...) run_plan("plan", data, plan, "deniable_plan", list(...))

#' @rdname dn_release
#' @export
dn_preview <- function(data, plan, ...) {
  run_plan("preview", data, plan, "deniable_preview", list(...))
}

run_plan <- function(command, data, plan, class, options) {
  plan <- read_text(plan, "plan")
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE, force = TRUE))
  path <- if (!is.null(data)) {
    hand_over(data, plan, folder)
  } else if (is.null(plan$path)) {
    wrong("A plan that names its own source must be a file. Write it to one.")
  } else {
    plan$path
  }
  run(c(command, path, as_words(options)), hidden = folder, class = class)
}

#' Show the report of a release, or the page of a verdict
#'
#' @param x A release, the path of its folder, or a verdict of [dn_judge()] that was given `page`.
#' @param view Whether to open the page in a browser.
#'
#' @return The path of the HTML file, of class `deniable_report`. In a knitr document the page is
#'   shown in a frame.
#' @export
#' @examples
#' \dontrun{
#' dn_report("published")
#' }
dn_report <- function(x, view = interactive()) {
  path <- if (inherits(x, "deniable_release")) {
    file.path(x$folder, "report.html")
  } else if (inherits(x, "deniable_judgement")) {
    if (is.null(x$page)) wrong("This verdict has no page. Call dn_judge(..., page = \"p.html\").")
    x$page
  } else if (is.character(x) && length(x) == 1) {
    if (dir.exists(x)) file.path(x, "report.html") else x
  } else {
    wrong("Expected a release, its folder, or a verdict with a page.")
  }
  if (!file.exists(path)) wrong(path, " does not exist.")
  path <- structure(normalizePath(path), class = "deniable_report")
  if (!view) return(path)
  utils::browseURL(paste0("file://", utils::URLencode(unclass(path))))
  invisible(path)
}

#' @export
print.deniable_report <- function(x, ...) {
  cat("Report:", unclass(x), "\n")
  invisible(x)
}

#' @exportS3Method knitr::knit_print
knit_print.deniable_report <- function(x, ...) {
  if (!knitr::is_html_output()) return(knitr::asis_output(paste0("Report: `", unclass(x), "`\n")))
  page <- paste(read_lines(unclass(x)), collapse = "\n")
  page <- gsub("\"", "&quot;", gsub("&", "&amp;", page, fixed = TRUE), fixed = TRUE)
  knitr::asis_output(paste0(
    "<iframe title=\"Report\" sandbox=\"\" style=\"width: 100%; height: 40em; border: 1px solid\" ",
    "srcdoc=\"", page, "\"></iframe>\n"
  ))
}

# Columns of results that hold numbers wherever they hold anything.
NUMBERS <- c(
  "value", "half_width_95", "bin_low", "bin_high", "rank", "rows_per_entity", "max_contribution",
  "bound_low", "bound_high", "measured", "whole_number", "population_low", "population_high",
  "approximate_low", "approximate_high", "band_low", "band_high"
)

# A text that a spreadsheet would compute stands behind an apostrophe in results.csv. So it does if
# its first sign becomes such a one in Unicode's compatible form, as full-width signs do.
GUARDED <- paste0(
  "^'('*)(?!-\\z)[=+@\t\r\n\\-\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b",
  "\uff0b\uff0d\uff1d\uff20]"
)

read_results <- function(folder) {
  path <- file.path(folder, "results.csv")
  if (!file.exists(path)) wrong("There is no results.csv in ", folder, ".")
  results <- utils::read.csv(
    path, colClasses = "character", check.names = FALSE, na.strings = character(),
    fileEncoding = "", encoding = "UTF-8", quote = "\"", comment.char = "", fill = FALSE
  )
  results[] <- lapply(names(results), function(name) {
    text <- results[[name]]
    text[!nzchar(text)] <- NA
    if (name %in% NUMBERS) return(utils::type.convert(text, as.is = TRUE))
    is_guarded <- !is.na(text) & grepl(GUARDED, text, perl = TRUE)
    text[is_guarded] <- substring(text[is_guarded], 2)
    text
  })
  results
}

#' @export
as.data.frame.deniable_release <- function(x, ...) read_results(x$folder)

#' @export
as.data.frame.deniable_plan <- function(x, ...) {
  keep <- c("name", "statistic", "mechanism", "scale", "epsilon", "rho", "cells")
  queries <- x$queries[intersect(keep, names(x$queries))]
  # The largest half-width of each query, and which of its numbers has it: that of a mean follows
  # from the number of rows, so that only the count beside it has one.
  widest <- lapply(x$queries$published_errors, function(errors) {
    widths <- errors[["half_width_95"]]
    at <- which.max(if (is.null(widths)) numeric() else widths)
    if (length(at) == 0) list(NA_real_, NA_character_) else list(widths[at], errors$of[at])
  })
  queries$half_width_95 <- vapply(widest, `[[`, 0, 1)
  queries$half_width_of <- vapply(widest, `[[`, "", 2)
  queries
}

#' @export
as.data.frame.deniable_preview <- as.data.frame.deniable_plan
