"""[sliding]: a particle before surfaces, and its start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from zeromass.contact import Sliding, surfaces
from zeromass.model import Particle, State
from zeromass.scenario.friction import FRICTION, NAMES, VALUE
from zeromass.scenario.kinds import Numbers, Problem
from zeromass.scenario.reading import Reader
from zeromass.scenario.signatures import table
from zeromass.scenario.surfaces import SURFACE
from zeromass.scenario.tables import Argument, Items, Table

KEY = ("sliding",)


def _one_place(given: dict[str, Any]) -> Iterator[Problem]:
    if ("position" in given) == ("contact" in given):
        yield (), "a particle begins at a position, in flight, or at a contact, on its first surface"


def _surfaces(given: dict[str, Any]) -> Iterator[Problem]:
    if not given["surfaces"]:
        yield ("surfaces",), "there is none; a particle slides on one surface at least"


PARTICLE = table(Particle, without=("at",), said={"mass": VALUE}, means={"name": "in results and messages"})
START = table(
    Sliding.start,
    without=("self", "prescribed", "t", "parameters"),
    said={
        "position": Numbers("values", ((3,),)),
        "contact": Numbers("values", ((2,), (3,))),
        "velocity": Numbers("values", ((2,), (3,))),
        "guess": VALUE,
    },
    rule=_one_place,
    instead={"position": [0.0, 0.0, 0.0]},
)
OWN = table(
    Sliding,
    without=("particle", "on", "forces"),
    said={
        "gravity": Numbers("time", ((), (3,))),
        "friction": FRICTION,
        **dict.fromkeys(("restitution", "creep", "least_bounce"), VALUE),
    },
    means={"friction": "coefficient μ, or two: static, and kinetic, a formula of the `speed` of slip; 0 smooth"},
)
TABLE = Table(
    {
        "particle": Argument(PARTICLE, required=True, words="what slides and flies"),
        "surfaces": Argument(Items(SURFACE), required=True, words="what it meets, and how that moves"),
        **OWN.arguments,
        "start": Argument(START, required=True, words=START.words),
    },
    rule=_surfaces,
    words=OWN.words,
)


def model(reader: Reader, given: dict[str, Any]) -> Sliding:
    """The particle and its surfaces; those of one name are numbered."""
    on = Items(SURFACE).read(reader, given["surfaces"], (*KEY, "surfaces"), None) or [surfaces.plane()]
    often = Counter(surface.name for surface in on)
    for i, surface in enumerate(on):
        if often[surface.name] > 1:
            surface.name = f"{surface.name} {i + 1}"
    particle = Particle(given["particle"].get("name", "particle"), mass=1.0)
    with reader.noting():
        particle = PARTICLE.read(reader, given["particle"], (*KEY, "particle"), None)
    values = OWN.values(reader, given, KEY, NAMES)
    with reader.noting(), reader.pointing(*KEY):
        return Sliding(particle, on=on, **values)
    return Sliding(Particle(particle.name, mass=1.0), on=surfaces.plane())  # for the names of the rest


def start(reader: Reader, given: dict[str, Any], system: Sliding, t: float) -> Callable[[], State]:
    """Its start, to be solved for."""
    key = (*KEY, "start")
    values = START.values(reader, given["start"], key, None)
    return lambda: system.start(t=t, **values)
