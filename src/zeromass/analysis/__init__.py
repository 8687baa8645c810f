"""What a run tells: energy and work, constraint residuals, digits to trust, sensitivities, friction needed."""

from zeromass.analysis.certificate import Certificate, FewDigits, Residual, certificate
from zeromass.analysis.contact import Interval, RequiredFriction, pulling_intervals, required_friction
from zeromass.analysis.digits import Errors
from zeromass.analysis.equilibrium import equilibrium
from zeromass.analysis.extrema import Extremum, maximum, minimum
from zeromass.analysis.linear import LinearSystem, Mode
from zeromass.analysis.linearize import linearize
from zeromass.analysis.regulator import Regulator
from zeromass.analysis.tangent import Sensitivity, lyapunov_exponent, sensitivity
from zeromass.analysis.work import Work, work

__all__ = [
    "Certificate",
    "Errors",
    "Extremum",
    "FewDigits",
    "Interval",
    "LinearSystem",
    "Mode",
    "Regulator",
    "RequiredFriction",
    "Residual",
    "Sensitivity",
    "Work",
    "certificate",
    "equilibrium",
    "linearize",
    "lyapunov_exponent",
    "maximum",
    "minimum",
    "pulling_intervals",
    "required_friction",
    "sensitivity",
    "work",
]
