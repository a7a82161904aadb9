"""The command line: thin calls of the public functions."""


def main() -> None:
    """Run the program; commands of other packages join it here, and need this package first."""
    from deniable.cli.program import main as run

    run()
