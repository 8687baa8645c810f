"""What a body is made of, beside its outside: mass, inertia and centre of mass, given or as of a homogeneous one."""

from __future__ import annotations

from typing import NamedTuple

from zeromass.model import ModelError
from zeromass.model.given import Inertia, Number, Vector, given_number, given_vector

ORIGIN = (0.0, 0.0, 0.0)


class Matter(NamedTuple):
    """What is said of a body beside its outside.

    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the centre of the outside, body frame, m, or
    center          the other way round: the centre of the outside from the centre of mass
    """

    mass: Number | None
    density: Number | None
    inertia: Inertia | None
    center_of_mass: Vector | None
    center: Vector | None
    name: str

    @property
    def homogeneous(self) -> bool:
        """Whether something of a homogeneous body is asked for."""
        own = self.center_of_mass is None and self.center is None
        return self.inertia is None or self.density is not None or own

    def total(self, volume: Number | None) -> Number:
        """The mass, kg."""
        if (self.mass is None) == (self.density is None):
            raise ModelError(f"'{self.name}' needs its mass= or its density=, one of them")
        if self.mass is not None:
            return given_number(self.mass, f"the mass of '{self.name}'")
        assert volume is not None
        return given_number(self.density, f"the density of '{self.name}'") * volume

    def numbers(self, mass: Number, own: Inertia | None, centroid: Vector = ORIGIN) -> tuple[Number, Inertia, Vector]:
        """Mass, inertia and centre of mass, as given or those, `own` and `centroid`, of a homogeneous body."""
        given = self._center
        if self.inertia is None and given is not None:
            raise ModelError(f"'{self.name}' has a centre of mass of its own; give its inertia about it too")
        inertia = own if self.inertia is None else self.inertia
        assert inertia is not None
        return mass, inertia, centroid if given is None else given

    @property
    def _center(self) -> Vector | None:
        """The centre of mass from the middle, as it was given, or the other way round."""
        if self.center is None:
            return self.center_of_mass
        if self.center_of_mass is not None:
            raise ModelError(f"'{self.name}' is given its centre of mass twice: center_of_mass= and center=")
        center = given_vector(self.center, f"the centre of '{self.name}'")
        return tuple(e if e.value is None else e.value for e in -center)
