"""Rows counted in every node of a hierarchy: a region is the sum of its hospitals, exactly."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from deniable.publish.margins import (
    HalfWidth,
    TreeDesign,
    measure_tree,
    rebuild_tree,
    tree_half_widths,
    tree_sensitivity,
    whole_tree,
)
from deniable.publish.statistics import _sensitivity
from deniable.publish.statistics._units import int64_literal
from deniable.publish.statistics.crosstab import TOTAL, parts_of_design
from deniable.publish.statistics.protocol import (
    Grouping,
    Part,
    Protection,
    RowValues,
    Scalar,
)

if TYPE_CHECKING:
    import ibis.expr.types as ir

_half_widths = functools.lru_cache(maxsize=8)(tree_half_widths)  # asked for at every step


@attrs.frozen
class Tree:
    """Rows in each node of a tree, after bounding and the filter; each is its children's sum.

    A row is in the leaf whose key its column has, or in a leaf `other` below the root.

    Parameters
    ----------
    levels : tuple of str
        What the nodes of each level below the root are, such as region and ward. The last one is
        the column that is read.
    labels : tuple of tuples
        The label of each node, level by level; below the root first the keys, then `other`.
    design : TreeDesign
        Which nodes there are, and how noise is split over them.
    whole_numbers : bool
        Publish non-negative whole numbers beside the unbiased ones.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> from deniable.publish.margins import TreeShape, tree_design
    >>> shape = TreeShape(((0, 0, 0), (0, 0, 1)))
    >>> labels = (("north", "south", "other"), ("a", "b", "c"))
    >>> tree = Tree(("region", "ward"), labels, tree_design(shape, (1, 1, 1)))
    >>> part, = tree.parts(Protection(Adjacency.ADD_REMOVE, rows=1), cells=4)
    >>> part.coordinates, [*tree.groups()][-1]
    (6, {'region': 'south', 'ward': 'c'})
    """

    kind: ClassVar[str] = "tree"
    NUMERIC: ClassVar[bool] = False
    SCALABLE: ClassVar[bool] = False

    levels: tuple[str, ...]
    labels: tuple[tuple[Scalar, ...], ...]
    design: TreeDesign
    whole_numbers: bool = False

    @property
    def column(self) -> str | None:
        """None: every row counts."""
        return None

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds a row, to the nodes from the root to a leaf."""
        return RowValues((int64_literal(1),))

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """One vector of whole numbers; before it the number of rows, where that is public."""
        design = self.design
        moves = tree_sensitivity(
            design,
            protection.adjacency,
            rows=_sensitivity.rows(protection),
            has_fixed_rows=design.has_public_total,
        )
        return parts_of_design(self.kind, design, moves)

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """The vector of the design, from the leaves in the order of the keys, then `other`."""
        counts = totals.reshape(-1)
        vector = measure_tree(self.design, counts)
        return (counts.sum().reshape(1), vector) if self.design.has_public_total else (vector,)

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> Sequence[ResultRow]:
        """One row a node, level by level, each with the noisy number that was measured for it."""
        *public, vector = noisy
        nodes = rebuild_tree(
            self.design, vector, public_total=int(public[0][0]) if public else None
        )
        integers = whole_tree(self.design.shape, nodes) if self.whole_numbers else None
        rows, groups = [], iter(self.groups())
        for level, widths in enumerate(self.widths(mechanisms)):
            for place, (node, width) in enumerate(zip(nodes[level], widths, strict=True)):
                rows.append(
                    ResultRow(
                        name,
                        self.kind,
                        groups=next(groups),
                        value=node.value,
                        half_width_95=width.value,
                        half_width_unit="rows",
                        measured=node.measured,
                        whole_number=None if integers is None else integers[level][place],
                    )
                )
        return rows

    def groups(self) -> list[Mapping[str, Scalar]]:
        """The labels from the root to each node, by level; the root has none."""
        above: list[Mapping[str, Scalar]] = [{}]
        result = list(above)
        for level, parents, labels in zip(
            self.levels, self.design.shape.parents, self.labels, strict=True
        ):
            pairs = zip(parents, labels, strict=True)
            above = [{**above[parent], level: label} for parent, label in pairs]
            result += above
        return result

    def published(self, cells: int) -> int:
        """How many rows are published: one a node."""
        return self.design.shape.nodes

    def measured(self, rows: Sequence[ResultRow]) -> list[NDArray[np.int64]]:
        """The whole numbers of the rows, that of the public total by itself."""
        numbers = np.array([row.measured for row in rows if row.measured is not None], np.int64)
        return [numbers[:1], numbers[1:]] if self.design.has_public_total else [numbers]

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In rows, of each level: the largest of its nodes."""
        widest = [max(width.value for width in level) for level in self.widths(mechanisms)]
        return dict(zip((TOTAL, *self.levels), widest, strict=True))

    def widths(self, mechanisms: Sequence[Mechanism | None]) -> list[list[HalfWidth]]:
        """The half-width of each node, level by level, and the proof that it covers."""
        noise = mechanisms[-1]
        if not isinstance(noise, DiscreteGaussian | DiscreteLaplace):
            raise InvalidArgument(f"Expected a noise on numbers, got {noise!r}.")
        return _half_widths(self.design, noise)
