"""A particle that flies, slides and rests, for a driver outside Python: its kinds, and what decides between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeromass.contact.bouncing import RESTED
from zeromass.contact.friction import SPEED, at_speed
from zeromass.contact.traced import PLACE
from zeromass.expression import Expression, as_expression, symbols
from zeromass.model import State, System
from zeromass.model.changing import Changing

if TYPE_CHECKING:
    from zeromass.contact.sliding import Sliding


def changing(sliding: Sliding) -> Changing | None:
    """The kinds of a particle before its surfaces; None where formulas of them switch."""
    rubs, walls = sliding.friction_coefficient is not None, range(len(sliding.walls))
    kinds: dict[str, System] = {"flying": sliding}
    kinds |= {f"{k} sliding": sliding.touching(k) for k in walls}
    if rubs:
        kinds |= {f"{k} resting": sliding.touching(k, holds=True) for k in walls}
    if any(system.pieces is not None for system in kinds.values()):
        return None
    kinetic = sliding.kinetic_coefficient
    varies = isinstance(kinetic, Expression) and SPEED in symbols(kinetic)
    return Changing(
        kinds,
        {name: _judged(sliding, name, system) for name, system in kinds.items()},
        _carried,
        (),
        (),
        (RESTED,),
        driver="sliding",
        named=lambda system: next((name for name, kind in kinds.items() if kind is system), system.kind),
        more={
            "shown": {name: system.kind for name, system in kinds.items()},
            "walls": [wall.strikes for wall in sliding.walls],
            "varies": varies,
        },
        place=(SPEED, *PLACE[1:]) if varies else (),
        fields=(as_expression(kinetic),) if varies else (),
    )


def _judged(sliding: Sliding, name: str, system: System) -> dict[str, list[Expression]]:
    """What decides in one kind: where surfaces are, in flight, and whether friction holds, on one of them."""
    if name == "flying":
        return _near(sliding)
    found: dict[str, list[Expression]] = {}
    if name.endswith("resting"):
        found["lack"] = [sliding.lack_of_friction(sliding.walls[int(name.split()[0])])]
    return found if system.stiff is None else {**found, "stiff": [system.stiff]}


def _near(sliding: Sliding) -> dict[str, list[Expression]]:
    """The particle beside each of its surfaces, see `walls.Near`, and what its strokes are made of."""
    static, kinetic, m = sliding.friction_coefficient, sliding.kinetic_coefficient, sliding.particle.mass
    limits = [] if static is None or kinetic is None else [static, at_speed(kinetic, 0.0)]
    found = {
        "near": [e for wall in sliding.walls for e in wall.numbers],
        "off": [e for wall in sliding.walls for e in wall.off],
        "a": list(sliding.Q / m),
        "solid": [m, sliding.restitution, sliding.creep, sliding.least_bounce],
        "limits": limits,
    }
    return {name: [as_expression(e) for e in some] for name, some in found.items()}


def _carried(state: State, system: System) -> State:
    """A state as one of another kind."""
    return state if state.system is system else state.carried_to(system)
