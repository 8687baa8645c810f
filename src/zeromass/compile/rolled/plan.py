"""What the loops of an evaluation are told: tables, and how many of what."""

from __future__ import annotations

from enum import IntEnum, auto


class Plan(IntEnum):
    """Places of what the loops are told, int64: addresses of tables and numbers."""

    memory = 0
    busy = auto()
    bytes = auto()
    fixed = auto()
    otherwise = auto()
    skipped = auto()
    walk = auto()
    walk_count = auto()
    tiles = auto()
    stages = auto()
    spreads = auto()
    spread_count = auto()
    entries = auto()
    entry_count = auto()
    fronts = auto()
    front_count = auto()
    shapes = auto()
    unknowns = auto()
    names = auto()
    slots = auto()
    sums = auto()
    summed = auto()
    masks = auto()
    kept = auto()
    count = auto()
    solution = auto()
    residual = auto()
    nowhere = auto()
    left = auto()
    sizes = auto()
    change = auto()
    right = auto()
    right_beside = auto()
    right_beside_count = auto()
    touched = auto()
    touched_beside = auto()
    done = auto()
    states = auto()
    slopes = auto()
    coordinates = auto()
    out = auto()
    copies = auto()
    told = auto()
    told_count = auto()


class Tile(IntEnum):
    """What of each table belongs to a tile: columns of the table of tiles, int32, of where its share ends."""

    stages = 0
    unknowns = auto()
    touched = auto()
    touched_beside = auto()
    fronts = auto()
    beside = auto()
    entries = auto()
    done = auto()
    states = auto()
    slopes = auto()
    spreads = auto()


class Pass(IntEnum):
    """What is done with a tile: the second number of a row of the walk, int32, after that of the tile.

    through  through L, for the way back that follows; back: on the way back
    ahead    through L for what later tiles and the right side need of it alone, since others will use its memory
    again    through L once more: the right side is known
    """

    through = 0
    ahead = auto()
    again = auto()
    back = auto()


STAGE = 5
"""Numbers of a stage: address of its kernel, of its places and constants, instances, and where results begin."""

HEADER = 12
"""Numbers of a front: pivots, coordinates among them, unknowns, places of its rows, of what is left over, of its unknowns,
of its table, of what is added up before, how much that is, its first pivot, its number among frequent shapes or −1, and the
slot of its first pivot."""

ROUTINES = ("front", "forward", "back", "check", "ahead", "again")
"""Functions of a frequent shape, see `Unrolled`."""
