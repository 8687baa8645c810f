"""Segments that follow one another at switches, as one for files: a run with thousands of switches has two arrays, not
thousands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.integrate.hybrid.pieces import Piece
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.segment import Segment, Statistics
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.model import State


def grouped(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Segments of one kind of motion together."""
    groups: list[list[Segment]] = []
    for segment in segments:
        if groups and groups[-1][-1].outcome.ending is Ending.SWITCH:
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return groups


def joined(group: Sequence[Segment]) -> Segment:
    """One segment of several, with a straight step between each two, mostly of no length."""
    first, last = group[0], group[-1]
    if len(group) == 1:
        return first
    growth, inside = [first.growth], [first.dense.polynomials()]
    for before, segment in pairwise(group):
        growth += [np.ones(1), segment.growth]
        inside += [_straight(before.y[-1], segment.y[0]), segment.dense.polynomials()]
    return replace(
        first,
        t=np.concatenate([segment.t for segment in group]),
        y=np.concatenate([segment.y for segment in group]),
        outcome=last.outcome,
        statistics=sum((segment.statistics for segment in group[1:]), first.statistics),
        happened=tuple(event for segment in group for event in segment.events),
        growth=np.concatenate(growth),
        inside=np.concatenate(inside),
        crossed=tuple(passage for segment in group for passage in segment.crossed),
    )


def lengthened(segment: Segment, t: float, y: np.ndarray) -> Segment:
    """A segment with a straight step more, to a state at a time."""
    return replace(
        segment,
        t=np.append(segment.t, t),
        y=np.concatenate([segment.y, y[None]]),
        happened=segment.events,
        growth=np.append(segment.growth, 1.0),
        inside=np.concatenate([segment.dense.polynomials(), _straight(segment.y[-1], y)]),
    )


def _straight(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The polynomial of a straight step, by Legendre's polynomials."""
    inside = np.zeros((1, DEGREE + 1, len(before)))
    inside[0, :2] = (before + after) / 2, (after - before) / 2
    return inside


def records(group: Sequence[Segment]) -> list[dict[str, Any]] | None:
    """What files keep of each of some segments beside their arrays; None of a smooth system whose parameters stay."""
    pieces, system = group[0].system.pieces, group[0].system
    values = [[segment.parameters[p] for p in system.parameters] for segment in group]
    stay = all(own == values[0] for own in values)
    if stay and (pieces is None or group[0].piece is None):
        return None
    return [
        {
            "ends": len(segment.t),
            "events": len(segment.events),
            "outcome": [segment.outcome.ending.value, segment.outcome.t, segment.outcome.message],
            "counts": list(vars(segment.statistics).values()),
            "moved": segment.program is not None,
            **({} if stay else {"parameters": own}),
            **({} if pieces is None or segment.piece is None else segment.piece.record(pieces)),
        }
        for segment, own in zip(group, values, strict=True)
        if segment.piece is not None or pieces is None
    ]


def parted(whole: Segment, told: Sequence[Mapping[str, Any]] | None) -> list[Segment]:
    """The segments that were joined, from what `records` told of them."""
    pieces = whole.system.pieces
    if told is None:
        return [whole]
    programs: dict[Any, Program] = {}
    found: list[Segment] = []
    at, happened, n = 0, 0, len(whole.start.q)
    for words in told:
        piece = None if pieces is None else Piece.from_record(words, pieces)
        ends = slice(at, at + words["ends"])
        steps = slice(at, at + words["ends"] - 1)
        t, y = whole.t[ends], whole.y[ends]
        known = dict(zip(whole.system.parameters, words["parameters"], strict=True)) if "parameters" in words else None
        start = State(whole.system, float(t[0]), y[0, :n].copy(), y[0, n:].copy(), known or dict(whole.parameters))
        key: Any = None
        made = partial(program_at, whole.system, start)
        if pieces is not None and piece is not None:
            start = replace(start, turns=pieces.turns(piece.modes))
            key = piece.holds, tuple(piece.modes[switch.mode] for switch in pieces.switches if switch.kind == "side")
            made = partial(piece.program, pieces, start)
        if words["moved"] and key not in programs:
            programs[key] = made()
        ending, when, message = words["outcome"]
        found.append(
            Segment(
                programs[key] if words["moved"] else None,
                start,
                t,
                y,
                Outcome(Ending(ending), when, message),
                Statistics(*words["counts"]),
                whole.events[happened : happened + words["events"]],
                whole.settings,
                whole.growth[steps],
                whole.dense.polynomials()[steps],
                tuple(p for p in whole.crossed if min(t[0], t[-1]) <= p.t <= max(t[0], t[-1])),
                piece,
            )
        )
        at, happened = at + words["ends"], happened + words["events"]
    return found
