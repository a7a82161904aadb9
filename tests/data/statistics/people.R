# Writes people.sas7bdat, which Python's libraries cannot: Rscript people.R
library(haven)
people <- data.frame(
  person = c("p1", "p2", "p3", "p4"), n = c(1.5, NA, 0, -3), town = c("York", "", "Bath", "Évry"),
  day = as.Date(c("2024-01-31", NA, "1899-12-31", "1960-01-01"))
)
moments <- c("2024-01-31 12:30:00", NA, "1960-01-01 00:00:00", "2024-12-31 23:59:59")
people$moment <- as.POSIXct(moments, tz = "UTC")
people$stay <- hms::hms(c(108000, NA, 0, 3600))
suppressWarnings(write_sas(people, "people.sas7bdat"))
