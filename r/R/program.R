# The deniable program: where it is, whether it is new enough, how it is run, and what its
# exit status means.

#' Use Deniable from R
#'
#' The package hands data frames and tables of counts to the `deniable` program and returns its
#' answers as R objects. All computations are the program's.
#'
#' @section Where the program is:
#' R looks at `getOption("deniable.command")`, then at the environment variable `DENIABLE`, then
#' for `deniable` on the `PATH`. The option may have several words, such as
#' `c("nice", "-n", "10", "deniable")`. The program must be at least as new as this package.
#'
#' @section Errors:
#' Every error has the class `deniable_error` and the program's own message. The class before it
#' says what happened:
#'
#' | class | exit status | meaning |
#' |---|---|---|
#' | `deniable_wrong_input` | 2 | the arguments, the plan or the data are wrong |
#' | `deniable_refused` | 3 | no noise meets the target, or a claim is violated |
#' | `deniable_budget_exceeded` | 3 | the ledger has less left; also a `deniable_refused` |
#' | `deniable_inconsistent_tables` | 4 | the stated rules cannot have made the tables |
#' | `deniable_interrupted` | 130 | the program was interrupted |
#' | `deniable_fault` | other | a fault of the program |
#' | `deniable_program_missing`, `deniable_program_outdated` | | the remedy is in the message |
#'
#' No error, message or warning shows a value of the data.
#'
#' @section What is on disk:
#' The program reads files, so your data frame is written to a private folder in [tempdir()],
#' which is removed before the function returns, also after an error or an interrupt. Only columns
#' that the plan names are written. If R itself is killed, the folder stays.
#'
#' @keywords internal
"_PACKAGE"

known <- new.env(parent = emptyenv()) # of this session: programs that are new enough, R's libraries

fail <- function(class, ..., status = NA_integer_) {
  # The call would show a data frame that somebody passed by value, so conditions carry none.
  stop(structure(
    class = c(class, "deniable_error", "error", "condition"),
    list(message = paste0(...), call = NULL, status = status)
  ))
}

wrong <- function(...) fail("deniable_wrong_input", ..., status = 2L)

find_program <- function() {
  words <- getOption("deniable.command")
  if (is.null(words)) words <- Sys.getenv("DENIABLE")
  if (!is.character(words) || anyNA(words)) {
    wrong("options(deniable.command) must be text, such as \"~/.venv/bin/deniable\".")
  }
  words <- if (all(words == "")) "deniable" else words
  words[1] <- unname(Sys.which(path.expand(words[1])))
  if (words[1] == "") {
    fail(
      "deniable_program_missing", "Cannot find the deniable program. Install it with Python 3.11 ",
      "or newer (see its README), then tell R where it is: ",
      "options(deniable.command = \"~/.venv/bin/deniable\"), or set DENIABLE."
    )
  }
  key <- paste(words, collapse = "\n")
  if (is.null(known[[key]])) known[[key]] <- check_version(words)
  words
}

check_version <- function(words) {
  answer <- execute(words, "--version")
  text <- paste(answer$out, collapse = " ")
  version <- regmatches(text, regexpr("(?<=^deniable )[0-9]+\\.[0-9]+[0-9.]*", text, perl = TRUE))
  wanted <- unlist(utils::packageVersion("deniable"))[1:2]
  if (answer$status != 0 || length(version) == 0) {
    fail("deniable_program_missing", words[1], " does not say that it is deniable. ",
         "Set options(deniable.command) to the deniable program.")
  }
  if (package_version(version) < package_version(paste(wanted, collapse = "."))) {
    fail("deniable_program_outdated", words[1], " is deniable ", version, ", and this package ",
         "needs ", paste(wanted, collapse = "."), " or newer. Update the program.")
  }
  version
}

execute <- function(words, arguments) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE, force = TRUE))
  out <- file.path(folder, "out")
  err <- file.path(folder, "err")
  # An interrupt of R reaches the child as one, so that it removes what it had begun to write. It
  # waits until R knows the child: else processx would kill one that has just started.
  child <- NULL
  on.exit(stop_child(child), add = TRUE, after = FALSE)
  suspendInterrupts(child <- processx::process$new(
    words[1], c(words[-1], arguments),
    stdout = out, stderr = err, cleanup_tree = TRUE,
    env = c("current", PYTHONIOENCODING = "utf-8", PYTHONUTF8 = "1", LD_LIBRARY_PATH = libraries())
  ))
  child$wait()
  list(status = child$get_exit_status(), out = read_lines(out), err = read_lines(err))
}

