#' Check a release and its certificate without the data
#'
#' @param folder The folder of a release, or a certificate.
#' @param ... Further options, such as `signed_by = "keys.pub"`; see [dn_run()].
#'
#' @return A list of the program's JSON keys. `holds` is `TRUE` or `FALSE`: a certificate that does
#'   not hold is an answer, not an error. `as.data.frame()` gives the single checks.
#' @export
#' @examples
#' \dontrun{
#' dn_check("published")
#' }
dn_check <- function(folder, ...) {
  if (inherits(folder, "deniable_release")) folder <- folder$folder
  run(c("check", as_words(list(folder, ...))), class = "deniable_check")
}

#' Say what an attacker can conclude under a budget
#'
#' @param spec A guarantee such as `"zcdp:0.1"` or `"pure-dp:1@add-remove"`. Leave it out with
#'   `epsilon` or `half_width`.
#' @param ... Options of the command: `epsilon`, `delta`, `prior = c(0.05, 0.5)`, `half_width`, …;
#'   see [dn_run()].
#' @param x An answer of `dn_explain()`.
#' @param kind `"icons"` draws what an attacker believes before and after as 100 circles each,
#'   `"curve"` the range of beliefs after for every belief before.
#' @param prior The belief before, for icons.
#'
#' @return A list of the program's JSON keys. `as.data.frame()` gives the range of each belief,
#'   `plot()` draws it and returns its sentence invisibly, as a text alternative. With `household`,
#'   all of these are about one of the people who come together.
#' @export
#' @examplesIf nzchar(Sys.getenv("DENIABLE", Sys.which("deniable")))
#' belief <- dn_explain(epsilon = 1, prior = c(0.05, 0.5))
#' belief
#' as.data.frame(belief)
#' plot(belief, prior = 0.05)
#' plot(belief, kind = "curve")
dn_explain <- function(spec = NULL, ...) {
  run(c("explain", as_words(list(spec, ...))), class = "deniable_explanation")
}

#' Keep a budget over all releases about the same people
#'
#' @param ledger The ledger's file, or `postgresql://USER@HOST/DATABASE`.
#' @param action `"show"` what is left, `"cost"` of a plan, begin a `"new"` dataset, `"check"`,
#'   `"export"` all entries, or `"void"` a charge (its id as a further argument, and `because`).
#' @param ... Options of the command, such as `dataset = "visits"`; see [dn_run()].
#' @param plan,data For `"cost"`: a plan, and the data frame that it is about, or `NULL`.
#'
#' @return A list of the program's JSON keys. `as.data.frame()` gives what an attacker can conclude
#'   after everything that the budget pays for; of `"export"` the entries.
#' @export
#' @examplesIf nzchar(Sys.getenv("DENIABLE", Sys.which("deniable")))
#' book <- tempfile("hospital", fileext = ".ledger")
#' dn_ledger(book, "new", dataset = "stays", max_posterior = 0.5, prior = c(0, 0.1))
#' unlink(book)
dn_ledger <- function(ledger, action = c("show", "cost", "new", "check", "export", "void"), ...,
                      plan = NULL, data = NULL) {
  action <- match.arg(action)
  words <- c("ledger", action, as_words(list(ledger)))
  if (action != "cost") return(run(c(words, as_words(list(...))), class = "deniable_ledger"))
  if (is.null(plan)) wrong("Expected `plan`, whose cost is asked for.")
  run_plan(words, data, plan, "deniable_ledger", list(...))
}

#' @export
as.data.frame.deniable_check <- function(x, ...) x$checks

#' @export
as.data.frame.deniable_explanation <- function(x, ...) as_frame(of_household(x)$posterior)

#' @export
as.data.frame.deniable_ledger <- function(x, ...) {
  as_frame(if (is.data.frame(x$entries)) x$entries else of_household(x)$posterior)
}

#' @export
as.data.frame.deniable_judgement <- function(x, ...) as_frame(x$feasible)

as_frame <- function(value) {
  if (is.data.frame(value)) value else data.frame() # jsonlite reads [] as a list
}

