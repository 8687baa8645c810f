"""A motion of a large system over switches that needs no Python: its program, and what a driver in JavaScript is told of it.

Python evaluates what the driver asks for of large systems, see `zeromass.integrate.hybrid.large`, which a page has not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zeromass.compile.program import program_at
from zeromass.expression import expressions
from zeromass.integrate.alone.judging import Judging
from zeromass.integrate.alone.module import Alone
from zeromass.integrate.hybrid.guard_functions import HOLD, LOW, SWITCH, GuardFunctions, LookedAt, place_of
from zeromass.model import Event

if TYPE_CHECKING:
    from zeromass.integrate.alone.pieced import Pieced


def large_modules(motion: Pieced) -> list[tuple[Alone, dict[str, Any]]]:
    """The code of the program, for all modes, and what the driver is told of it."""
    pieces, settings, watched = motion.pieces, motion.settings, GuardFunctions(motion.pieces, motion.events, 1.0)
    program = program_at(pieces.system, motion.moving)
    outputs = pieces.acting(list(motion.outputs)) if motion.outputs else expressions([])
    judging, names = Judging(pieces, program), [event.name for event in watched.events]
    followed = [event.zero for event in watched.events if not event.name.startswith((LOW, HOLD))]
    alone = Alone(
        program,
        motion.moving,
        watched.events,
        tuple(expressions(outputs).ravel()),
        settings.project,
        settings.limits,
        motion.place,
        motion.fields,
        motion.until,
        driven=True,
        followed=tuple(followed),
        directions=tuple(int(d) for d in LookedAt(watched.events).directions),
        judged=tuple(e for part in judging.parts.values() for e in part),
        deeper=tuple(e for some in judging.deeper.values() for e in some.values()),
    )
    told = {
        "watched": [_told(event) for event in watched.events],
        "bent": [names.index(name) for name in watched.unseen(program)],
    }
    return [(alone, told | judging.told())]


def large_told(motion: Pieced, found: Mapping[str, Any]) -> dict[str, Any]:
    """What the driver is told of the switches beside what every page is."""
    pieces, energies = motion.pieces, motion.pieces.energies[0]
    switches = [
        {
            **found["switches"][k],
            "time": k in pieces.of_time,
            "rates": pieces.of_rates[k],
            "place": pieces.of_place[k],
            "energy": k in pieces.parts["energies"],
            "turn": motion.start.turns.get(switch.mode),
        }
        for k, switch in enumerate(pieces.switches)
    ]
    return {
        **found,
        "switches": switches,
        "nested": pieces.nested,
        "timeless": pieces.timeless,
        "energies": {"all": energies.index("energy") if "energy" in energies else 0}
        | {"steps": energies.index("potential" if "potential" in energies else "energy") if energies else 0},
    }


def _told(event: Event) -> dict[str, Any]:
    """What is watched, as the driver reads it."""
    own = {SWITCH: "switch", LOW: "low", HOLD: "hold"}
    kind = next((word for begin, word in own.items() if event.name.startswith(begin)), "event")
    if kind != "event":
        k, j = place_of(event.name)
        return {"is": kind, "k": k, "j": j, "direction": event.direction, "terminal": event.terminal}
    more = {"direction": event.direction, "terminal": event.terminal, "guard": event.guard, "message": event.message}
    return {"is": kind, "name": event.name, **more}
