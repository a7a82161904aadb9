"""A second checker of certificates, written from the reference pages and the schemas alone.

It imports nothing of the package and shares no line with it. What it recomputes, and what it says
that it does not: ``docs/explanation/a-second-checker.md``.
"""