# Beliefs are rounded to the safe side: what may be reached up, what is kept at least down.
percent <- function(belief, up = TRUE) {
  scaled <- signif(belief * 1000, 12) # 1/1000 is the unit; twelve digits forget float noise alone
  share <- (if (up) ceiling(scaled) else floor(scaled)) / 10
  # Not by format(), which follows the user's options for numbers.
  paste0(sub("\\.0$", "", sprintf("%.1f", share)), " %")
}

# Five digits, rounded to the safe side; a difference in the twelfth digit is float noise.
short <- function(x, up = FALSE) {
  unit <- 10^(floor(log10(ifelse(is.na(x) | x <= 0, 1, x))) - 4)
  scaled <- signif(x / unit, 12)
  sprintf("%.5g", (if (up) ceiling(scaled) else floor(scaled)) * unit)
}

# Odds grow by `factor` at most, so that p becomes f p / (1 + (f - 1) p) at most.
belief_after <- function(prior, factor) {
  if (identical(factor, "inf") || !is.finite(factor)) return(ifelse(prior == 0, 0, 1))
  factor * prior / (1 + (factor - 1) * prior)
}

sentence <- function(prior, after, exceedance = 0) {
  paste0(
    "Someone who is at most ", percent(prior), " sure that a given person is in the data can ",
    "become at most ", percent(after), " sure.",
    if (isTRUE(exceedance > 0)) {
      paste0(" This fails with probability at most ", sprintf("%.3g", exceedance), ".")
    }
  )
}

# The same answer with beliefs about one of the people who come together, if it has such beliefs:
# those about a person alone would promise too much.
of_household <- function(x) {
  if (!is.null(tied <- x$households)) {
    x$posterior <- tied$posterior
    x$gamma_outside <- tied$ratio
    # With an exceedance, the ratio alone does not bound an attack.
    x$attack_success <- if (!isTRUE(x$exceedance > 0)) belief_after(0.5, tied$ratio)
  } else if (!is.null(tied <- x$household$everything) || !is.null(tied <- x$member$everything)) {
    x$posterior <- tied$posterior
    x$exceedance <- tied$exceedance
  }
  x
}

told <- function(x, prior) {
  sentence(prior, belief_after(prior, x$gamma_outside), x$exceedance)
}

#' @export
print.deniable_answer <- function(x, ...) {
  writeLines(format(x, ...))
  invisible(x)
}

#' @export
format.deniable_answer <- function(x, ...) {
  plain <- unclass(x)
  attributes(plain) <- list(names = names(x))
  text <- jsonlite::toJSON(plain, auto_unbox = TRUE, pretty = TRUE, digits = NA, null = "null")
  as.character(text)
}

# What is wrong, and what an attacker can conclude who believes as much as the plan covers.
verdict_lines <- function(x, adversary) {
  prior <- max(unlist(adversary$prior))
  c(
    if (length(x$cautions) > 0) paste("Caution:", x$cautions),
    told(x, if (prior > 0 && prior < 1) prior else 0.1)
  )
}

#' @export
format.deniable_plan <- function(x, ...) {
  queries <- as.data.frame(x)[c("name", "statistic", "cells", "half_width_95", "half_width_of")]
  c(verdict_lines(x, x$adversary), "", lines_of(queries))
}

#' @export
format.deniable_preview <- function(x, ...) {
  removed <- x$removed[c("name", "unit", "taking_part", "kept")]
  c(
    "NOT FOR PUBLICATION: exact figures of the data, for its owner only.", "",
    verdict_lines(x, x$adversary), "", lines_of(removed), "See $removed for more."
  )
}

#' @export
format.deniable_release <- function(x, ..., rows = 20) {
  certificate <- jsonlite::fromJSON(file.path(x$folder, "certificate.json"))
  x$exceedance <- certificate$guarantee$exceedance
  results <- as.data.frame(x)
  is_told <- vapply(results, function(column) !all(is.na(column)), NA)
  told <- results[is_told & !names(results) %in% c("column", "rows_per_entity")]
  told[] <- lapply(names(told), function(name) {
    cells <- told[[name]]
    text <- if (!is.numeric(cells)) cells else if (name == "half_width_95") short(cells, up = TRUE)
            else sprintf("%.6g", cells)
    ifelse(is.na(cells), "", text)
  })
  c(
    verdict_lines(x, certificate$adversary), "",
    lines_of(utils::head(told, rows)),
    if (nrow(told) > rows) paste0("... and ", nrow(told) - rows, " more rows: as.data.frame()."),
    "", paste0("Half-widths are 95 %, of the noise alone. Published in ", x$folder, ".")
  )
}

