"""The picture of a system that says nothing special of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Expression, Symbol, as_expression, evaluate, symbols
from zeromass.expression.build import ZERO
from zeromass.model.drawing import Arrow, Drawing, DrawnBody, Joint, Link, Trail
from zeromass.model.parts import Part, RigidBody
from zeromass.model.picture.charts import CROWD, MANY, some, usual_charts
from zeromass.model.picture.colliders import collision_figures
from zeromass.model.picture.frames import Attachment, attachments, ends_of, frames
from zeromass.model.picture.held import Held, arm, held
from zeromass.model.picture.inertia import Placed, of_inertia
from zeromass.model.picture.owners import Owners, nothing
from zeromass.model.picture.points import Found, Place, Sampled, bases, in_space, long_as, points_in, rigid, upwards
from zeromass.model.picture.terms import distance, squared, terms
from zeromass.model.shapes import Rod, Wheel

if TYPE_CHECKING:
    from zeromass.model.system import System

AXLE, TYRE = 0.025, 0.12
"""Radius of an axle as a part of its length, and width of a wheel as a part of its radius."""

FORCES = 12
"""Most parts whose forces are drawn."""


def picture(system: System, parameters: Mapping[Symbol, float]) -> Drawing:
    """All that is drawn of a system, with values of parameters in its sizes; see `zeromass.model.picture`."""
    owners = Owners(system.parts)
    connections = [joint for joint in getattr(system, "joints", ()) if _tells(joint)]
    attached = {joint: attachments(joint, parameters) for joint in connections if not hasattr(joint, "looks")}
    said = _said(system, connections, attached)
    told = {row.name for joint in connections for row in joint.rows}
    rows = [row for row in system.rows if row.name not in told]
    bodies = [part for part in system.parts if isinstance(part, RigidBody)]
    shapes = {body: placed for body in bodies if (placed := _shape(body, parameters)) is not None}
    own_looks = dict.fromkeys(body for body in bodies if getattr(body, "looks", None))
    wheels = _wheeled(connections, parameters)
    heavy = [body for body in bodies if _heavy(body, parameters)]
    joined = [Attachment(body, body.point(place), place) for body in heavy for place in body.joined_at]
    ends = [one for some in (joined, *attached.values()) for one in some if one.body not in own_looks]
    tubes = frames(shapes, [one for one in ends if one.body not in wheels])
    figures = collision_figures(system.colliders)
    tubes |= {body: some for body, some in figures.items() if body not in own_looks and body not in wheels}
    found = held(rows, owners, shapes | wheels, parameters, own_looks)
    for body in tubes:
        found.shapes.pop(body, None)
    for one in ends:
        if one.body not in tubes:
            arm(found, one.body, one.point, parameters)
    own = _own_points(system, owners, found, parameters)
    springs = [link for link in _springs(system, owners) if not any(_same(link, other) for other in said.links)]
    traced = system.parts if len(system.parts) <= CROWD else some(system.parts)
    parts = Drawing(
        title=_title(system.parts),
        bodies=tuple(body for part in system.parts for body in _drawn(part, found.shapes, tubes)),
        trails=tuple(Trail(part.name, part.position) for part in traced),
        arrows=_forces(system, parameters),
        charts=usual_charts(system),
        links=tuple(springs),
    )
    return parts + found.drawing + own + said


def _title(parts: Sequence[Part]) -> str:
    """The names of a few parts, or how many there are."""
    if len(parts) > CROWD:
        kinds = {isinstance(part, RigidBody) for part in parts}
        return f"{len(parts)} {'parts' if len(kinds) > 1 else 'bodies' if True in kinds else 'particles'}"
    return ", ".join([part.name for part in parts[:MANY]] + ["…"] * (len(parts) > MANY)) or "Motion"


def _tells(joint: Any) -> bool:
    """Whether a joint says itself how it is drawn, or is more than one formula that tells it."""
    return len(joint.rows) > 1 or hasattr(joint, "looks") or hasattr(joint, "tension")


def _wheeled(connections: Sequence[Any], parameters: Mapping[Symbol, float]) -> dict[Any, Any]:
    """Bodies on wheels: one that is a wheel, as large as it rolls; of two wheels, the axle between them."""
    found: dict[RigidBody, Placed] = {}
    for body, wheels in _wheels(connections, parameters).items():
        (a, radius, axis), (b, *_) = wheels[0], wheels[-1]
        far = float(np.linalg.norm(b - a))
        if len(wheels) == 1 and np.linalg.norm(a) <= 1e-9 * radius:
            found[body] = Placed(Wheel(radius, TYRE * radius, axis))
        elif len(wheels) == 2 and far > 0:
            along = tuple(((b - a) / far).tolist())
            found[body] = Placed(Rod(far, AXLE * far, along), middle=tuple(((a + b) / 2).tolist()))  # type: ignore[arg-type]
    return found


def _wheels(connections: Sequence[Any], parameters: Mapping[Symbol, float]) -> dict[RigidBody, list[Any]]:
    """Centre, radius and axis of the wheels of each body, numbers in its axes; without those that are no numbers."""
    found: dict[RigidBody, list[Any]] = {}
    for joint in connections:
        radius = getattr(getattr(joint, "rim", joint), "radius", None)
        if radius is None or not hasattr(joint, "contact") or not isinstance(joint.b.body, RigidBody):
            continue
        sizes = [as_expression(e) for e in (radius, *joint.b.place)]
        if set(symbols(*sizes)) <= set(parameters):
            r, *place = (float(evaluate(e, dict(parameters))) for e in sizes)
            found.setdefault(joint.b.body, []).append((np.array(place), r, tuple(map(float, joint.b.axes[:, 2]))))
    return found


def _said(system: System, connections: Sequence[Any], attached: Mapping[Any, Sequence[Attachment]]) -> Drawing:
    """What parts, loads and joints say of themselves in `looks`; of a joint that does not, what its point and axis tell."""
    whole = Drawing()
    for thing in (*system.parts, *system.loads):
        looks = getattr(thing, "looks", None)
        whole = whole + looks if isinstance(looks, Drawing) else whole
    for joint in connections:
        looks, point, axis = (getattr(joint, name, None) for name in ("looks", "point", "axis"))
        if looks is not None:
            whole = whole + looks
        elif hasattr(joint, "tension") and len(ends_of(joint)) == 2:
            a, b = ends_of(joint)
            kind = "rope" if hasattr(joint, "slack") else "rod"
            whole = whole + Drawing(links=(Link(kind, joint.name, a.point, b.point),))
        elif point is not None and not hasattr(joint, "contact"):  # a wheel is seen
            point = next((one.point for one in attached[joint] if one.body is joint.a.body), point)
            slides = hasattr(joint, "displacement") and not hasattr(joint, "angle")
            kind = "ball" if axis is None else "slider" if slides else "hinge"
            whole = whole + Drawing(joints=(Joint(kind, joint.name, point, axis),))
    return whole


def _same(a: Link, b: Link) -> bool:
    """Whether two links join the same points."""
    ends = [(tuple(link.a), tuple(link.b)) for link in (a, b)]
    return ends[0] in (ends[1], ends[1][::-1])


def _shape(body: RigidBody, parameters: Mapping[Symbol, float]) -> Placed | None:
    """The shape of a rigid body from its inertia."""
    values = [float(evaluate(e, dict(parameters))) for e in (body.mass, *body.inertia.ravel())]
    return of_inertia(values[0], np.array(values[1:]).reshape(3, 3))


def _heavy(part: Part, parameters: Mapping[Symbol, float]) -> bool:
    """Whether a part has mass."""
    return float(evaluate(part.mass, dict(parameters))) > 0


def _drawn(part: Part, shapes: Mapping[Any, Placed], tubes: Mapping[Any, list[Placed]]) -> list[DrawnBody]:
    """A part in the shapes that it says it has (`looks`, each with `shape`, `turn` and `place`), else in those found."""
    if not isinstance(part, RigidBody):
        return [DrawnBody(part.name, part.position, part=part)]
    looks = getattr(part, "looks", ())
    own = [] if isinstance(looks, Drawing) else [Placed(look.shape, look.turn, look.place) for look in looks]
    own = own or tubes.get(part, [])
    if not own and part not in shapes:
        if not len(part.coordinates):
            return []  # a link without mass that only carries others
        return [DrawnBody(part.name, part.position, part.quaternion, part=part)]
    return [
        DrawnBody(part.name, part.position, part.quaternion, made.shape, part, made.turn, made.middle)
        for made in own or [shapes[part]]
    ]


def _forces(system: System, parameters: Mapping[Symbol, float]) -> tuple[Arrow, ...]:
    """Applied and constraint force on each part that has mass, at its mass centre; forces act on coordinates, and so on
    parts that have their own."""
    own = set(system.coordinates)
    placed = [part for part in system.parts if own.issuperset(part.position)]
    heavy = [part for part in placed if _heavy(part, parameters)]
    if len(heavy) > FORCES:
        return ()
    arrows = []
    kept = {name for part in system.parts for name in part.constraints}
    bound = any(row.group not in kept for row in system.rows)
    for part in heavy:
        applied = system.Q[[system.index(x) for x in part.position]]
        if not nothing(applied):
            arrows.append(Arrow(f"applied force on {part.name}", part.position, applied, "applied"))
        if bound:
            force = system.reaction.on(part.position)
            arrows.append(Arrow(f"constraint force on {part.name}", part.position, force, "constraint"))
    return tuple(arrows)


def _springs(system: System, owners: Owners) -> list[Link]:
    """Springs in the potential energy: k (|a − b| − l)²/2."""
    found = []
    for _, e in terms(_energy(system, "potential")):
        base = squared(e)
        kept = None if base is None else distance(base)
        ends = None if kept is None or not kept.rooted else owners.ends(kept.d)
        if ends is not None:
            found.append(Link("spring", "spring", ends[2], ends[1]))
    return found


def _energy(system: System, name: str) -> Expression:
    try:
        return getattr(system, name)
    except ModelError:
        return ZERO


# coordinates that belong to no part ----------------------------------------------------------------------------------
def _own_points(system: System, owners: Owners, found: Held, parameters: Mapping[Symbol, float]) -> Drawing:
    placed = set(symbols(*[e for part in system.parts for e in (*part.position, *getattr(part, "quaternion", ()))]))
    mine = [x for x in system.coordinates if not owners.owns(x) and x not in placed]
    if not mine:
        return Drawing()
    known = points_in(_energy(system, "kinetic"), mine)
    links: list[tuple[str, str, Place, Place]] = list(found.flat)
    for _, _, *ends in links:
        for end in ends:
            moving = [leaf for e in end for leaf in symbols(e) if leaf.kind == "coordinate"]
            if moving and not any(point.place == end for point in known):
                known.append(Found(", ".join(dict.fromkeys(leaf.name for leaf in moving)), end))
    if not known:
        return Drawing()
    sampled = Sampled(list(system.coordinates), parameters)
    links += _rigid_links(known, links, sampled)
    up, sign = upwards([point.place for point in known], _energy(system, "potential"), mine, sampled)
    return _assembled(known, links, up, sign)


def _rigid_links(known: list[Found], links: Sequence[Any], sampled: Sampled) -> list[tuple[str, str, Place, Place]]:
    """Rods between points that keep their distance though no constraint says so, and to what they hang on."""
    new: list[tuple[str, str, Place, Place]] = []
    for i, point in enumerate(known[:]):
        before = [other.place for other in known[:i]]
        origin = tuple(ZERO for _ in point.place)
        for other in (*before, origin, *bases(point.place)):
            taken = any({a, b} == {point.place, other} for _, _, a, b in (*links, *new))
            if not taken and rigid(point.place, other, sampled):
                new.append(("rod", "rod", other, point.place))
                break
        else:
            new += [("rope", x.name, base, point.place) for base in bases(point.place)
                    for x in sampled.coordinates if long_as(point.place, base, x, sampled)][:1]  # fmt: skip
    return new


def _assembled(known: list[Found], links: Sequence[tuple[str, str, Place, Place]], up: int, sign: int) -> Drawing:
    whole = Drawing()
    for name, place in known:
        position = in_space(place, up, sign)
        whole = whole + Drawing(bodies=(DrawnBody(name, position),), trails=(Trail(name, position),))
    for kind, name, a, b in links:
        ends = [in_space(place, up, sign) for place in (a, b)]
        whole = whole + Drawing(links=(Link(kind, name, *ends),))
        for place, end in zip((a, b), ends, strict=True):
            leaves = symbols(*end)
            if not any(leaf.kind == "coordinate" for leaf in leaves):
                whole = whole + Drawing(joints=(Joint("ball" if leaves else "support", name, end),))
            elif not any(point.place == place for point in known):
                whole = whole + Drawing(joints=(Joint("ball", name, end),))
    return whole
