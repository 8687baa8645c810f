"""What constraints look like: rods, ropes, joints, floors, surfaces, rails, rings, and the shapes of bodies that touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from zeromass.expression import Expression, Symbol, derivative, evaluate, expressions, gradient, substitute, symbols
from zeromass.expression.build import ZERO
from zeromass.model.constraint import Row
from zeromass.model.drawing import Drawing, DrawnBody, Floor, Ground, Joint, Link
from zeromass.model.parts import Particle, RigidBody
from zeromass.model.picture.inertia import Placed, inside
from zeromass.model.picture.owners import Owners
from zeromass.model.picture.points import Place
from zeromass.model.picture.terms import Distance, distance, still, terms, total
from zeromass.model.picture.touching import of_contact, places
from zeromass.model.shapes import Ring

ROPES = ("rope", "string", "cable", "wire", "thread", "cord", "winch", "chain", "tether")
ROUND = ("sphere", "ball", "globe", "dome", "bowl", "surface", "hoop", "ring", "wire hoop", "circle")
"""Words in the name of a constraint by which one tells a rope from a rod, and a sphere from a rod to its middle: the
formula is the same."""


@dataclass
class Held:
    """What was found in constraints: a drawing, better shapes of bodies, and distances between points of no part."""

    drawing: Drawing = field(default_factory=Drawing)
    shapes: dict[RigidBody, Placed] = field(default_factory=dict)
    flat: list[tuple[str, str, Place, Place]] = field(default_factory=list)
    finished: frozenset[RigidBody] = frozenset()

    def add(self, **found: object) -> None:
        self.drawing = self.drawing + Drawing(**found)  # type: ignore[arg-type]


def held(
    rows: Sequence[Row],
    owners: Owners,
    shapes: Mapping[RigidBody, Placed],
    parameters: Mapping[Symbol, float],
    finished: Iterable[RigidBody] = (),
) -> Held:
    """What constraints at position level look like; bodies that are `finished` need no arms to their joints."""
    found = Held(shapes=dict(shapes), finished=frozenset(finished))
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row.level == 0 and not _is_quaternion(row, owners):
            groups.setdefault(row.group, []).append(row)
    levels: dict[Particle, list[Row]] = {}
    for group in groups.values():
        if _coincidence(found, group, owners, parameters):
            continue
        for row in group:
            kept = distance(row.zero)
            if kept is not None:
                _distance(found, row, kept, owners, rows, parameters)
            else:
                _surface(found, row, owners, parameters, levels)
    for part, planes in levels.items():
        _planes(found, part, planes, parameters)
    return found


def _is_quaternion(row: Row, owners: Owners) -> bool:
    """Whether it is the norm that comes with a body."""
    parts = owners.of(row.zero)
    return bool(parts and len(parts) == 1 and owners.axis(row.zero) is None and isinstance(parts[0], RigidBody)
                and not any(leaf in set(parts[0].position) for leaf in symbols(row.zero)))  # fmt: skip


# points that coincide --------------------------------------------------------------------------------------------------
def _coincidence(found: Held, group: list[Row], owners: Owners, parameters: Mapping[Symbol, float]) -> bool:
    """Three rows that say that two points are one; False if they are no such rows."""
    if len(group) != 3:
        return False
    ends = owners.ends([row.zero for row in group])
    if ends is None:
        return False
    part, p, q = ends
    others = owners.of(*q) or []
    both = [part, *[other for other in others if other is not part]]
    bodies = [one for one in both if isinstance(one, RigidBody)]
    massless = [one for one in both if isinstance(one, Particle) and _number(one.mass, parameters) == 0.0]
    at = {part: p} | dict.fromkeys(others, q)
    if massless:
        for body in bodies:
            s = places(body, at[body], parameters)
            placed = of_contact(s) if len(s) > 3 and np.ptp(s, axis=0).max() > 1e-9 * np.abs(s).max() else None
            if placed is not None:
                found.shapes[body] = placed
        return True
    if not bodies and len(both) < 2:
        return True
    for body in bodies:
        if body not in found.finished:
            arm(found, body, at[body], parameters)
    fixed = not others and not any(leaf.kind == "time" for leaf in symbols(*q))
    found.add(joints=(Joint("support" if fixed else "ball", group[0].group, p),))
    return True


def arm(found: Held, body: RigidBody, point: np.ndarray, parameters: Mapping[Symbol, float]) -> None:
    """A rod from the mass centre to a point of a body that lies outside its shape."""
    s = places(body, point, parameters, 4)
    placed = found.shapes.get(body)
    fixed = len(s) == 4 and np.abs(s).max() > 0 and np.ptp(s, axis=0).max() <= 1e-9 * np.abs(s).max()
    if fixed and (placed is None or not inside(placed, s[0])):
        found.add(links=(Link("rod", body.name, body.position, point),))


# distances ---------------------------------------------------------------------------------------------------------------
def _distance(
    found: Held, row: Row, kept: Distance, owners: Owners, rows: Sequence[Row], parameters: Mapping[Symbol, float]
) -> None:
    word = row.group.lower()
    moving = any(leaf.kind == "time" for leaf in symbols(kept.length))
    kind = "rope" if moving or any(rope in word for rope in ROPES) else "rod"
    if owners.of(*kept.d) is None:
        p, q = _split(kept.d)
        found.flat.append((kind, row.group, p, q))
        return
    ends = owners.ends(kept.d)
    if ends is None:
        return
    part, p, q = ends
    if any(name in word for name in ROUND) and isinstance(part, Particle) and all(still(e) for e in q):
        _round(found, row, kept, part, q, rows, parameters)
    else:
        found.add(links=(Link(kind, row.group, q, p),))
        if all(still(e) for e in q):
            found.add(joints=(Joint("ball" if symbols(*q) else "support", row.group, q),))


def _split(d: Sequence[Expression]) -> tuple[Place, Place]:
    """p and q with d = p − q: what is added moves one end, what is taken away the other, and so do numbers."""
    p, q = [], []
    for e in d:
        listed = list(terms(e))
        mine = [(f, x) for f, x in listed if not still(x) and (f.value is None or f.value > 0)]
        p.append(total(mine))
        q.append(-total(term for term in listed if term not in mine))
    if not any(leaf.kind == "coordinate" for e in p for leaf in symbols(e)):
        return tuple(-e for e in q), tuple(-e for e in p)
    return tuple(p), tuple(q)


def _round(
    found: Held,
    row: Row,
    kept: Distance,
    part: Particle,
    q: np.ndarray,
    rows: Sequence[Row],
    parameters: Mapping[Symbol, float],
) -> None:
    """A sphere about q, or the ring that a plane through its middle cuts out of it."""
    length = kept.length if kept.rooted else np.sqrt(kept.length)
    radius = _number(length, parameters)
    if radius is None or not radius > 0:
        return
    for other in rows:
        normal = gradient(other.zero, part.position)
        moves = [leaf for leaf in symbols(other.zero) if leaf.kind == "coordinate"]
        if other is row or not set(moves) <= set(part.position) or not all(still(e) for e in normal):
            continue
        if substitute(other.zero, dict(zip(part.position, q, strict=True))) is ZERO:
            n = normal / np.sqrt(normal @ normal)
            u = expressions([1 + n[2], -n[1], n[0], ZERO])
            ring = Ring(radius, 0.02 * radius)
            found.add(bodies=(DrawnBody(row.group, q, u / np.sqrt(u @ u), ring, scenery=True),))
            return
    X = _symbols()
    f = X @ X - length**2
    ground = Ground(row.group, f, X, q, None, 1, None, None, expressions(part.position - q), 0.06 * radius)
    found.add(ground=ground)


# surfaces ----------------------------------------------------------------------------------------------------------------
def _surface(
    found: Held, row: Row, owners: Owners, parameters: Mapping[Symbol, float], levels: dict[Particle, list[Row]]
) -> None:
    """A row on the position of one particle: a surface, or a plane, which is looked at beside others that hold it."""
    parts = owners.of(row.zero)
    part = parts[0] if parts and len(parts) == 1 else None
    if not isinstance(part, Particle):
        return
    normal = gradient(row.zero, part.position)
    flat, timed = all(still(e) for e in normal), any(leaf.kind == "time" for leaf in symbols(row.zero))
    if flat and not timed:
        levels.setdefault(part, []).append(row)
    elif not flat or (normal[2] is not ZERO and not _level(normal)):
        _ground(found, row, part)


def _planes(found: Held, part: Particle, planes: list[Row], parameters: Mapping[Symbol, float]) -> None:
    """Planes that hold one particle: one is a floor or a slope, two are a rail along their line, three hold it still."""
    normals = [gradient(row.zero, part.position) for row in planes]
    if any(expressions(np.cross(a, b) @ c).item() is not ZERO for a, b, c in combinations(normals, 3)):
        found.add(joints=(Joint("support", planes[0].group, expressions(part.position)),))
        return
    lines = (expressions(np.cross(a, b)) for a, b in combinations(normals, 2))
    rail = next((along for along in lines if not all(e is ZERO for e in along)), None)
    for row, normal in zip(planes, normals, strict=True):
        if not _level(normal):
            if normal[2] is not ZERO:
                _ground(found, row, part)
        elif rail is None:
            z = part.position[2]
            height = _number(z - row.zero / normal[2], {**parameters, z: 0.0})
            if height is not None:
                found.add(floor=Floor(row.group, height))
    if rail is not None:
        found.add(links=(Link("rail", planes[0].group, part.position, rail),))


def _level(normal: np.ndarray) -> bool:
    return normal[0] is ZERO and normal[1] is ZERO


def _ground(found: Held, row: Row, part: Particle) -> None:
    X = _symbols()
    f = substitute(row.zero, dict(zip(part.position, X, strict=True)))
    flip = derivative(f, X[2])
    side = -1 if flip.value is not None and flip.value < 0 else 1
    shift = expressions(np.zeros(3))
    found.add(ground=Ground(row.group, f, X, shift, None, side, None, None, expressions(part.position), 0.0))


def _symbols() -> np.ndarray:
    from zeromass.expression import coordinate

    result = np.empty(3, dtype=object)
    result[:] = [coordinate(name) for name in "XYZ"]
    return result


def _number(e: object, parameters: Mapping[Symbol, float]) -> float | None:
    """Its value, or None where it has none without a state."""
    formula = expressions(e).item()
    if any(leaf.kind not in ("parameter",) and leaf not in parameters for leaf in symbols(formula)):
        return None
    value = float(evaluate(formula, dict(parameters)))
    return value if np.isfinite(value) else None
