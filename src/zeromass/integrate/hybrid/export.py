"""The driver of motions over switches as part of a module that needs no Python: its kernels, and its memory as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Annotated, Any, cast

import numpy as np

from zeromass.codegen import cache, ir
from zeromass.codegen.target import Target
from zeromass.codegen.wasm import kept_object, wasm32
from zeromass.compile.module import Groups
from zeromass.compile.native import Native
from zeromass.integrate.hybrid.chattering import CROWDED, PILED, RECENT
from zeromass.integrate.hybrid.contact_table import Contacts, contact_formulas
from zeromass.integrate.hybrid.crossing import begin_modes, cross_switch
from zeromass.integrate.hybrid.derivatives import (
    Slopes,
    derivative_functions,
    derivative_slopes,
    derivative_text,
    known_orders,
)
from zeromass.integrate.hybrid.driver import drive, functions_in_piece, select_in_piece, take_back
from zeromass.integrate.hybrid.jumps import jump_formulas
from zeromass.integrate.hybrid.memory import (
    ATOL,
    COUNTS,
    EVALUATIONS,
    LONGEST,
    RECORDED,
    REJECTED,
    RTOL,
    STEPS,
    Crossing,
    Drive,
    Jumps,
    Lengths,
    Motion,
    T,
)
from zeromass.integrate.hybrid.messages import CONTACT_WORDS, WORDS, ContactEnd, Selection
from zeromass.integrate.hybrid.methods import CollocationMemory, Dop853Memory, RadauMemory
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.piece_end import open_step
from zeromass.integrate.hybrid.polyhedra import Polyhedra
from zeromass.integrate.hybrid.polyhedra_table import pose_formulas
from zeromass.integrate.hybrid.switches import TURN, Switches
from zeromass.integrate.hybrid.tables import ints, switch_formulas
from zeromass.integrate.methods.dop853.inside import Dop853Inside
from zeromass.integrate.methods.dop853.kernel import Dop853Advance
from zeromass.integrate.methods.radau.coefficients import MOST
from zeromass.integrate.methods.radau.increments import KEPT, Increments
from zeromass.integrate.methods.radau.kernel import RadauAdvance
from zeromass.integrate.methods.radau.memory import Slot
from zeromass.integrate.methods.radau.stepper import Radau
from zeromass.integrate.stepping.functions import Onto
from zeromass.integrate.stepping.kernel import Project, Routine
from zeromass.integrate.stepping.layout import ARGUMENTS, Int64
from zeromass.integrate.stepping.loop import HOPELESS
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
    m: Motion,
    w: Switches,
    s: StepFunctions,
    turns: Reals,
    t: float,
    until: float,
    rtol: float,
    atol: float,
    longest: float,
) -> int:
    """A motion from the state in m.y and the values in m.values, on the pieces that it begins on: see `Selection`.

    m.y ← the state behind impacts, where contacts are approached.

    turns  of each switch the direction that an angle is measured from, which is found where it is no number
    """
    m.fresh[RTOL], m.fresh[ATOL], m.fresh[LONGEST] = rtol, atol, longest
    s.rtol, s.atol = rtol, atol
    m.reals[:] = m.fresh
    m.reals[T], m.start, m.until = t, t, until
    m.pieces, m.flipped, m.occurrences, m.tries, m.place = 0, 0, 0, 0, 0
    for c in range(len(m.ends)):
        m.ends[c] = 0.0
    m.ints[RECORDED], m.ints[STEPS], m.ints[REJECTED], m.ints[EVALUATIONS] = 0, 0, 0, 0
    for i in range(m.hidden, len(m.values)):
        m.values[i] = 0.0
    for k in range(len(w.kind)):
        turn = w.kind[k] == TURN
        w.reached[k] = 1 if turn and turns[k] != turns[k] else 0
        m.values[w.mode[k]] = 1.0 if not turn else 0.0 if w.reached[k] != 0 else turns[k]
    for i in range(len(m.which)):
        m.values[w.mode[m.which[i]]] = m.timed[0, i]
    w.failed[0] = 0
    return begin_modes(m, w, s)


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
            m.piece_start[:] = m.log[piece][: 1 + count]
            for j in range(len(m.values) - m.hidden):
                m.values[m.hidden + j] = m.log[piece, 1 + count + j]
            open_step(m, row)
            opened = row
        state_at(s, t)
        w.clock[0] = t
        to.outputs(w.clock, s.row[1:], m.values, to.values[i])
    m.pieces = pieces


@kernel
def resume_motion(m: Motion, t: float, start: float, until: float, place: int, flipped: int) -> None:
    """The rest of a motion, from the state in m.y and the values in m.values, that was made elsewhere before."""
    m.reals[:] = m.fresh
    m.reals[T], m.start, m.until = t, start, until
    m.place, m.flipped, m.tries = place, flipped, 0


KERNELS = (begin_motion, resume_motion, drive, cross_switch, take_back, sample_motion)
"""Those that whoever runs the module calls."""

CALLED = (functions_at, functions_in_piece, select_in_piece)
"""Those that are called by address."""


FUNCTIONS = {"judge": "judge_switches", "across": "across_turns", "acting": "acting_switches"}
"""Names in a module of what decides on switches."""

POINTERS: dict[tuple[type, str], str | None] = {
    (Motion, "dense_of_15"): Dop853Inside.name,
    (Lengths, "evaluate"): "directions",
    (Switches, "rhs"): "rhs",
    (Switches, "judge"): FUNCTIONS["judge"],
    (Switches, "across"): FUNCTIONS["across"],
    (Switches, "acting"): FUNCTIONS["acting"],
    (Switches, "derivative"): "derivative",
    (Switches, "guard"): "event",
    (StepFunctions, "event"): "event",
    (StepFunctions, "project"): Project.name,
    (RootSearch, "evaluate"): "functions_at",
    (NegativeSearch, "evaluate"): "functions_in_piece",
    (NegativeSearch, "select"): "select_in_piece",
    (Sampling, "outputs"): "outputs",
    (Jumps, "evaluate"): "jump_values",
    (Contacts, "evaluate"): "contacts_at",
    (Polyhedra, "evaluate"): "poses_at",
}
"""Functions of a module that structs point to."""


class DriverModule:
    """A driver of motions by the method of Dormand and Prince, as part of a module.

    driver  as it is at the start of a motion: its memory is copied
    turns   of each switch the direction that an angle is measured from as the motion begins; not a number if it is found
    """

    functions: tuple[str, ...] = tuple(kernel.name for kernel in KERNELS)
    data: tuple[str, ...] = (
        *("motion", "switches", "inside_steps", "roots_of_rates", "roots_of_functions", "fractions"),
        *("turns", "sampling", "jumps", "contacts"),
    )

    def __init__(self, driver: Driver, turns: np.ndarray) -> None:
        self.driver, self.turns = driver, turns
        self.slopes: Slopes = derivative_slopes(driver.pieces, driver.program)
        driver.w.orders[:] = known_orders(driver.pieces, self.slopes)
        driver.step.limit = driver.m.limit = inf  # nobody else looks where a projection leads
        driver.m.lengths = Lengths(offsets=ints([0]))  # nor makes pieces otherwise

    def formulas(self, groups: Groups) -> dict[str, tuple[Groups, Groups]]:
        """Functions of the system beside those of every module, and of kernels: {name: (inputs, outputs)}."""
        pieces, program = self.driver.pieces, self.driver.program
        found: dict[str, tuple[Groups, Groups]] = {
            "jump_values": (groups, [[e for some in jump_formulas(pieces) for e in some]])
        }
        found |= {FUNCTIONS[name]: (groups, some) for name, some in switch_formulas(pieces, program).items()}
        if pieces.unilaterals:
            found["contacts_at"] = groups, contact_formulas(pieces, program)
            if poses := pose_formulas(pieces.unilaterals):
                found["poses_at"] = groups, [poses]
        if self.driver.large is None:
            found |= {name: (groups, [some]) for name, some in derivative_functions(self.slopes).items()}
        return found

    @property
    def _radau(self) -> Radau | None:
        """What steps with Radau's methods, if these make the steps."""
        memory = self.driver.memory
        return memory.stepper if isinstance(memory, RadauMemory) else None

    @property
    def _advance(self) -> type[RadauAdvance] | type[Dop853Advance]:
        """The routine that makes steps."""
        radau = self._radau
        return Dop853Advance if radau is None else radau.routine(cast(Native, self.driver.program.native))[0]

    def texts(self, target: Target) -> list[str]:
        """LLVM IR of what depends on the system: derivatives of its switching functions, and the memory."""
        texts = [str(self._image())]
        if self.driver.large is None:
            texts.append(derivative_text(self.slopes, 1 + self.driver.order))
        return texts if self._radau is None else [*texts, _text(target, self._advance)]

    @staticmethod
    def objects() -> list[bytes]:
        """The kernels and the routines of stepping methods, which are the same for all systems, as WebAssembly."""
        target, written = wasm32(), cache.sources("codegen", "kernel", "integrate")
        parts = {
            "kernels": lambda: [text_of(*KERNELS, *CALLED, target=target)],
            "routines": lambda: [_text(target, Project, Dop853Advance, Dop853Inside)],
        }
        return [kept_object(made, cache.digest(__name__, name, written or "")) for name, made in parts.items()]

    def _image(self) -> Image:
        driver, m = self.driver, self.driver.m
        absent = [driver.work.record, m.log, m.counts, m.flips, m.occurred, m.times, m.timed]
        if self._radau is not None:
            absent += [m.increments.values, m.increments.offsets]
        image = image_of(driver, absent)
        sampling = Sampling(outputs=1)
        parts = (m, driver.w, driver.step, driver.low, driver.roots, driver.method.places, self.turns, sampling)
        image.add("inside_steps", driver.step)
        image.add("jumps", m.jumps)
        image.add("contacts", m.contacts)
        for name, part in zip(self.data, parts, strict=False):
            if name != "inside_steps":
                image.add(name, part)
        return image

    def about(self) -> dict[str, Any]:
        """What whoever runs the module is told of it: where fields of structs stand, in words of 8 bytes, and numbers."""
        driver = self.driver
        rows = [row for row in driver.pieces.system.rows if row.level == 0]
        structs = {
            "motion": Motion,
            "switches": Switches,
            "sampling": Sampling,
            "jumps": Jumps,
            "contacts": Contacts,
            "increments": Increments,
        }
        slots = ("increments", "offsets", "capacity")
        return {
            **{name: {field: at for field, (_, at) in fields(struct).items()} for name, struct in structs.items()},
            "arguments": {name: k for k, name in enumerate(ARGUMENTS)},
            "slots": {name: int(Slot[name]) for name in slots} if self._radau is not None else None,
            "longest": KEPT + MOST * driver.order,
            "counts": COUNTS,
            "fractions": len(driver.method.places),
            "roots": len(driver.roots.times),
            "drive": {int(status): status.name for status in Drive},
            "crossing": {int(found): found.name for found in Crossing},
            "decided": int(Selection.DECIDED),
            "undecided": {int(why): words for why, words in WORDS.items()},
            "contact": int(Selection.CONTACT),
            "contact_ends": {int(why): why.name for why in ContactEnd},
            "contact_words": {why.name: words for why, words in CONTACT_WORDS.items()},
            "crowded": [PILED, CROWDED],
            "growth": driver.settings.limits.growth,
            "hopeless": HOPELESS,
            "recent": RECENT,
            "constraints": [row.name for row in rows],
            "lying": [driver.pieces.given.lying.get(row.group, "") for row in rows],
        }


