"""Radau's implicit methods of orders 5, 9 and 13 [HW1996, §IV.8; HW1999]."""

from typing import TYPE_CHECKING

from zeromass.integrate.methods.method import Method

if TYPE_CHECKING:
    from zeromass.integrate.stepping.stepper import Stepper


def _load() -> "type[Stepper]":
    from zeromass.integrate.methods.radau.stepper import Radau

    return Radau


METHOD = Method(
    "radau", "implicit, orders 5, 9 and 13, for stiff systems", order=13, load=_load, fixed=True, stiff=True
)
