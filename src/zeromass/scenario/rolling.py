"""[rolling]: a body on a surface, what acts on it, and its start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Annotated, Any, Literal

from zeromass.contact import ConvexBody, ImplicitBody, Rolling, SphericalBody, bodies, solids, surfaces
from zeromass.contact.start import rolling_start
from zeromass.errors import ExpressionError
from zeromass.expression import Expression
from zeromass.model import Damper, Force, RigidBody, Spring, State, Torque
from zeromass.model.given import Number, Vector
from zeromass.model.prescription import has_formulas
from zeromass.scenario.convex import CONVEX
from zeromass.scenario.friction import FRICTION, MEANS, NAMES, OF_SPEED, VALUE
from zeromass.scenario.kinds import Choice, Either, Numbers, Problem
from zeromass.scenario.reading import Reader
from zeromass.scenario.signatures import made_by, table
from zeromass.scenario.surfaces import SURFACE
from zeromass.scenario.tables import Argument, Items, Kinds, Table, spelled

KEY = ("rolling",)
GRAVITY = Numbers("time", ((), (3,)))
ZERO = (0.0, 0.0, 0.0)
Fixed = Annotated[Vector, Numbers("time", ((3,),))]
"""A point that no coordinate moves: of the body, in its axes from its mass centre, or in space."""


_body = cache(table)


def body_tables() -> dict[str, Table]:
    """The kinds of bodies, by name."""
    made = (made_by(bodies, SphericalBody), made_by(solids, ConvexBody), made_by(solids, ImplicitBody))
    own = {spelled(name): make for some in made for name, make in some.items()}
    return {**{kind: _body(make) for kind, make in {**own, "custom": SphericalBody}.items()}, "convex": CONVEX}


BODY = Kinds(body_tables)


def _force(body: RigidBody, force: Vector, at: Fixed = ZERO) -> Force:
    """A force on the body.

    force  N, in the inertial frame
    at     the point of the body, in its axes from its mass centre, m
    """
    return Force(force, at=body.point(at))


def _torque(body: RigidBody, torque: Vector, frame: Literal["inertial", "body"] = "inertial") -> Torque:
    """A torque on the body.

    torque  N m
    frame   in whose axes
    """
    return Torque(body.rotate(torque) if frame == "body" else torque, on=body)


def _spring(body: RigidBody, stiffness: Number, at: Fixed = ZERO, to: Fixed = ZERO, length: Number = 0.0) -> Spring:
    """A spring from a point of the body to a point in space.

    stiffness  N/m
    at         the point of the body, in its axes from its mass centre, m
    to         the point in space, m
    length     unstretched, m
    """
    return Spring(stiffness, body.point(at), to, length=length)


def _damper(body: RigidBody, damping: Number, at: Fixed = ZERO, to: Fixed = ZERO) -> Damper:
    """A damper from a point of the body to a point in space.

    damping  N s/m
    at       the point of the body, in its axes from its mass centre, m
    to       the point in space, m
    """
    return Damper(damping, body.point(at), to)


LOADS = {
    kind: table(make, without=("body",))
    for kind, make in {"forces": _force, "torques": _torque, "springs": _spring, "dampers": _damper}.items()
}
"""Keys of [rolling] that list what acts on the body, beside gravity."""


def _one_motion(given: dict[str, Any]) -> Iterator[Problem]:
    beside = [key for key in ("velocity", "spin", "relative") if key in given]
    if "angular_velocity" in given and beside:
        yield (beside[0],), "the angular velocity of a body that rolls gives its velocity and its spin; leave this out"


PLACE = Numbers("values", ((2,), (3,)))
START = table(
    rolling_start,  # which has the arguments that Rolling.start passes on
    without=("rolling", "start", "t", "parameters"),
    said={
        "contact": PLACE,
        "velocity": PLACE,
        "touching": Numbers("values", ((3,),)),
        "orientation": Either((Choice(("x-axis along the normal",)), Numbers("values", ((3,), (4,))))),
    },
    more={
        "angular_velocity": Argument(
            Numbers("values", ((3,),)),
            words="in space, rad/s, instead of velocity and spin: both follow",
        )
    },
    rule=_one_motion,
    words=Rolling.start,
)

OWN = table(
    Rolling,
    without=("body", "on", "forces"),
    said={
        "gravity": GRAVITY,
        "friction": FRICTION,
        **dict.fromkeys(("rolling_resistance", "torsional_friction"), OF_SPEED),
        **dict.fromkeys(("creep", "least_clearance"), VALUE),
    },
    means=MEANS,
)
TABLE = Table(
    {
        "body": Argument(BODY, required=True, words="what rolls"),
        "surface": Argument(SURFACE, required=True, words="what it rolls on, and how that moves"),
        **OWN.arguments,
        **{kind: Argument(Items(load), words=load.words) for kind, load in LOADS.items()},
        "start": Argument(START, required=True, words=START.words),
    },
    words=OWN.words,
)


def model(reader: Reader, given: dict[str, Any]) -> Rolling:
    """The body on its surface."""
    on, body = surfaces.plane(), bodies.ball(radius=1.0, mass=1.0, name=_body_name(given["body"]))
    with reader.noting():
        on = SURFACE.read(reader, given["surface"], (*KEY, "surface"), None)
    with reader.noting():
        body = BODY.read(reader, given["body"], (*KEY, "body"), None)
    forces = (lambda rolling: _loads(reader, given, rolling)) if any(given.get(kind) for kind in LOADS) else None
    values = OWN.values(reader, given, KEY, NAMES)
    with reader.noting(), reader.pointing(*KEY):
        return Rolling(body, on=on, forces=forces, **values)
    try:
        plain = Rolling(bodies.ball(radius=1.0, mass=1.0, name=body.name), on=surfaces.plane())  # for names in the rest
    except ExpressionError:  # the name of the body is none, as was noted
        plain = Rolling(bodies.ball(radius=1.0, mass=1.0), on=surfaces.plane())
    _loads(reader, given, plain)
    return plain


def _body_name(given: dict[str, Any]) -> str:
    name = BODY.tables()[spelled(given["kind"])].arguments["name"]
    return str(given.get("name", name.default))


def start(reader: Reader, given: dict[str, Any], system: Rolling, t: float) -> Callable[[], State]:
    """Its start, to be solved for."""
    key = (*KEY, "start")
    values = START.values(reader, given["start"], key, None)
    turning = values.pop("angular_velocity", None)
    if turning is not None and any(map(has_formulas, values.values())):
        reader.wrong(
            "what [sweep] varies of a start with an angular velocity is that alone", (*key, "angular_velocity")
        )

    def solved() -> State:
        start = system.start(t=t, **values)
        if turning is None:
            return start
        places = list(zip(system.coordinates, start.q, strict=True))
        return system.start([*places, (system.body.angular_velocity, turning)], t=t)

    return solved


def _loads(reader: Reader, given: dict[str, Any], rolling: Rolling) -> list[Any]:
    """What acts on the body; the formulas may name what `_names` lists."""
    names, found = _names(rolling), []
    for kind, load in LOADS.items():
        for i, item in enumerate(given.get(kind, ())):
            key = (*KEY, kind, i)
            with reader.noting(), reader.pointing(*key):
                found.append(load.make(rolling.body, **load.values(reader, item, key, names)))
    return found


def _names(rolling: Rolling) -> dict[str, Expression]:
    """Coordinates of body, contact and centre, and the components of `normal` and `angular_velocity`."""
    parts = (rolling.body, rolling.contact_particle, rolling.center_particle)
    vectors = {"normal": rolling.normal, "angular_velocity": rolling.body.angular_velocity}
    return {
        **{f"{name}.{axis}": e for name, vector in vectors.items() for axis, e in zip("xyz", vector, strict=True)},
        **{x.name: x for part in parts for x in part.coordinates},
    }
