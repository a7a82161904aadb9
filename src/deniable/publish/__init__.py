"""The release of tables, from a plan to its published files, and what the owner sees besides."""
