"""[system]: coordinates, parts, energies, constraints and forces, and a start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from zeromass.expression import Expression, as_expression, coordinate, rate
from zeromass.model import Damper, Particle, RigidBody, Spring, State, System
from zeromass.model.naming import joint_motions, motion_names
from zeromass.scenario.joints import TABLES as JOINTS
from zeromass.scenario.joints import along, joined
from zeromass.scenario.kinds import ANY_LENGTH, Either, Numbers, Problem, Words
from zeromass.scenario.names import named_coordinate
from zeromass.scenario.reading import Reader
from zeromass.scenario.rolling import GRAVITY
from zeromass.scenario.signatures import table
from zeromass.scenario.starts import START, guessed, prescribed
from zeromass.scenario.tables import Argument, Items, Named

KEY = ("system",)
NAME = Words(longest=60, name=True)
FORMULA = Numbers("names")
LIST, MATRIX = Numbers("names", ((ANY_LENGTH,),)), Numbers("names", ((ANY_LENGTH, ANY_LENGTH),))

PARTS = {kind: table(make, without=("name",)) for kind, make in {"particles": Particle, "bodies": RigidBody}.items()}
LOADS = {"springs": table(Spring), "dampers": table(Damper)}
"""Between two points, three formulas each."""

ENERGIES = ("kinetic", "potential", "lagrangian")


def _as_many(given: dict[str, Any]) -> Iterator[Problem]:
    """M and Q have a row for each coordinate."""
    n = len(given.get("coordinates", ()))
    words = f"there are {n} coordinates"
    if "M" in given and len(given["M"]) != n:
        yield ("M",), f"it has {len(given['M'])} rows, and {words}"
    for i, row in enumerate(given.get("M", ())):
        if len(row) != n:
            yield ("M", i), f"it has {len(row)} entries, and {words}"
    if "Q" in given and len(given["Q"]) != n:
        yield ("Q",), f"it has {len(given['Q'])} entries, and {words}"


TABLE = table(
    System,
    without=("parts", "control", "by", "settling", "joints"),
    said={
        **dict.fromkeys(ENERGIES, FORMULA),
        "M": MATRIX,
        "Q": LIST,
        "coordinates": Items(NAME),
        "gravity": GRAVITY,
        "constraints": Named(Either((FORMULA, LIST))),
        **dict.fromkeys(("forces", "nonideal"), Named(FORMULA)),
    },
    more={
        **{kind: Argument(Named(part, NAME), words=f"by name. {part.words}") for kind, part in PARTS.items()},
        **{kind: Argument(Items(load), words=load.words) for kind, load in LOADS.items()},
        "joints": Argument(
            JOINTS,
            words="by name: joints between bodies and the ground, couplings between joints, and what acts along them. "
            "Formulas may name pin.angle, pin.rate, rail.displacement; events and plots also pin.force.z, pin.torque.x",
        ),
        "start": Argument(
            START,
            words="values of formulas, such as x, x' or x + y, and of vectors, such as top.angular_velocity, also as "
            "tables of a part's own; the rest is solved for",
        ),
        "guess": Argument(START, words="values near which the rest of the start is looked for"),
    },
    means={
        "coordinates": "names of the system's own coordinates",
        "gravity": "m/s²: g for (0, 0, −g), or a vector; acts on the parts",
        "forces": "coordinate = generalised force, N or N m",
        "constraints": "name = what must be zero, a formula or a list; with rates in it, it is nonholonomic",
        "nonideal": "coordinate = force that the constraints exert beyond the ideal ones, such as friction",
    },
    rule=_as_many,
    words="Coordinates, particles and bodies, with energies, forces and constraints: a system of one's own.",
)


def model(reader: Reader, given: dict[str, Any]) -> System:
    """The system."""
    names: dict[str, Expression] = {}
    for i, name in enumerate(given.get("coordinates", ())):
        key = (*KEY, "coordinates", i)
        reader.check_name(name, key)
        if name in names or name in reader.parameters or name in reader.let:
            reader.wrong(f"the name '{name}' is taken already", key)
        names[name] = coordinate(name)
    own, parts = list(names.values()), _parts(reader, given)
    if not (own or parts):
        raise reader.error("a system has coordinates, particles or bodies", KEY)
    names.update({x.name: x for part in parts for x in part.coordinates})
    names.update(motion_names(parts))
    whole = joined(reader, given.get("joints", {}), parts, names)
    names.update({x.name: x for joint in whole.joints for x in joint.coordinates} | joint_motions(whole.joints))
    own_names = (*ENERGIES, "M", "Q", "gravity", "constraints")
    values = TABLE.values(reader, {name: given[name] for name in own_names if name in given}, KEY, names)
    forces: list[Any] = [_by_coordinate(reader, given, "forces", names)]
    for kind, load in LOADS.items():
        forces += Items(load).read(reader, given.get(kind, ()), (*KEY, kind), names)
    forces += along(reader, whole, names)
    nonideal = _by_coordinate(reader, given, "nonideal", names)
    with reader.noting(), reader.pointing(*KEY):
        return System(parts, coordinates=own, forces=forces, nonideal=nonideal, joints=whole.joints, **values)
    return _plainer(reader, parts, own, whole.joints)


def _plainer(reader: Reader, parts: list[Any], own: list[Expression], joints: list[Any]) -> System:
    """A system with the same coordinates in place of one that can not be, so that the rest of the file can be read."""
    reader.lacks("multiplier")
    with reader.pointing(*KEY):
        energy = sum((rate(x) ** 2 for x in own), start=as_expression(0.0))
        return System(
            parts, gravity=0 if parts else None, coordinates=own, kinetic=energy if own else None, joints=joints
        )


def start(reader: Reader, given: dict[str, Any], system: System, t: float) -> Callable[[], State]:
    """Its start, to be solved for."""
    pairs = prescribed(reader, given.get("start", {}), (*KEY, "start"), system)
    near = guessed(reader, given.get("guess", {}), (*KEY, "guess"), system)
    return lambda: system.start(pairs, t=t, guess=near)


def _parts(reader: Reader, given: dict[str, Any]) -> list[Particle | RigidBody]:
    parts: list[Particle | RigidBody] = []
    for kind, part in PARTS.items():
        for name, own in given.get(kind, {}).items():
            key = (*KEY, kind, name)
            with reader.noting(name), reader.pointing(*key):
                parts.append(part.make(name, **part.values(reader, own, key, {})))
    taken = given.get("particles", {}).keys() & given.get("bodies", {}).keys()
    for name in taken:
        reader.wrong("a particle and a body have the same name", (*KEY, "bodies", name))
    return [part for part in parts if isinstance(part, Particle) or part.name not in taken]


def _by_coordinate(
    reader: Reader, given: dict[str, Any], kind: str, names: dict[str, Expression]
) -> dict[Expression, Expression]:
    """{coordinate: generalised force}."""
    found = {}
    for name, value in given.get(kind, {}).items():
        key = (*KEY, kind, name)
        where, force = named_coordinate(reader, name, names, key), reader.expression(value, key, names)
        if where is not None:
            found[where] = force
    return found
