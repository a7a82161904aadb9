"""The private release of a study: request, noise, certificate, what is published."""
