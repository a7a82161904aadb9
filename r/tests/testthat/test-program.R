test_that("exit statuses are classes, with the program's message and no call", {
  classes <- list(
    "1" = "deniable_fault", "2" = "deniable_wrong_input", "3" = "deniable_refused",
    "4" = "deniable_inconsistent_tables", "130" = "deniable_interrupted", "77" = "deniable_fault"
  )
  for (status in names(classes)) {
    error <- with_program(
      c("echo \"Expected bread, got \u00e4 stone.\" >&2", paste("exit", status)),
      expect_error(dn_check("x"), class = classes[[status]])
    )
    expect_s3_class(error, "deniable_error")
    expect_identical(conditionMessage(error), "Expected bread, got \u00e4 stone.")
    expect_null(conditionCall(error))
    expect_identical(error$status, as.integer(status))
  }
  expect_nothing_left()
})

test_that("an answer is one whatever the exit status, and notes are messages", {
  answer <- with_program(
    c("echo 'Note: look.' >&2", "echo '{\"holds\": false, \"loss\": \"inf\"}'", "exit 2"),
    expect_message(dn_run("check"), "Note: look.")
  )
  answer <- with_program("echo '{\"holds\": false}'; exit 2", dn_run("check"))
  expect_false(answer$holds)
  expect_identical(attr(answer, "status"), 2L)
})

test_that("options are words of the command line", {
  words <- as_words(list(
    "zcdp:0.1", prior = c(0, 0.1), max_posterior = 0.5, yes = TRUE, charts = FALSE, page = NULL,
    baseline = 0.1, baseline = 1e-17, records = 100000L, members = 1e15
  ))
  expect_identical(words, c(
    "zcdp:0.1", "--prior", "0", "0.1", "--max-posterior", "0.5", "--yes",
    "--baseline", "0.1", "--baseline", "1e-17", "--records", "100000", "--members", "1000000000000000"
  ))
  expect_error(as_words(list(prior = NA)), class = "deniable_wrong_input")
  expect_error(as_words(list(prior = list(1))), class = "deniable_wrong_input")
})

test_that("a program that is missing, old or another one is named with the remedy", {
  before <- options(deniable.command = "/nowhere/deniable")
  on.exit(options(before))
  expect_error(dn_check("x"), "options\\(deniable.command", class = "deniable_program_missing")
  options(deniable.command = "true")
  expect_error(dn_check("x"), class = "deniable_program_missing")
  options(deniable.command = 3)
  expect_error(dn_check("x"), class = "deniable_wrong_input")
  with_program(
    "exit 0", expect_error(dn_check("x"), "Update", class = "deniable_program_outdated"), "0.0.9"
  )
})

test_that("the option goes before the variable, and may have several words", {
  words <- with_program("", {
    path <- getOption("deniable.command")
    options(deniable.command = c("env", "X=1", path))
    expect_identical(find_program()[-1], c("X=1", path))
    options(deniable.command = NULL)
    before <- Sys.getenv("DENIABLE", NA)
    Sys.setenv(DENIABLE = path)
    found <- find_program()
    if (is.na(before)) Sys.unsetenv("DENIABLE") else Sys.setenv(DENIABLE = before)
    expect_identical(found, path)
  })
})

test_that("an interrupt of R interrupts the program, and leaves nothing", {
  skip_on_os("windows")
  mark <- tempfile("mark")
  pid <- Sys.getpid()
  script <- c( # the program itself interrupts R, once it is ready to be interrupted
    paste0("trap 'echo interrupted > \"", mark, "\"; exit 130' INT"),
    paste("kill -INT", pid), "for i in `seq 600`; do sleep 0.1; done"
  )
  heard <- with_program(script, tryCatch(
    {
      dn_preview(data.frame(x = "SECRET"), "[target]\ngamma = 2")
      "none"
    },
    interrupt = function(i) "interrupt"
  ))
  expect_identical(heard, "interrupt")
  expect_identical(readLines(mark), "interrupted")
  unlink(mark)
  expect_nothing_left()
})

test_that("the program does not get R's own library path", {
  skip_if_not(file.exists(file.path(R.home("etc"), "ldpaths")))
  answer <- with_program(
    "printf '{\"path\": \"%s\"}' \"$LD_LIBRARY_PATH\"", dn_run("explain")
  )
  expect_false(grepl(R.home("lib"), answer$path, fixed = TRUE))
  before <- Sys.getenv("LD_LIBRARY_PATH")
  on.exit(Sys.setenv(LD_LIBRARY_PATH = before))
  Sys.setenv(LD_LIBRARY_PATH = paste0(before, ":/a/folder"))
  expect_identical(libraries(), "/a/folder")
  Sys.setenv(LD_LIBRARY_PATH = "/mine/alone")
  expect_identical(libraries(), "/mine/alone")
})
