"""Systems whose starts have some unilateral constraints in other modes than usual, as wheels that slip or are in the air."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zeromass.model.given import Parameters
from zeromass.model.start import Prescribed, begun, consistent_start

if TYPE_CHECKING:
    from zeromass.model.connection import Connection
    from zeromass.model.state import State
    from zeromass.model.system import System


@dataclass(frozen=True, eq=False)
class Beginning:
    """A system, and the modes in which its starts have some of its unilateral constraints.

    modes  by the names of these: "open", "closed", "sticks" or "slips"
    """

    system: System
    modes: Mapping[str, str]

    @property
    def joints(self) -> tuple[Connection, ...]:
        """Those of the system."""
        return self.system.joints

    def start(
        self,
        prescribed: Prescribed = (),
        *,
        t: float = 0.0,
        parameters: Parameters | None = None,
        guess: Prescribed = (),
        near: Prescribed = (),
    ) -> State:
        """A state of the system; see `System.start`."""
        given = begun(self.system, prescribed, self.modes)
        return consistent_start(self.system, given, t=t, parameters=parameters, guess=guess, near=near)


def beginning_as(system: System | Beginning, name: str, mode: str) -> Beginning:
    """Starts of a system in which a unilateral constraint is in a mode, and others as they were to be."""
    known = system.modes if isinstance(system, Beginning) else {}
    return Beginning(system.system if isinstance(system, Beginning) else system, {**known, name: mode})
