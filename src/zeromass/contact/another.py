"""The body of a rolling system in another kind of motion, such as slipping or flight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression import Expression, Symbol
from zeromass.model import ContactPoint, Force, Part, Quantity, State, System, Torque
from zeromass.model.moved import Moved
from zeromass.model.record import read, written
from zeromass.model.requirement import Requirement

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing
    from zeromass.model.changing import Changing


class AnotherMotion(System):
    """A system that shares all coordinates and expressions with the rolling system it is made from.

    constraints  {name: zeros}, those of the rolling system that hold here too, and others
    nonideal     forces of the contact that do work
    """

    written_out: bool = True

    rolling: Rolling
    """The system of the same body where it rolls."""

    def __init__(
        self, rolling: Rolling, constraints: Mapping[str, Sequence[Any]], nonideal: Sequence[Force | Torque] = ()
    ) -> None:
        self.rolling = rolling
        super().__init__(
            rolling.parts,
            gravity=rolling.gravity,
            forces=rolling.applied,
            constraints={name: zeros if len(zeros) > 1 else zeros[0] for name, zeros in constraints.items()},
            nonideal=list(nonideal),
        )
        self._know(*rolling.parameters)

    @property
    def mode_of(self) -> System:
        """The rolling body."""
        return self.rolling

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """As of the rolling body."""
        return self.rolling.requirements

    @cached_property
    def facing(self) -> tuple[Expression, ...]:
        """As of the rolling body."""
        return self.rolling.facing

    @property
    def wrong_side(self) -> str:
        """As of the rolling body."""
        return self.rolling.wrong_side

    def placement(
        self, near: Mapping[Any, float], t: float, parameters: Mapping[Symbol, float]
    ) -> Mapping[Symbol, float]:
        """As of the rolling body."""
        return self.rolling.placement(near, t, parameters)

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """As of the rolling body."""
        columns = [self.parameters.index(p) for p in self.rolling.parameters]
        return self.rolling.refused(t, y, parameters[:, columns])

    def changing(self) -> Changing | None:
        """As of the rolling body."""
        return self.rolling.changing()

    def jumped(self, names: Sequence[str], before: State, after: State) -> str:
        """As of the rolling body."""
        if self.pieces is None or any(name.startswith("surface") for name in names):
            return ""
        from zeromass.contact.edges import edge_words  # few surfaces have edges

        return edge_words(self.rolling, self.pieces, before, after)

    def examined(self, motion: Moved) -> tuple[str, ...]:
        """As of the rolling body."""
        return self.rolling.examined(motion)

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """The contact with the surface, as of the rolling body."""
        return self.rolling.contacts

    @cached_property
    def drawing(self) -> Drawing:
        """As of the rolling body."""
        from zeromass.contact.looks import drawing_on_surface  # what is not drawn need not be imported

        return drawing_on_surface(self.rolling, {})

    def drawing_at(self, parameters: Mapping[Symbol, float]) -> Drawing:
        """As of the rolling body."""
        return self.rolling.drawing_at(parameters)

    def _own_quantities(self) -> dict[str, Quantity]:
        """What plots and files show of the body: the same as where it rolls."""
        return self.rolling.quantities

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {"rolling": written(self.rolling, w)}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        rolling: Any = read(own["rolling"], r)
        self.rolling = rolling
        self._know(*rolling.parameters)
        self._free = self._free._replace(parts=rolling.parts)
        self.parts: tuple[Part, ...] = rolling.parts


def unstruck(system: System, rolling: Rolling, impulse: np.ndarray) -> System | None:
    """The system, as long as an impulse does not act on the body."""
    size = float(np.linalg.norm(impulse[[system.index(x) for x in rolling.body.position]]))
    return system if size <= 1e-6 * float(np.linalg.norm(impulse)) or size == 0.0 else None
