plan <- paste(
  "[data]", "entity = \"person\"", "nulls = [\"k. A.\"]", "[adversary]", "prior = [0, 0.1]",
  "[target]", "max_posterior = 0.5", "[limits]", "rows_per_entity = 1", "[[query]]",
  "name = \"by ward\"", "statistic = \"count\"", "group_by = [\"ward\"]",
  "keys = { ward = [\"=1+1\", \"a, \\\"x\\\"\\nb\", \"'-\", \"-\", \"NA\", \"\u00e4\"] }", sep = "\n"
)
keys <- c("=1+1", "a, \"x\"\nb", "'-", "-", "NA", "\u00e4")

test_that("a data frame is released, checked and shown, from a folder with a blank", {
  skip_without_program()
  data <- data.frame(person = paste0("SECRET", 1:600), ward = rep(c(keys, NA), length.out = 600))
  out <- file.path(tempfile("a folder "), "published \u00e4")
  dir.create(dirname(out))
  on.exit(unlink(dirname(out), recursive = TRUE))
  said <- everything_said(released <- dn_release(data, plan, out))
  expect_no_match(said, "SECRET")
  expect_nothing_left()
  results <- as.data.frame(released)
  expect_identical(results[["group:ward"]], keys)
  # Discrete Laplace noise of scale about 1 passes 60 with probability below 1e-20.
  expect_true(all(abs(results$value - table(factor(data$ward, keys))) < 60))
  expect_match(format(released)[1], "can become at most 50 % sure", fixed = TRUE)
  expect_output(print(released), "by ward")
  expect_true(dn_check(released)$holds)
  page <- dn_report(out, view = FALSE)
  expect_identical(unclass(page), normalizePath(file.path(out, "report.html")))
  expect_output(print(page), "report.html")
  for (file in list.files(out, full.names = TRUE)) {
    content <- readBin(file, "raw", file.size(file))
    expect_length(grepRaw("SECRET", content, fixed = TRUE), 0)
  }

  certificate <- file.path(out, "certificate.json")
  writeLines(sub("\"epsilon\": [0-9.]+", "\"epsilon\": 0.1", readLines(certificate)), certificate)
  forged <- dn_check(out)
  expect_false(forged$holds)
  expect_match(format(forged)[1], "does not hold")
  expect_error(dn_release(data, plan, out), class = "deniable_wrong_input")
  expect_nothing_left()
})

test_that("every printed number has the name of its statistic", {
  skip_without_program()
  out <- tempfile("published")
  on.exit(unlink(out, recursive = TRUE))
  data <- data.frame(days = as.numeric(1:60), died = rep(c(TRUE, FALSE, FALSE), 20))
  curve <- paste(
    "[target]", "epsilon = 4", "[[query]]", "name = \"os\"", "statistic = \"survival\"",
    "time = \"days\"", "event = \"died\"", "grid = [20, 40]", "[[query]]", "name = \"mean time\"",
    "statistic = \"mean\"", "column = \"days\"", "bounds = [0, 100]", sep = "\n"
  )
  lines <- format(dn_release(data, curve, out))
  for (word in c("statistic", "events", "censored", "beyond", "mean", "count")) {
    expect_true(any(grepl(paste0(" ", word, " "), lines, fixed = TRUE)), info = word)
  }
  planned <- as.data.frame(dn_plan(data, curve))
  expect_identical(planned$half_width_of, c("still observed after 20", "count"))
  expect_match(format(dn_plan(data, curve)), "half_width_of", fixed = TRUE, all = FALSE)
})

test_that("no error shows a value, not even if the data frame is passed by value", {
  skip_without_program()
  data <- data.frame(person = "SECRET", ward = "SECRET", other = "SECRET")
  data$lists <- list("SECRET")
  for (wrong_plan in c(
    "[target]\ngamma = 2", sub("\"ward\"", "\"wards\"", plan), sub("person", "lists", plan), "= = =",
    sub("0.5", "2", plan), "/nowhere.toml",
    sub("group_by.*", "where = [[\"other\", \">\", 3]]", plan)
  )) {
    said <- everything_said(do.call(dn_preview, list(data, wrong_plan)))
    expect_match(said, "deniable_(wrong_input|refused)")
    expect_no_match(said, "SECRET")
    expect_no_match(said, "Rtmp.*deniable-")
  }
  expect_nothing_left()
})

test_that("a page is drawn in a frame of a knitr document", {
  skip_if_not_installed("knitr")
  path <- tempfile(fileext = ".html")
  writeLines("<p title=\"a\">&amp; \u00e4</p>", path, useBytes = TRUE)
  page <- dn_report(path, view = FALSE)
  expect_match(knit_print.deniable_report(page), path, fixed = TRUE)
  before <- knitr::opts_knit$get("rmarkdown.pandoc.to")
  knitr::opts_knit$set(rmarkdown.pandoc.to = "html")
  on.exit(knitr::opts_knit$set(rmarkdown.pandoc.to = before))
  expect_match(
    knit_print.deniable_report(page), "srcdoc=\"<p title=&quot;a&quot;>&amp;amp; \u00e4</p>\"", fixed = TRUE
  )
})
