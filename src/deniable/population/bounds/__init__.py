"""What holds without listing a subset."""
