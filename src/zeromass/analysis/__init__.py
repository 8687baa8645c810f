"""What a run tells: energy and work, constraint residuals, digits to trust, sensitivities, friction needed."""

from zeromass.analysis.certificate import Certificate, Residual, certificate
from zeromass.analysis.contact import Interval, RequiredFriction, pulling_intervals, required_friction
from zeromass.analysis.extrema import Extremum, maximum, minimum
from zeromass.analysis.tangent import Sensitivity, lyapunov_exponent, sensitivity
from zeromass.analysis.work import Work, work
from zeromass.integrate import Course

# a run answers for itself: the verbs of this package are its methods
for _verb in (certificate, work, sensitivity, lyapunov_exponent, required_friction, maximum, minimum):
    setattr(Course, _verb.__name__, _verb)
Course.pulling = pulling_intervals  # pyright: ignore[reportAttributeAccessIssue]

__all__ = [
    "Certificate",
    "Extremum",
    "Interval",
    "RequiredFriction",
    "Residual",
    "Sensitivity",
    "Work",
    "certificate",
    "lyapunov_exponent",
    "maximum",
    "minimum",
    "pulling_intervals",
    "required_friction",
    "sensitivity",
    "work",
]