#' @export
format.deniable_check <- function(x, ...) {
  failed <- x$checks[!x$checks$holds, ]
  trusted <- as_frame(x$on_trust)
  c(
    if (x$holds) "The certificate holds." else "The certificate does not hold.",
    if (nrow(failed) > 0) paste0("  ", failed$name, ": ", failed$finding),
    paste0(
      nrow(x$checks), " checks, ", nrow(trusted), " values taken on trust",
      if (nrow(trusted) > 0) ": see $on_trust", "."
    )
  )
}

#' @export
format.deniable_explanation <- function(x, ...) {
  x <- of_household(x)
  beliefs <- as_frame(x$posterior)
  inside <- beliefs[beliefs$prior > 0 & beliefs$prior < 1, ]
  c(
    if (length(x$cautions) > 0) paste("Caution:", x$cautions),
    if (!is.null(x$households)) {
      paste0("About one of the people who come together: ", x$households$model, ".")
    },
    if (nrow(inside) > 0) {
      # Both ends together are read a little more strictly than each alone.
      mapply(sentence, unique(inside$prior), inside$upper[!duplicated(inside$prior)],
             if (is.null(x$exceedance)) 0 else x$exceedance, USE.NAMES = FALSE)
    } else if (!is.null(x$gamma_outside)) {
      told(x, 0.1)
    },
    if (!is.null(x$attack_success)) {
      paste0("An attacker who has even odds is right with probability at most ",
             percent(x$attack_success), ".")
    }
  )
}

#' @export
format.deniable_ledger <- function(x, ...) {
  if (!is.null(x$fits)) {
    return(paste0(
      "The plan costs ", short(x$cost, up = TRUE), " of ", x$measure, " ",
      short(x$left), ", which is left of ", x$dataset, ". It ",
      if (x$fits) "fits." else "does not fit."
    ))
  }
  if (is.null(x$budget) || is.null(x$left)) return(NextMethod())
  x <- of_household(x)
  beliefs <- as_frame(x$posterior)
  inside <- beliefs[beliefs$prior > 0 & beliefs$prior < 1, ]
  high <- inside[which.min(abs(inside$prior - 0.1)), ]
  people <- if (!is.null(x$household)) {
    model <- if (!is.null(x$household$model)) paste0(" (", x$household$model, " ", x$household$value, ")")
    paste0(", in households of up to ", x$household$size, model)
  }
  c(
    if (nrow(high) == 1) paste0("After everything that this budget pays for", people, ": ",
                                sentence(high$prior, high$upper, x$exceedance)),
    paste0(x$dataset, ": ", short(x$left), " of ", x$measure, " ",
           short(x$budget), " is left.")
  )
}

#' @export
format.deniable_judgement <- function(x, ...) {
  verdict <- c(
    met = "The tables keep the target.",
    missed = "The tables miss the target.",
    undecided = "It is undecided whether the tables keep the target."
  )
  certain <- as_frame(x$certain)
  c(
    if (!is.null(x$target$verdict)) verdict[[x$target$verdict]],
    if (!is.null(x$worst)) {
      paste0("The worst belief that someone is counted: ", percent(x$worst$highest$upper),
             ", about the ", x$worst$people, " people on ", toString(x$worst$lists), ".")
    },
    if (nrow(certain) > 0) {
      paste0("Certain: ", ifelse(certain$`in`, "everybody", "nobody"), " on ", certain$list,
             " is counted.")
    },
    "", lines_of(as.data.frame(x)[c("table", "cell", "published", "lower", "upper")]),
    "", unlist(x$assumes)
  )
}

lines_of <- function(frame) {
  wide <- options(width = max(getOption("width"), 120L))
  on.exit(options(wide))
  utils::capture.output(print(frame, row.names = FALSE))
}
