"""What is large in a run, and in which unit a coordinate counts: for axes that show noise as noise, and m beside rad."""

from __future__ import annotations

import re

import numpy as np

from zeromass.expression import Expression, Symbol
from zeromass.expression.tidy import Tidy
from zeromass.integrate import Course
from zeromass.model import RigidBody, System

NOISE = 1e-9
"""Part of what is large below which a change is noise, unless the run is less exact than that."""

GROWN, SEEN = 1e3, 1e-4
"""Times that errors of a step may have grown in a run of which nothing else is known, and what is never noise."""

_ANGLES = re.compile(r"(theta|phi|psi|alpha|beta|gamma|delta|[θφψαβγδ])(_?\w*)?|angle.*|.*_angle")
"""Names that angles have."""

READ = 4000
"""Operations of a system's formulas in which angles are looked for."""


def scales(run: Course) -> dict[str, float]:
    """The largest force, length, torque, … of a run by unit, as far as its quantities tell; of a pure number, 1."""
    quantities, found = run.system.quantities, {"1": 1.0}
    times = run.t[:: max(1, len(run) // 200)]
    sampled = run.at(times)

    def largest(name: str) -> float:
        return float(np.nanmax(np.abs(sampled[quantities[name].expression]), initial=0.0))

    if "energy" in quantities:
        found["J"] = max(largest(name) for name in ("energy", "kinetic", "potential") if name in quantities)
    if "normal force" in quantities:
        ground = run.system.drawing_at(run.parameters).ground
        extent = 1.0 if ground is None else ground.extent
        found["N"] = largest("normal force")
        found["N m"] = found["N"] * extent
        center = quantities["center"].expression
        if len(times) > 1:
            moved = np.abs(np.diff(sampled[center], axis=0)).max(initial=0.0) / max(
                np.abs(np.diff(times)).max(), 1e-300
            )
            found["rad/s"] = moved / extent
    return found


def noise(run: Course) -> float:
    """The part of what is large below which a change may be an error of the run."""
    known = run.__dict__.get("_certificate")
    worst = known.errors.worst if known is not None else GROWN * run.settings.rtol
    return float(min(max(NOISE, worst), SEEN))


def units(system: System) -> dict[Symbol, str]:
    """The unit of each coordinate: m of parts, rad of what sines are taken of or is called an angle, 1 of quaternions.

    Nothing, "", of a coordinate that tells neither.
    """
    found: dict[Symbol, str] = {}
    for part in system.parts:
        found |= dict.fromkeys(part.position, "m")
        if isinstance(part, RigidBody):
            found |= dict.fromkeys(part.quaternion, "1")
    turned = _turned(system)
    for x in system.coordinates:
        if x not in found:
            angle = x in turned or _ANGLES.fullmatch(x.name.rpartition(".")[2])
            found[x] = "rad" if angle else ""
    return found


def unit_of(system: System, e: Expression) -> str:
    """The unit of a coordinate, its rates, and quantities that the system names; nothing, "", of other formulas."""
    if not isinstance(e, Symbol) or e.kind != "coordinate":
        known = {q.expression: q.unit for q in system.quantities.values() if isinstance(q.expression, Expression)}
        return known.get(e, "")
    unit = next((unit for x, unit in units(system).items() if (x.name, x.token) == (e.name, e.token)), "")
    return unit + ("", "/s", "/s²")[e.order] if unit and e.order <= 2 else ""


def _turned(system: System) -> set[Symbol]:
    """Coordinates that stand in sines and cosines as they are, beside others and constants."""
    from zeromass.expression.node import ordered

    formulas = [*system.M.ravel(), *system.Q, *[row.zero for row in system.rows]]
    nodes = ordered(formulas)
    if len(nodes) > READ:
        return set()
    found: set[Symbol] = set()
    board, coordinates = Tidy(), set(system.coordinates)
    for node in nodes:
        if node.op in ("sin", "cos"):
            for factors, c in board(node.args[0]):
                leaves = [board.atoms[i].leaf for i, k in factors if k == 1]
                if abs(c) == 1.0 and len(factors) == len(leaves) == 1 and leaves[0] in coordinates:
                    found.add(leaves[0])  # type: ignore[arg-type]
    return found