# R puts its own folders before LD_LIBRARY_PATH. With them, a Python that is built as a shared
# library loads the system's libpython, of another version, and fails. So the program gets what R
# was given. An R that was started by another R has the folders twice.
libraries <- function() {
  given <- Sys.getenv("LD_LIBRARY_PATH")
  script <- file.path(R.home("etc"), "ldpaths")
  if (given == "" || !file.exists(script)) return(given)
  if (is.null(known$of_r)) {
    known$of_r <- processx::run(
      "sh", c("-c", ". \"$1\"; printf %s \"$R_LD_LIBRARY_PATH\"", "sh", script),
      env = c("current", R_HOME = R.home()), error_on_status = FALSE
    )$stdout
  }
  own <- known$of_r
  while (nzchar(own) && startsWith(given, own)) {
    given <- sub("^:", "", substring(given, nchar(own) + 1))
  }
  given
}

stop_child <- function(child) {
  if (is.null(child) || !child$is_alive()) return(invisible())
  child$interrupt()
  child$wait(10000) # milliseconds; a release takes far less to remove its temporary files
  if (child$is_alive()) child$kill_tree()
  invisible()
}

read_lines <- function(path) {
  lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
  Encoding(lines) <- "UTF-8"
  lines
}

private_folder <- function() {
  folder <- tempfile("deniable-")
  if (!dir.create(folder, mode = "0700", showWarnings = FALSE)) {
    wrong("Cannot write to ", dirname(folder), ". Free some space, or set TMPDIR.")
  }
  folder
}

# `hidden` is a temporary folder, whose name helps nobody in a message.
run <- function(arguments, hidden = NULL, class = NULL) {
  answer <- execute(find_program(), c(arguments, "--json"))
  said <- paste(answer$err, collapse = "\n")
  if (!is.null(hidden)) said <- gsub(paste0(hidden, "/"), "", said, fixed = TRUE)
  if (length(answer$out) == 0 || !startsWith(answer$out[1], "{")) {
    fail(error_class(answer$status, said), said, status = answer$status)
  }
  # A verdict such as "does not hold" has an exit status of its own, and is an answer.
  if (nzchar(said)) message(said)
  value <- jsonlite::fromJSON(paste(answer$out, collapse = "\n"), simplifyMatrix = FALSE)
  structure(value, class = c(class, "deniable_answer"), status = answer$status)
}

error_class <- function(status, said) {
  if (status == 3 && grepl("Expected to spend at most .*, which is left of", said)) {
    return(c("deniable_budget_exceeded", "deniable_refused"))
  }
  switch(
    as.character(status),
    "2" = "deniable_wrong_input",
    "3" = "deniable_refused",
    "4" = "deniable_inconsistent_tables",
    "130" = "deniable_interrupted",
    "deniable_fault"
  )
}

# list(max_posterior = 0.5, prior = c(0, 0.1), yes = TRUE) is
# --max-posterior 0.5 --prior 0 0.1 --yes; what has no name stands as it is.
as_words <- function(options) {
  named <- names(options)
  if (is.null(named)) named <- rep("", length(options))
  unlist(lapply(seq_along(options), function(i) {
    value <- options[[i]]
    option <- if (nzchar(named[i])) paste0("--", gsub("_", "-", named[i], fixed = TRUE))
    if (is.null(value) || identical(value, FALSE)) return(NULL)
    if (identical(value, TRUE)) return(option)
    if (!(is.numeric(value) || is.character(value)) || length(value) == 0 || anyNA(value)) {
      wrong("Expected ", if (is.null(option)) "an argument" else option, " to be numbers or text.")
    }
    c(option, if (is.numeric(value)) format_numbers(value, brief = TRUE) else path.expand(value))
  }))
}

#' Run any command of the program
#'
#' The other functions cover daily work; this one reaches the rest. The program's help, such as
#' `deniable rules design --help`, lists commands and options.
#'
#' @param command Words of the command, such as `c("rules", "design")`.
#' @param ... Arguments and options. `max_posterior = 0.75` is `--max-posterior 0.75`; a vector
#'   gives an option several values, `TRUE` writes the option alone, and an argument without a name
#'   stands as it is. Repeat an option by repeating its name.
#'
#' @return A list of class `deniable_answer`: the program's JSON object.
#' @export
#' @examplesIf nzchar(Sys.getenv("DENIABLE", Sys.which("deniable")))
#' dn_run("compose", "pure-dp:0.5", "pure-dp:0.25")$to
dn_run <- function(command, ...) {
  run(c(as_words(list(command)), as_words(list(...))))
}
