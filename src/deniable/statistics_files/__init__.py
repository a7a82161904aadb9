"""Files of people from SPSS, Stata and SAS, and spreadsheets, wherever a CSV file can stand."""
