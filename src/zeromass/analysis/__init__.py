"""What a run tells: energy and work, constraint residuals, digits to trust, sensitivities, friction needed."""

from zeromass.analysis.adjoint import Adjoint, adjoint
from zeromass.analysis.branch import Branch, Special, branch
from zeromass.analysis.certificate import Certificate, FewDigits, Residual, Trust, certificate
from zeromass.analysis.contact import Interval, RequiredFriction, pulling_intervals, required_friction
from zeromass.analysis.digits import Errors
from zeromass.analysis.equilibrium import equilibrium
from zeromass.analysis.extrema import Extremum, maximum, minimum
from zeromass.analysis.fit import Fit, fit
from zeromass.analysis.integral import integral, mean
from zeromass.analysis.inverse import Effort, inverse_dynamics
from zeromass.analysis.linear import LinearSystem, Mode
from zeromass.analysis.linearize import linearize
from zeromass.analysis.periodic import Periodic, periodic
from zeromass.analysis.regulator import Regulator
from zeromass.analysis.sampling import sampled
from zeromass.analysis.servo import servo, start_on_path
from zeromass.analysis.spectrum import lyapunov_spectrum
from zeromass.analysis.tangent import Sensitivity, lyapunov_exponent, sensitivity
from zeromass.analysis.work import Work, work

__all__ = [
    "Adjoint",
    "Branch",
    "Certificate",
    "Effort",
    "Errors",
    "Extremum",
    "FewDigits",
    "Fit",
    "Interval",
    "LinearSystem",
    "Mode",
    "Periodic",
    "Regulator",
    "RequiredFriction",
    "Residual",
    "Sensitivity",
    "Special",
    "Trust",
    "Work",
    "adjoint",
    "branch",
    "certificate",
    "equilibrium",
    "fit",
    "integral",
    "inverse_dynamics",
    "linearize",
    "lyapunov_exponent",
    "lyapunov_spectrum",
    "maximum",
    "mean",
    "minimum",
    "periodic",
    "pulling_intervals",
    "required_friction",
    "sampled",
    "sensitivity",
    "servo",
    "start_on_path",
    "work",
]
