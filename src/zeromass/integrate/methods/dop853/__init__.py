"""The method of Dormand and Prince of order 8(5,3) [HNW1993, §II.5]."""

from typing import TYPE_CHECKING

from zeromass.integrate.methods.method import Method

if TYPE_CHECKING:
    from zeromass.integrate.stepping.stepper import Stepper


def _load() -> "type[Stepper]":
    from zeromass.integrate.methods.dop853.stepper import Dop853

    return Dop853


METHOD = Method("dop853", "explicit Runge–Kutta, order 8, one stage after the other", order=8, load=_load)
FIXED = Method("fixed", "the same with steps of length `step`", order=8, load=_load, controlled=False, fixed=True)
