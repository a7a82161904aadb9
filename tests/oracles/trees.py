"""Trees by dense matrices, from the definitions, slowly: node by node, leaf by leaf."""

import itertools


def children_of(parents):
    """Every node as its path of places, with its children; the root is ()."""
    levels, below = [[()]], {(): []}
    for places in parents:
        own, seen = [], {}
        for place in places:
            parent = levels[-1][place]
            seen[parent] = seen.get(parent, -1) + 1
            own.append((*parent, seen[parent]))
            below[parent].append(own[-1])
            below[own[-1]] = []
        levels.append(own)
    return levels, below


def leaf_paths(parents):
    """The leaves, the deepest first and in order."""
    levels, below = children_of(parents)
    return [node for level in reversed(levels) for node in level if not below[node]]


def node_matrix(parents):
    """One row a node, level by level; one column a leaf: 1 where it is below the node."""
    levels, _ = children_of(parents)
    leaves = leaf_paths(parents)
    return [
        [int(leaf[: len(node)] == node) for leaf in leaves] for level in levels for node in level
    ]


def measurement_matrix(parents, root, multipliers, *, residuals):
    """The vector: the root's count, then each family with its multiplier, by level and place."""
    levels, below = children_of(parents)
    nodes = [node for level in levels for node in level]
    of = dict(zip(nodes, node_matrix(parents), strict=True))
    rows = [[root * entry for entry in of[()]]] if root else []
    families = [node for node in nodes if below[node]]
    for node, multiplier in zip(families, multipliers, strict=True):
        number = len(below[node])
        for child in below[node] if multiplier else []:
            own = of[child]
            if residuals:
                own = [number * a - b for a, b in zip(own, of[node], strict=True)]
            rows.append([multiplier * entry for entry in own])
    return rows


def tables_of_one_entity(leaves, most, *, fixed):
    """What an entity of up to `most` rows, or of exactly so many, adds to the leaves."""
    for rows in range(most if fixed else 0, most + 1):
        for places in itertools.combinations_with_replacement(range(leaves), rows):
            yield [places.count(place) for place in range(leaves)]
