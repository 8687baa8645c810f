"""The names of `zm.analysis`: `zeromass.lazy.attach` reads them from here. Methods call what is not in `__all__`."""

from zeromass.analysis.adjoint import Adjoint as Adjoint
from zeromass.analysis.adjoint import adjoint as adjoint
from zeromass.analysis.branch import EquilibriumBranch as EquilibriumBranch
from zeromass.analysis.branch import SpecialPoint as SpecialPoint
from zeromass.analysis.branch import branch as branch
from zeromass.analysis.certificate import Certificate as Certificate
from zeromass.analysis.certificate import Residual as Residual
from zeromass.analysis.certificate import Trust as Trust
from zeromass.analysis.certificate import certificate as certificate
from zeromass.analysis.contact import Interval as Interval
from zeromass.analysis.contact import RequiredFriction as RequiredFriction
from zeromass.analysis.contact import pulling_intervals as pulling_intervals
from zeromass.analysis.contact import required_friction as required_friction
from zeromass.analysis.digits import Errors as Errors
from zeromass.analysis.equilibrium import equilibrium as equilibrium
from zeromass.analysis.extrema import Extremum as Extremum
from zeromass.analysis.extrema import maximum as maximum
from zeromass.analysis.extrema import minimum as minimum
from zeromass.analysis.fit import FitResult as FitResult
from zeromass.analysis.fit import fit as fit
from zeromass.analysis.integral import integral as integral
from zeromass.analysis.integral import mean as mean
from zeromass.analysis.inverse import InverseDynamicsResult as InverseDynamicsResult
from zeromass.analysis.inverse import inverse_dynamics as inverse_dynamics
from zeromass.analysis.linear import LinearSystem as LinearSystem
from zeromass.analysis.linear import Mode as Mode
from zeromass.analysis.linearize import linearize as linearize
from zeromass.analysis.periodic import PeriodicOrbit as PeriodicOrbit
from zeromass.analysis.periodic import periodic as periodic
from zeromass.analysis.spectrum import lyapunov_spectrum as lyapunov_spectrum
from zeromass.analysis.tangent import Sensitivity as Sensitivity
from zeromass.analysis.tangent import lyapunov_exponent as lyapunov_exponent
from zeromass.analysis.tangent import sensitivity as sensitivity
from zeromass.analysis.work import Work as Work
from zeromass.analysis.work import work as work

__all__ = [
    "Adjoint",
    "Certificate",
    "EquilibriumBranch",
    "Errors",
    "Extremum",
    "FitResult",
    "Interval",
    "InverseDynamicsResult",
    "LinearSystem",
    "Mode",
    "PeriodicOrbit",
    "RequiredFriction",
    "Residual",
    "Sensitivity",
    "SpecialPoint",
    "Trust",
    "Work",
    "branch",
    "fit",
    "inverse_dynamics",
    "linearize",
    "periodic",
]
