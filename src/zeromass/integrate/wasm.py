"""A motion as a module of WebAssembly: the same graph and the same kernels, for pages and for whatever else runs them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from zeromass.codegen.wasm import module_of, wasm32
from zeromass.compile.grid import tables
from zeromass.compile.program import Program
from zeromass.compile.rolled.program import RolledProgram
from zeromass.errors import shown
from zeromass.expression import Expression, Symbol
from zeromass.integrate.alone.memory import Count, Ready, Sizes
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.settings import Limits
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.model import Event, ModelError, State
from zeromass.model.collisions import without_collisions
from zeromass.model.given import given_all, given_array, given_finite, given_flag, given_kind, given_mapping, given_name

NOTE = "zeromass"
"""Name of the section that says what is in a module, as JSON."""

ARRAYS = ("reals", "ints", "counts", "parameters", "y", "slopes", "first", "noted")
"""Memory whose addresses a module shows."""

STEPPED = ("dop853", "radau")
"""Methods that a module may step with."""

VERSION = 1


def wasm(
    program: Program,
    start: State,
    *,
    outputs: Mapping[str, Any] | None = None,
    events: Sequence[Event] | None = None,
    until: float | None = None,
    project: bool = True,
    limits: Limits | None = None,
    field: tuple[Sequence[Symbol] | np.ndarray, Sequence[Expression]] | None = None,
    method: Literal["dop853", "radau"] = "dop853",
) -> bytes:
    """WebAssembly module of a program: right-hand side, start, integrator with events, samples.

    start    where motions begin; where it was made with formulas of zm.parameters, it is solved again in the module
    outputs  {name: expression or array of them} that motions are sampled for; by default the coordinates
    events   what is watched; by default what the system watches
    until    time up to which functions of time, such as short pulses, are bounded beforehand, so that no step misses them
    project  return to the constraints after each step
    limits   numbers at which a motion takes a decision, see `zm.Limits`
    field    three symbols X, Y, Z and expressions of them, of time and the parameters, such as the height of a surface
    method   of its steps: "dop853", or "radau" for stiff motions of systems that are not large

    The module asks for nothing, is complete in itself, and says in its section "zeromass" what it has; see the guide on
    WebAssembly for its interface. Steps are those of the method, with the bits of this machine's code where that works
    without fused operations. What the module can not do it says: choosing pivots anew, going on in a different mode of
    motion, or through a singular position.

    >>> theta, length = zm.coordinate("theta"), zm.parameter("length", 1.0)
    >>> pendulum = zm.System(kinetic=length**2 * zm.rate(theta) ** 2 / 2, potential=-9.81 * length * np.cos(theta))
    >>> start = pendulum.start({theta: 1.0})
    >>> module = zm.export.wasm(zm.compile(pendulum, start), start, outputs={"height": -length * np.cos(theta)})
    >>> module[:4], len(module) < 50_000
    (b'\\x00asm', True)
    """
    system = given_kind(program, Program, "program", "what zm.compile(system, start) gives").system
    if not isinstance(start, State) or start.system is not system:
        raise ModelError("the start belongs to another system; make it with system.start(…)")
    without_collisions(system, "a WebAssembly module")
    if system.pieces is not None:
        switches = [f"formulas of the system switch ('{switch.said!r}')" for switch in system.pieces.switches]
        switches += [f"'{one.name}' may open or slip" for one in system.unilaterals]
        raise ModelError(
            f"{switches[0]}, and one module has no driver for that; a page has, see run.view(…, sliders=…)"
        )
    if not isinstance(method, str) or method not in STEPPED:
        raise ModelError(f"a module does not step with method={shown(method)}; it does with: {', '.join(STEPPED)}")
    if method == "radau" and isinstance(program, RolledProgram):
        raise ModelError(
            "the system is large, and its linear systems of method='radau' are solved in Python alone; leave method=… out"
        )
    named = (
        dict(zip(system.names, system.coordinates, strict=True))
        if outputs is None
        else given_mapping(outputs, "outputs", "{name: expression}")
    )
    if field is not None and not (isinstance(field, tuple | list) and len(field) == 2):
        raise ModelError(f"field is {shown(field)}; it is a pair of symbols and of expressions of them")
    if limits is not None:
        given_kind(limits, Limits, "limits", "zm.Limits(…)")
    given_flag(project, "project")
    until = None if until is None else given_finite(until, "until")
    flat = {given_name(name, "an output"): given_array(e, f"the output '{name}'") for name, e in named.items()}
    alone = Alone(
        program,
        start,
        tuple(system.events if events is None else given_all(events, Event, "events", "a zm.Event")),
        tuple(e for array in flat.values() for e in array.ravel()),
        project,
        limits or Limits(),
        tuple(given_all(field[0], Symbol, "the symbols of a field", "a symbol")) if field is not None else (),
        tuple(given_all(field[1], Expression, "a field", "an expression")) if field is not None else (),
        until,
        stiff=method == "radau",
    )
    return module_bytes(alone, {name: list(array.shape) for name, array in flat.items()})


def module_bytes(alone: Alone, outputs: Mapping[str, list[int]], more: Mapping[str, Any] | None = None) -> bytes:
    """The module of a motion; `outputs` by their names and shapes, and what else it is to say of itself."""
    parts, grids = alone.texts(wasm32())
    arrays = {name: np.ascontiguousarray(x, dtype="<f8").tobytes() for g in grids for name, x in tables(g).items()}
    switching = alone.switching
    told = {"driver": switching.about()} if switching is not None else {}
    about = json.dumps({**described(alone, outputs), **told, **(more or {})})
    return module_of(
        parts,
        inlined=alone.routines,
        functions=alone.shown,
        data=(*ARRAYS, *(("judged", *switching.data) if switching else ())),
        tables=arrays,
        notes={NOTE: about.encode()},
        objects=() if switching is None else switching.objects(),
    )


def switched_modules(motion: Pieced, outputs: Mapping[str, list[int]]) -> tuple[list[bytes], dict[str, Any]]:
    """The modules of a motion over switches, one for each choice of pivots, and what whoever runs them is told."""
    motion.check()
    return [module_bytes(alone, outputs, more) for alone, more in motion.modules()], motion.told()


def described(alone: Alone, outputs: Mapping[str, list[int]]) -> dict[str, Any]:
    """What a module says of itself: names, sizes, and what stands where."""
    sizes: Sizes = alone.sizes
    return {
        "version": VERSION,
        "t": alone.start.t,
        "coordinates": list(alone.program.system.names),
        "parameters": [
            {"name": p.name, "value": value} for p, value in zip(alone.parameters, alone.values, strict=True)
        ],
        "solved": alone.solved,
        "events": [
            {"name": e.name, "terminal": e.terminal, "guard": e.guard, "message": e.message} for e in alone.events
        ],
        "outputs": [{"name": name, "shape": shape} for name, shape in outputs.items()],
        "values": sizes.outputs,
        "field": sizes.field,
        "row": sizes.row,
        "head": sizes.head,
        "reals": {place.name: int(place) for place in Real64},
        "ints": {place.name: int(place) for place in Int64},
        "counts": {place.name: int(place) for place in Count},
        "status": {status.name: int(status) for status in (*Status, *Ready)},
    }
