"""A grid with hidden cells: secondary suppression, and what the margins leave of hidden counts."""

from collections.abc import Iterator


def suppressed(grid: list[list[int]], most: int) -> set[tuple[int, int]]:
    """Cells of 1 to `most`, and the least others until no row or column has only one hidden.

    As sdcTable does, in the simplest of its ways: margins are published, and what is hidden alone
    could be subtracted back.
    """
    rows, columns = len(grid), len(grid[0])
    lines = [[(i, j) for j in range(columns)] for i in range(rows)]
    lines += [[(i, j) for i in range(rows)] for j in range(columns)]
    hidden = {(i, j) for i in range(rows) for j in range(columns) if 1 <= grid[i][j] <= most}
    while alone := next((line for line in lines if len(hidden & {*line}) == 1), None):
        hidden.add(
            min((cell for cell in alone if cell not in hidden), key=lambda c: grid[c[0]][c[1]])
        )
    return hidden


def intervals(
    grid: list[list[int]], hidden: set[tuple[int, int]], sizes: list[list[int]]
) -> dict[tuple[int, int], tuple[int, int]]:
    """The least and the largest count of each hidden cell, over all grids with these margins."""
    rows = [
        sum(grid[i][j] for j in range(len(grid[0])) if (i, j) in hidden) for i in range(len(grid))
    ]
    columns = [
        sum(grid[i][j] for i in range(len(grid)) if (i, j) in hidden) for j in range(len(grid[0]))
    ]
    bounds: dict[tuple[int, int], tuple[int, int]] = {}
    for table in _tables(sorted(hidden), rows, columns, sizes):
        for cell, count in table.items():
            low, high = bounds.get(cell, (count, count))
            bounds[cell] = min(low, count), max(high, count)
    return bounds


def _tables(cells, rows, columns, sizes) -> Iterator[dict]:
    """All counts of hidden cells that fill what the shown ones leave of rows and columns."""
    if not cells:
        if not any(rows) and not any(columns):
            yield {}
        return
    (i, j), rest = cells[0], cells[1:]
    most = min(rows[i], columns[j], sizes[i][j])
    # The last hidden cell of a row has to fill it.
    least = rows[i] if all(a != i for a, _ in rest) else 0
    for count in range(least, most + 1):
        rows[i] -= count
        columns[j] -= count
        for table in _tables(rest, rows, columns, sizes):
            yield {**table, (i, j): count}
        rows[i] += count
        columns[j] += count
