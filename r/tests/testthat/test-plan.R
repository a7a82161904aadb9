text_of <- function(plan, data, folder = "/here") {
  toml <- read_toml(to_utf8(plan))
  types <- column_types(data, toml)
  text <- paste(plan_text(toml, types, folder), collapse = "")
  Encoding(text) <- "UTF-8"
  text
}

test_that("tokens together are the text, whatever it is", {
  texts <- c(
    "", "\n", "a", "\"", "'''", "[", "[[", "a = [1, {b = 2, c = \"}\"}] # ]", "= = =", "a = {",
    "a = \"\"\"x\"\"\"\"\"", "t = 2024-01-01 10:00:00\nb = 1", "\"\u00e4\\\"\" = '\\'", "x.y . z=1",
    "a = [\n1, # one\n[2, [3]],\n]\n[t]\nb = 1"
  )
  for (text in texts) expect_identical(paste(read_toml(to_utf8(text))$tokens, collapse = ""), bytes(text))
  set.seed(1)
  marks <- c("[", "]", "{", "}", "=", ",", ".", "\"", "'", "\\", "#", "\n", " ", "a", "1", "\"\"\"")
  for (i in 1:300) {
    text <- paste(sample(marks, 25, replace = TRUE), collapse = "")
    expect_identical(paste(read_toml(text)$tokens, collapse = ""), text)
  }
})

test_that("a text stands for what TOML says", {
  expect_identical(decode("\"a\\tb\\\"\\u00e4\\\\\\U0001F600\""), to_utf8("a\tb\"\u00e4\\\U0001F600"))
  expect_identical(decode("'a\\tb'"), "a\\tb")
  for (text in c("a\"b\\c\n\td\u007f", "\u00e4 = #", "")) {
    expect_identical(decode(encode(to_utf8(text))), to_utf8(text))
  }
})

test_that("source and types are added wherever [data] has them", {
  data <- data.frame(age = 1L, sex = factor("f"), other = 2)
  query <- "\n[[query]]\ncolumn = \"age\"\ngroup_by = [\"sex\"]\n"
  types <- "types = { \"age\" = \"integer\", \"sex\" = \"text\" }"
  source <- "source = \"data.csv\""
  has <- function(plan, ...) {
    text <- text_of(paste0(plan, query), data)
    for (each in c(...)) expect_match(text, each, fixed = TRUE)
    expect_length(gregexpr("data.csv", text, fixed = TRUE)[[1]], 1)
    expect_no_match(text, "other")
  }
  has("[target]\ngamma = 2", paste0("[data]\n", source, "\n", types))
  has("[data]\nentity = \"age\"", paste0("[data]\n", source, "\n", types, "\nentity"))
  has("[data]\nsource = 'memory' # here\n", types, "source = \"data.csv\" # here")
  has("[data]\ntypes = { age = \"text\" }", "types = { \"sex\" = \"text\", age = \"text\" }")
  has("[data]\ntypes = {}", "types = { \"age\" = \"integer\", \"sex\" = \"text\"}")
  has("[data]\ntypes.age = \"text\"", paste0("[data]\n", source, "\ntypes.\"sex\" = \"text\"\n"))
  has("[data.types]\nage = \"text\"", "[data.types]\n\"sex\" = \"text\"\nage", paste0("[data]\n", source))
  has("data.entity = \"age\"", paste0("data.", source, "\ndata.", types, "\ndata.entity"))
  has("[report]\ntext = \"\"\"\n[data]\nsource = \"x\"\n\"\"\"", types)
})

test_that("a plan with a source, a file's form or no place for NA is refused", {
  data <- data.frame(age = 1L)
  for (plan in c(
    "[data]\nsource = \"visits.csv\"", "[data.csv]\ndelimiter = \";\"", "data.csv.decimal = \",\"",
    "data = { entity = \"age\" }", "[data]\nnulls = []", "[data]\nsource = \"\"\"x\"\"\""
  )) {
    folder <- tempfile("plan")
    dir.create(folder)
    plan <- list(text = to_utf8(plan), folder = "/here", name = "plan.toml")
    expect_error(hand_over(data, plan, folder), class = "deniable_wrong_input")
    expect_identical(list.files(folder), character())
    unlink(folder, recursive = TRUE)
  }
})

test_that("relative paths stay beside the plan, and nothing else is taken for one", {
  plan <- paste0(
    "[ledger]\nfile = \"a \\\"b\\\".ledger\"\n[adversary]\npopulation = '../list.csv'\n",
    "[sample]\npopulation = 100\n[keys]\nicd = { file = \"icd.txt\" }\nfile = \"2024-01..2024-12\"\n",
    "[[query]]\nkeys = { place = { file = \"/abs.txt\" }, w.file = \"w.txt\" }\n[keys.z]\nfile = \"z.txt\"\n",
    "[report]\ntext = \"file\"\n"
  )
  text <- text_of(plan, data.frame(x = 1), "/h \u00e4")
  for (each in c(
    "file = \"/h \u00e4/a \\\"b\\\".ledger\"", "population = \"/h \u00e4/../list.csv\"",
    "icd = { file = \"/h \u00e4/icd.txt\" }", "\nfile = \"2024-01..2024-12\"", "\"/abs.txt\"",
    "w.file = \"/h \u00e4/w.txt\"", "[keys.z]\nfile = \"/h \u00e4/z.txt\"", "population = 100"
  )) expect_match(text, each, fixed = TRUE)
})
