"""A body in flight whose face is along its surface: no point of it is the lowest, the one below its centre stands for it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.another import AnotherMotion
from zeromass.contact.watched import BORDER
from zeromass.expression import Expression, as_expression, expressions
from zeromass.model import ContactPoint, Event, State, System
from zeromass.model.given import Number
from zeromass.model.record import recorded
from zeromass.model.requirement import unmet

if TYPE_CHECKING:
    from zeromass.contact.flying import Flying
    from zeromass.expression.record import Reader, Writer

BEGINS, ENDS = 1e-2, 2e-2
"""Sines of the angle between a face and the surface below which no point counts as the lowest, and above which one does."""

FAR = 1.5
"""Sizes of the body that its centre is at least from a curved surface: it can not touch it."""

TILTED, NEAR = "tilted", "comes down on a face"


@recorded("adrift")
class Adrift(AnotherMotion):
    """The body of a rolling system in flight, far from its surface, with a face along it.

    The contact is the point of the surface below the centre of the body, in the direction in which gaps are measured.
    """

    kind: str = "flying"

    distance: Expression
    """Of the centre from the surface, m."""

    def __init__(self, flying: Flying) -> None:
        from zeromass.contact.flying import axes_of

        rolling = flying.rolling
        held = {name: rows for name, rows in rolling.holding().items() if name in ("surface", "mass center")}
        constraints: dict[str, Any] = held
        above, along = rolling.center - rolling.contact, axes_of(rolling.surface)
        self.distance = distance_of(flying)
        if along is None:
            constraints["tangency"] = list(above - (rolling.normal @ above) * rolling.normal)
        else:
            constraints["tangency"] = [along[:, 0] @ above, along[:, 1] @ above]
        waits = [rate for part in rolling.parts[3:] for rate in expressions(part.velocity)]
        if waits:
            constraints["waits"] = waits
        super().__init__(rolling, constraints)
        upright: Any = flying.upright
        words = f"'{rolling.solid.name}' lands on a face, and touches in more than one point"
        self.events: tuple[Event, ...] = (
            Event(TILTED, upright - ENDS, direction=1),
            Event(NEAR, self.distance - nearest(flying), direction=-1, message=words),
            *[event for event in rolling.events if event.name == BORDER],
        )

    @cached_property
    def facing(self) -> tuple[Expression, ...]:
        """None: no point of the body is where it would touch."""
        return ()

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """Starts whose parameters are not possible."""
        return unmet(self, parameters)

    def goes_on_as(self, event: str, state: State) -> System | None:
        """Flight with a lowest point, as soon as there is one."""
        flying, upright = self.rolling.flying, self.rolling.flying.upright
        lowest = upright is not None and float(state[upright]) > BEGINS / 10
        return flying if event == TILTED or (event == NEAR and lowest) else None

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """None in flight."""
        return ()

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {**super()._own_record(w), "distance": w.array(self.distance)}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        super()._take_record(own, r)
        self.distance = r.array(own["distance"]).item()


def distance_of(flying: Flying) -> Expression:
    """Of the centre from the plane that touches the surface at the contact, m."""
    rolling = flying.rolling
    return as_expression(rolling.normal @ (rolling.center - rolling.contact))


def nearest(flying: Flying) -> Number:
    """Distance of the centre at which the body may touch, m: of a plane, while a face is along it."""
    solid: Any = flying.rolling.solid
    if not flying.rolling.outside.flat:
        return FAR * solid.size
    return solid.outline.thickness + ENDS * solid.size


def is_far(flying: Flying, state: State) -> bool:
    """Whether the body can not touch its surface at a state, as long as a face is along it."""
    return float(state[as_expression(distance_of(flying) - nearest(flying))]) > 0.0
