"""A second checker of certificates, from reference pages and schemas; see docs/explanation."""
