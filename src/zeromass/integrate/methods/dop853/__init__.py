"""The method of Dormand and Prince of order 8(5,3) [HNW1993, §II.5]."""

from zeromass.integrate.methods.method import Method

_STEPPER = "zeromass.integrate.methods.dop853.stepper:Dop853"

METHOD = Method("dop853", "explicit Runge–Kutta, order 8, one stage after the other", order=8, stepper=_STEPPER)
FIXED = Method("fixed", "the same with steps of length `step`", order=8, stepper=_STEPPER, controlled=False, fixed=True)
