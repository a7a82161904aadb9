"""One of finitely many candidates, chosen by the exponential mechanism."""
