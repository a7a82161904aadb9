library(testthat)
library(deniable)

test_check("deniable")
