"""What is said of a stepping method, for checks, documentation and schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from zeromass.frozen import frozen

if TYPE_CHECKING:
    from zeromass.integrate.stepping.stepper import Stepper

MethodName = Literal["collocation", "dop853", "radau", "fixed"]
"""The names of the methods that come along. Others can be added to `METHODS`; type checkers want them cast."""


@frozen(eq=True)
class Method:
    """A stepping method.

    name        as in simulate(method=…)
    summary     what it is, in a few words
    order       of the error of a run in the length of its steps
    controlled  whether it chooses its steps by their error
    fixed       whether it takes steps of a fixed length, step=…
    stiff       whether its steps follow the motion, and not the fastest decay or vibration in the system
    stepper     its class, or where that is, "module:Class", to be imported when it is first used

    >>> from zeromass.integrate import METHODS
    >>> print(METHODS["radau"].summary)
    implicit, orders 5, 9 and 13, for stiff systems
    """

    name: str
    summary: str
    order: int
    stepper: type[Stepper] | str
    controlled: bool = True
    fixed: bool = False
    stiff: bool = False
