"""What a study says of one variant, exactly: statistics, tests, linkage, significance."""
