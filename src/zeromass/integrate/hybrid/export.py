"""The driver of motions over switches as part of a module that needs no Python: its kernels, and its memory as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.compile.module import Groups
from zeromass.integrate.hybrid.driver import drive, functions_in_piece, select_in_piece
from zeromass.integrate.hybrid.memory import (
    ATOL,
    COUNTS,
    EVALUATIONS,
    LONGEST,
    RECORDED,
    REJECTED,
    RTOL,
    STEPS,
    Drive,
    Motion,
    T,
)
from zeromass.integrate.hybrid.methods import CollocationMemory, Dop853Memory
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.piece_end import open_step
from zeromass.integrate.hybrid.selection import Selection, select_modes
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.hybrid.tables import switch_formulas
from zeromass.integrate.methods.dop853.inside import Dop853Inside
from zeromass.integrate.methods.dop853.kernel import Dop853Advance
from zeromass.integrate.stepping.functions import Onto
from zeromass.integrate.stepping.kernel import Project
from zeromass.integrate.stepping.layout import ARGUMENTS, Int64
from zeromass.integrate.stepping.step_functions import StepFunctions, functions_at, state_at
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.stepping.writer import POINTER
from zeromass.kernel.image import Image
from zeromass.kernel.language import Reals, Reals2, Struct, function, kernel, text_of
from zeromass.kernel.negative_values import NegativeSearch
from zeromass.kernel.roots import RootSearch
from zeromass.kernel.structs import fields


@kernel
def begin_motion(
    m: Motion, w: Switches, s: StepFunctions, t: float, until: float, rtol: float, atol: float, longest: float
) -> int:
    """A motion from the state in m.y and the values in m.values, on the pieces that it begins on: see `Selection`."""
    m.fresh[RTOL], m.fresh[ATOL], m.fresh[LONGEST] = rtol, atol, longest
    s.rtol, s.atol = rtol, atol
    m.reals[:] = m.fresh
    m.reals[T], m.start, m.until = t, t, until
    m.pieces, m.flipped, m.tries, m.place = 0, 0, 0, 0
    m.ints[RECORDED], m.ints[STEPS], m.ints[REJECTED], m.ints[EVALUATIONS] = 0, 0, 0, 0
    for i in range(m.hidden, len(m.values)):
        m.values[i] = 0.0
    for k in range(len(w.kind)):
        m.values[w.mode[k]] = 1.0
        w.reached[k] = 0
    for i in range(len(m.which)):
        m.values[w.mode[m.which[i]]] = m.timed[0, i]
    w.clock[0] = t
    return select_modes(w, m.y[: len(m.first)], m.values, True)


class Sampling(Struct):
    """Functions of the states of a motion at times, in their order: `outputs`, and values of them, (times, outputs)."""

    outputs: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    times: Reals
    values: Reals2


@kernel
def sample_motion(m: Motion, w: Switches, s: StepFunctions, to: Sampling) -> None:
    """to.values ← the outputs at times of a motion that has some steps; where a piece ends as before."""
    count, pieces, rows = len(m.first), m.pieces, m.ints[RECORDED]
    piece, row, opened = 0, 0, -1
    for i in range(len(to.times)):
        t = to.times[i]
        while row < rows - 1 and w.ahead * (t - m.record[row, 0]) > 0.0:
            row += 1
        if row != opened:
            while piece < pieces - 1 and m.counts[COUNTS * (piece + 1)] <= row:
                piece += 1
            m.pieces = piece + 1
            m.begun[:] = m.log[piece][: 1 + count]
            for j in range(len(m.values) - m.hidden):
                m.values[m.hidden + j] = m.log[piece, 1 + count + j]
            open_step(m, row)
            opened = row
        state_at(s, t)
        w.clock[0] = t
        to.outputs(w.clock, s.row[1:], m.values, to.values[i])
    m.pieces = pieces


KERNELS = (begin_motion, drive, sample_motion)
"""Those that whoever runs the module calls."""

CALLED = (functions_at, functions_in_piece, select_in_piece)
"""Those that are called by address."""


FUNCTIONS = {"judge": "judge_switches", "energy": "energy_of_switches"}
"""Names in a module of what decides on switches."""

POINTERS = {
    (Motion, "advance"): Dop853Advance.name,
    (Motion, "dense_of_15"): Dop853Inside.name,
    (Motion, "energy"): FUNCTIONS["energy"],
    (Switches, "rhs"): "rhs",
    (Switches, "judge"): FUNCTIONS["judge"],
    (Switches, "guard"): "event",
    (StepFunctions, "event"): "event",
    (StepFunctions, "project"): Project.name,
    (RootSearch, "evaluate"): "functions_at",
    (NegativeSearch, "evaluate"): "functions_in_piece",
    (NegativeSearch, "select"): "select_in_piece",
    (Sampling, "outputs"): "outputs",
}
"""Functions of a module that structs point to."""


class DriverModule:
    """A driver of motions by the method of Dormand and Prince, as part of a module.

    driver  as it is at the start of a motion: its memory is copied
    """

    functions: tuple[str, ...] = tuple(kernel.name for kernel in KERNELS)
    data: tuple[str, ...] = (
        *("motion", "switches", "inside_steps", "roots_of_rates", "roots_of_functions", "fractions"),
        "sampling",
    )

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def formulas(self, groups: Groups) -> dict[str, tuple[Groups, Groups]]:
        """Functions of the system beside those of every module: {name: (inputs, outputs)}."""
        found = switch_formulas(self.driver.pieces, self.driver.program)
        return {FUNCTIONS[name]: (groups, some) for name, some in found.items()}

    def emit(self, module: ir.Module, target: Target) -> None:
        """Writes the routines of the stepping method."""
        for routine in (Dop853Advance, Dop853Inside, Project):
            routine.emit(module, target)

    def texts(self, target: Target) -> list[str]:
        """LLVM IR of the kernels, and of the memory."""
        return [text_of(*KERNELS, *CALLED, target=target), str(self._image())]

    def _image(self) -> Image:
        driver, m = self.driver, self.driver.m
        steps = {k: None if kind is POINTER else name for k, (name, kind) in enumerate(ARGUMENTS.items())}
        dense = {k: None if kind is POINTER else name for k, (name, kind) in enumerate(Dop853Inside.takes.items())}
        addresses = {
            (Motion, "arguments"): steps,
            (Motion, "again_arguments"): steps,
            (StepFunctions, "arguments"): steps,
            (Motion, "dense_arguments"): dense,
            (Motion, "ints"): {int(Int64.table): None},
        }
        arrays = _arrays([driver.work, driver._memory, *driver._keep])
        ahead = driver.work.ahead
        image = Image(
            POINTERS,
            [*arrays, *([ahead.table] if ahead is not None else [])],
            addresses,
            [driver.work.record, m.log, m.counts, m.flips, m.times, m.timed],
        )
        sampling = Sampling(outputs=1)
        parts = (m, driver.w, driver.step, driver.low, driver.roots, driver.method.places, sampling)
        image.add("inside_steps", driver.step)
        for name, part in zip(self.data, parts, strict=True):
            if name != "inside_steps":
                image.add(name, part)
        return image

    def about(self) -> dict[str, Any]:
        """What whoever runs the module is told of it: where fields stand, in words of 8 bytes."""
        driver = self.driver
        return {
            "motion": _places(Motion),
            "sampling": _places(Sampling),
            "record": list(ARGUMENTS).index("record"),
            "counts": COUNTS,
            "order": driver.order,
            "fractions": len(driver.method.places),
            "drive": {status.name: int(status) for status in Drive},
            "decided": int(Selection.DECIDED),
        }


def _places(struct: type[Struct]) -> dict[str, int]:
    return {name: at for name, (_, at) in fields(struct).items()}


def _arrays(item: Any) -> Iterator[np.ndarray]:
    """All arrays in memory that a driver keeps."""
    if isinstance(item, np.ndarray):
        yield item
    elif isinstance(item, (list, tuple)):
        for one in item:
            yield from _arrays(one)
    elif isinstance(item, dict):
        yield from _arrays(list(item.values()))
    elif isinstance(item, (Workspace, Dop853Memory, CollocationMemory, Onto)):
        yield from _arrays(list(vars(item).values()))
