# The real program, or none: then tests of it are left out.
skip_without_program <- function() {
  there <- tryCatch(is.character(find_program()), deniable_program_missing = function(e) FALSE)
  if (!there) testthat::skip("the deniable program is not installed")
}

# A program of a few lines of shell that says it is deniable.
with_program <- function(lines, code, version = "9.9.9") {
  folder <- tempfile("a program ")
  dir.create(folder)
  path <- file.path(folder, "den iable")
  writeLines(c(
    "#!/bin/sh", paste0("test \"$1\" = --version && echo deniable ", version, " && exit 0"), lines
  ), path)
  Sys.chmod(path, "755")
  before <- options(deniable.command = path)
  on.exit({
    options(before)
    unlink(folder, recursive = TRUE)
  })
  force(code)
}

expect_nothing_left <- function() {
  expect_identical(list.files(tempdir(), "^deniable-", all.files = TRUE), character())
}

# All that a user can see of a call: messages, warnings and the error, deparsed.
everything_said <- function(code) {
  said <- character()
  hear <- function(condition) {
    said <<- c(said, conditionMessage(condition), deparse(conditionCall(condition)))
  }
  output <- utils::capture.output(tryCatch(
    withCallingHandlers(
      code,
      message = function(m) { hear(m); invokeRestart("muffleMessage") },
      warning = function(w) { hear(w); invokeRestart("muffleWarning") }
    ),
    error = function(e) { hear(e); print(e) }
  ))
  paste(c(said, output), collapse = "\n")
}

bytes <- function(...) { text <- c(...); Encoding(text) <- "bytes"; text }
