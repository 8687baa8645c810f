"""What the loops of an evaluation are told: tables, and how many of what."""

from __future__ import annotations

from enum import IntEnum, auto


class Plan(IntEnum):
    """Places of what the loops are told, int64: addresses of tables and numbers."""

    memory = 0
    busy = auto()
    bytes = auto()
    fixed = auto()
    tiles = auto()
    tile_count = auto()
    stages = auto()
    spreads = auto()
    spread_count = auto()
    entries = auto()
    entry_count = auto()
    fronts = auto()
    front_count = auto()
    shapes = auto()
    unknowns = auto()
    slots = auto()
    beside = auto()
    masks = auto()
    kept = auto()
    count = auto()
    solution = auto()
    residual = auto()
    sizes = auto()
    change = auto()
    right = auto()
    right_beside = auto()
    right_beside_count = auto()
    touched = auto()
    touched_beside = auto()
    done = auto()
    coordinates = auto()
    out = auto()
    copies = auto()


class Tile(IntEnum):
    """What of each table belongs to a tile: columns of the table of tiles, int32, of where its share ends."""

    stages = 0
    touched = auto()
    touched_beside = auto()
    fronts = auto()
    unknowns = auto()
    beside = auto()
    entries = auto()
    done = auto()
    spreads = auto()


STAGE = 5
"""Numbers of a stage: address of its kernel, of its places and constants, instances, and where results begin."""

HEADER = 11
"""Numbers of a front: pivots, coordinates among them, unknowns, places of its rows, of what is left over, of its unknowns,
of its table, of what is added beside, how much that is, of its first pivot, and its number among frequent shapes or −1."""

ROUTINES = ("front", "forward", "back", "check")
"""Functions of a frequent shape, see `Unrolled`."""
