"""Reset maps, in kernels: what jumps where a motion crosses a switch, nothing, rates, or what can not jump."""

from __future__ import annotations

from zeromass.integrate.hybrid.memory import Crossing, Jumps
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.hybrid.tolerances import SMALL
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Ints, Reals, kernel

LOCATED = 1e-12
"""Time by which a switch may be off, relative to 1 and to the time itself: what changes within it does not jump."""

LEAST_RATE = 1e-3
"""Sum of the terms of a constraint's rate, below which its jump is compared with this."""


@kernel
def largest(x: Reals) -> float:
    """The largest size of some numbers."""
    found = 0.0
    for i in range(len(x)):
        found = max(found, abs(x[i]))
    return found


@kernel
def concerned(j: Jumps, which: Ints) -> bool:
    """Whether one of the switches that have changed is among some."""
    found = False
    for k in range(len(j.changed)):
        found = found or (j.changed[k] != 0 and which[k] != 0)
    return found


@kernel
def constraint_jump(j: Jumps, y: Reals, late: float) -> int:
    """What becomes of the constraints: NOTHING, IMPULSE, or CONSTRAINT."""
    n, first = len(y) // 2, j.places
    within = SMALL * max(1.0, largest(y[:n]))
    found = int(Crossing.NOTHING)
    for i in range(j.places):
        at = first + j.rate[i]
        jump = j.after[i] - j.before[i]
        j.jumped[i] = 1 if abs(jump) > within + abs(j.after[at] - j.before[at]) * late else 0
        if j.jumped[i] != 0:
            found = int(Crossing.CONSTRAINT)
    if found != int(Crossing.NOTHING):
        return found
    for i in range(j.rates):
        terms = j.after[first + j.rates + i]
        if not abs(j.after[first + i] - j.before[first + i]) <= SMALL * max(LEAST_RATE, terms):
            return int(Crossing.IMPULSE)
    return int(Crossing.NOTHING)


@kernel
def mass_jumps(j: Jumps) -> bool:
    """Whether the momentum of the same rates is another one."""
    first = j.places + 2 * j.rates
    change = 0.0
    for i in range(first, first + j.masses):
        change = max(change, abs(j.after[i] - j.before[i]))
    return change > SMALL * largest(j.before[first : first + j.masses])


@kernel(lazy=True)
def energy_jumps(w: Switches, j: Jumps, y: Reals, values: Reals, late: float) -> bool:
    """Whether the energy is higher on one side of switches that depend on the place, by j.size."""
    n, first = len(y) // 2, j.places + 2 * j.rates + j.masses
    for k in range(len(w.kind)):
        if j.changed[k] != 0 and j.of_place[k] != 0:
            j.modes[w.mode[k]] = values[w.mode[k]]
    j.evaluate(w.clock, y, j.modes, j.after)
    slack, most = 0.0, 0.0
    for i in range(n):
        force = abs(j.before[first + j.energies + i]) + abs(j.after[first + j.energies + i])
        slack, most = slack + force * abs(y[n + i]), max(most, force)
    j.size = j.after[first] - j.before[first]
    total = largest(j.before[first : first + j.energies]) + largest(j.after[first : first + j.energies])
    return abs(j.size) > max(SMALL * total, late * (slack + most * largest(y[:n])))


@kernel
def strike(s: StepFunctions, j: Jumps, t: float, y: Reals) -> bool:
    """y ← the same positions with the rates nearest to it that the constraints ask for: whether there are any."""
    n, a = len(y) // 2, s.arguments
    if not j.strikes:
        return False
    s.row[1:] = y
    for _ in range(2):
        s.row[0] = t
        s.project(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
    for i in range(n):
        y[n + i] = s.row[1 + n + i]
    return True


@kernel
def reset(w: Switches, j: Jumps, y: Reals, values: Reals) -> int:
    """What a change from the modes j.modes to those of `values` does to a state: NOTHING, IMPULSE, or what can not jump."""
    late, found = LOCATED * max(1.0, abs(w.clock[0])), int(Crossing.NOTHING)
    structure, energies = concerned(j, j.of_constraints), concerned(j, j.of_energies)
    massive = concerned(j, j.of_masses)
    if not (structure or massive or energies):
        return found
    j.evaluate(w.clock, y, j.modes, j.before)
    j.evaluate(w.clock, y, values, j.after)
    if structure:
        found = constraint_jump(j, y, late)
        if found == int(Crossing.CONSTRAINT):
            return found
    if massive and mass_jumps(j):
        return int(Crossing.MASS)
    if energies and energy_jumps(w, j, y, values, late):
        return int(Crossing.ENERGY)
    return found
