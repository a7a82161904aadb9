"""From a plan to its published files: one kind of release, and what the owner sees besides."""
