"""`deniable gwas …` on the command line."""
