test_that("a table is written in the order in which ftable() prints it", {
  set.seed(3)
  counts <- as.table(array(sample(100:999, 24), c(2, 3, 4), dimnames = list(
    ward = c("n,\n", "s"), age = c("a", "\u00e4", NA), sick = paste0("s", 1:4)
  )))
  cells <- grid_cells(counts)
  expect_identical(cells[1, ], c("ward", "age", "s1", "s2", "s3", "s4"))
  printed <- stats::ftable(counts)
  expect_identical(matrix(as.numeric(cells[-1, -(1:2)]), 6), matrix(as.numeric(printed), 6))
  expect_identical(cells[-1, 1], rep(c("n,\n", "s"), each = 3))
  expect_identical(cells[-1, 2], rep(c("a", bytes("\u00e4"), "NA"), 2))
  expect_identical(grid_cells(printed), cells)
  for (bad in list(1:3, matrix(1:4, 2), list(1), function() 1)) {
    expect_error(grid_cells(bad), class = "deniable_wrong_input")
  }
})

test_that("margins, hidden counts, data frames and one dimension keep their form", {
  counts <- table(ward = c("n", "s", "s"), sick = c("y", "y", "z"))
  expect_identical(grid_cells(stats::addmargins(counts))[, 4], c("Sum", "1", "2", "3"))
  counts["n", "z"] <- NA
  expect_identical(grid_cells(counts)[2, ], c("n", "1", "*"))
  expect_identical(grid_cells(matrix(c("<10", NA), 1, dimnames = list("a", c("x", "y"))))[2, ], c("a", "<10", "*"))
  expect_identical(grid_cells(stats::xtabs(~ward, data.frame(ward = "n"))), rbind(c("ward", "count"), c("n", "1")))
  expect_identical(
    unname(frame_cells(data.frame(list = factor("n"), count = c(NA, 12)))), rbind(c("list", "count"), c("n", "*"), c("n", "12"))
  )
})

test_that("a cross table and its margins are judged, list by list", {
  skip_without_program()
  people <- expand.grid(sick = c("yes", "no"), ward = c("north", "south"))
  numbers <- c(15, 10, 10, 20)
  counts <- stats::xtabs(numbers ~ ward + sick, cbind(people, numbers))
  lists <- paste(people$ward, people$sick)
  rules <- c(
    sprintf("[[list]]\nname = \"%s\"\nsize = %d", lists, c(40, 30, 20, 25)),
    "[[table]]", paste0("lists = [", paste0("\"", lists, "\"", collapse = ", "), "]"),
    "[rule]\npreset = \"opensafely\"\n[adversary]\nprior = [0.3, 0.7]\n[target]\nmax_posterior = 0.95"
  )
  page <- tempfile(fileext = ".html")
  answer <- dn_judge(counts, rules, page = page)
  cells <- as.data.frame(answer)
  expect_identical(cells$published[match(lists, cells$cell)], as.integer(numbers))
  expect_match(format(answer)[1], "keep the target")
  expect_match(readLines(dn_report(answer, view = FALSE), n = 1, warn = FALSE), "<!", fixed = TRUE)
  unlink(page)
  error <- expect_error(dn_judge(counts - 1, rules), class = "deniable_inconsistent_tables")
  expect_match(conditionMessage(error), "north yes")
  expect_nothing_left()
})