def image_of(driver: Driver, absent: Sequence[np.ndarray] = ()) -> Image:
    """An image for the memory of a driver, without its arrays that are `absent`; nothing is in it yet.

    Functions of the system have the names of `POINTERS`, those of the method its own.
    """
    stepper = driver.memory.stepper if isinstance(driver.memory, RadauMemory) else None
    steps = {k: None if kind is POINTER else name for k, (name, kind) in enumerate(ARGUMENTS.items())}
    dense = {k: None if kind is POINTER else name for k, (name, kind) in enumerate(Dop853Inside.takes.items())}
    addresses: dict[tuple[type, str], dict[int, str | None]] = {
        (Motion, "arguments"): steps,
        (Motion, "again_arguments"): steps,
        (StepFunctions, "arguments"): steps,
        (Motion, "dense_arguments"): dense,
        (Motion, "ints"): {int(Int64.table): None},
    }
    arrays = [*_arrays([driver.work, driver.memory, *driver._keep])]
    if driver.work.ahead is not None:
        arrays.append(driver.work.ahead.table)
    pointers = POINTERS | {(Motion, "advance"): Dop853Advance.name}
    if stepper is not None:
        kept = stepper.memory.arrays
        arrays += kept.values()
        called: dict[int, str | None] = {int(Slot.rhs): "rhs", int(Slot.tangent): "tangent"}
        addresses[Motion, "stepper"] = dict.fromkeys(map(int, kept), None) | called
        pointers[Motion, "advance"] = stepper.routine(cast(Native, driver.program.native))[0].name
    if not any(switch.kind == "turn" for switch in driver.pieces.switches):
        pointers[Switches, "across"] = None
    if driver.m.contacts.polyhedra.count == 0:
        pointers[Polyhedra, "evaluate"] = None
    return Image(pointers, arrays, addresses, absent)


def _text(target: Target, *routines: type[Routine]) -> str:
    """LLVM IR of routines; their parts have names that other things have elsewhere."""
    module, names = ir.Module("routines"), {routine.name for routine in routines}
    for routine in routines:
        routine.emit(module, target)
    for part in module.globals.values():
        if isinstance(part, ir.Function) and part.blocks and part.name not in names:
            part.linkage = "internal"
    return str(module)


def _arrays(item: Any) -> Iterator[np.ndarray]:
    """All arrays in memory that a driver keeps."""
    if isinstance(item, np.ndarray):
        yield item
    elif isinstance(item, (list, tuple)):
        for one in item:
            yield from _arrays(one)
    elif isinstance(item, dict):
        yield from _arrays(list(item.values()))
    elif isinstance(item, (Workspace, Dop853Memory, CollocationMemory, RadauMemory, Onto)):
        yield from _arrays(list(vars(item).values()))
