"""zeromass: mechanics as written on paper, as explicit equations of motion.

    what one writes        what is derived           what is run                 what one sees
    ───────────────        ───────────────           ───────────                 ─────────────
    parts, surfaces   ──►  M q̈ = Q + C + Aᵀλ   ──►   elimination, machine  ──►   trajectory, reactions,
    constraints, forces    A q̈ = b                   code, steps in time         certificate, plots, viewer

    errors ─► expression ─► equation ─► model ─► contact ─► compile ─► integrate
        ─► analysis ─► report ─► run ─► scenario ─► papers ─► cli

A package imports only from packages to its left. Masses may be zero, coordinates too many, constraints redundant.
What a run does not need to be computed, analysis and report, is imported when it is first asked for.
"""

import importlib as _importlib
import typing as _typing

from zeromass.compile.program import Program, compile
from zeromass.compile.target import Target, host
from zeromass.contact import (
    Roller,
    Rolling,
    Slipping,
    SphericalBody,
    Surface,
    ball,
    shell,
    surfaces,
    two_material_shell,
)
from zeromass.equation import EquationError, Motion, Verdict, solve
from zeromass.errors import ZeromassError
from zeromass.expression import (
    Expression,
    ExpressionError,
    acceleration,
    coordinate,
    coordinates,
    derivative,
    directional,
    evaluate,
    gradient,
    jacobian,
    parameter,
    rate,
    substitute,
    t,
    to_sympy,
    where,
)
from zeromass.integrate import (
    METHODS,
    Ending,
    Impulse,
    Limits,
    Method,
    Occurrence,
    Outcome,
    RunDoubtful,
    RunStopped,
    Segment,
    Settings,
    Switching,
)
from zeromass.later import later as _later
from zeromass.model import (
    Contact,
    Damper,
    Event,
    Force,
    ModelError,
    Particle,
    RigidBody,
    Spring,
    StartError,
    State,
    System,
    Torque,
    join,
)
from zeromass.run import Run, load, simulate

if _typing.TYPE_CHECKING:
    from zeromass import analysis as analysis
    from zeromass import report as report
    from zeromass.analysis import (
        Adjoint,
        Branch,
        Certificate,
        Effort,
        FewDigits,
        Fit,
        LinearSystem,
        Mode,
        Periodic,
        Regulator,
        Special,
        adjoint,
        branch,
        certificate,
        equilibrium,
        fit,
        inverse_dynamics,
        linearize,
        lyapunov_exponent,
        lyapunov_spectrum,
        periodic,
        sampled,
        sensitivity,
        servo,
    )
    from zeromass.contact import (
        ConvexBody,
        ImplicitBody,
        capsule,
        cone,
        convex,
        cylinder,
        disc,
        ellipsoid,
        superquadric,
        torus,
    )
    from zeromass.ensemble import Ray, first_time, integral, largest, mean, samples, smallest, sweep, values_at
    from zeromass.expression import c_code, latex
    from zeromass.integrate.wasm import wasm
    from zeromass.model import Box, Control, Diagnosis, Dot, Drawing, Mesh, Rod, Wheel, with_feedback
    from zeromass.report import FileError, plot_roots, plot_study, view
    from zeromass.report.viewer.living import PageLimited

    __version__: str

__all__ = [
    "Adjoint",
    "Box",
    "Branch",
    "Certificate",
    "Contact",
    "Control",
    "ConvexBody",
    "Damper",
    "Diagnosis",
    "Dot",
    "Drawing",
    "Effort",
    "Ending",
    "EquationError",
    "Event",
    "Expression",
    "ExpressionError",
    "FewDigits",
    "FileError",
    "Fit",
    "Force",
    "ImplicitBody",
    "Impulse",
    "Limits",
    "LinearSystem",
    "Mesh",
    "Method",
    "METHODS",
    "Mode",
    "ModelError",
    "Motion",
    "Occurrence",
    "Outcome",
    "PageLimited",
    "Particle",
    "Periodic",
    "Program",
    "Ray",
    "Regulator",
    "RigidBody",
    "Rod",
    "Rolling",
    "Run",
    "RunDoubtful",
    "RunStopped",
    "Segment",
    "Settings",
    "Slipping",
    "Roller",
    "Special",
    "SphericalBody",
    "Spring",
    "StartError",
    "State",
    "Surface",
    "Switching",
    "System",
    "Target",
    "Torque",
    "Verdict",
    "Wheel",
    "ZeromassError",
    "acceleration",
    "adjoint",
    "ball",
    "branch",
    "c_code",
    "capsule",
    "certificate",
    "compile",
    "cone",
    "convex",
    "coordinate",
    "coordinates",
    "cylinder",
    "derivative",
    "directional",
    "disc",
    "ellipsoid",
    "equilibrium",
    "evaluate",
    "first_time",
    "fit",
    "gradient",
    "host",
    "integral",
    "inverse_dynamics",
    "jacobian",
    "join",
    "largest",
    "latex",
    "linearize",
    "load",
    "lyapunov_exponent",
    "lyapunov_spectrum",
    "mean",
    "parameter",
    "periodic",
    "plot_roots",
    "plot_study",
    "rate",
    "sampled",
    "samples",
    "sensitivity",
    "servo",
    "shell",
    "simulate",
    "smallest",
    "solve",
    "substitute",
    "superquadric",
    "surfaces",
    "sweep",
    "t",
    "to_sympy",
    "torus",
    "two_material_shell",
    "values_at",
    "view",
    "wasm",
    "where",
    "with_feedback",
    "__version__",
]

if not _typing.TYPE_CHECKING:  # type checkers know all names, and that there is no other
    _found = _later(
        __name__,
        {
            "zeromass.analysis": [
                "Adjoint",
                "Branch",
                "Certificate",
                "Effort",
                "FewDigits",
                "Fit",
                "LinearSystem",
                "Mode",
                "Periodic",
                "Regulator",
                "Special",
                "adjoint",
                "branch",
                "certificate",
                "equilibrium",
                "fit",
                "inverse_dynamics",
                "linearize",
                "lyapunov_exponent",
                "lyapunov_spectrum",
                "periodic",
                "sampled",
                "sensitivity",
                "servo",
            ],
            "zeromass.contact": [
                "ConvexBody",
                "ImplicitBody",
                "capsule",
                "cone",
                "convex",
                "cylinder",
                "disc",
                "ellipsoid",
                "superquadric",
                "torus",
            ],
            "zeromass.ensemble": [
                "Ray",
                "first_time",
                "integral",
                "largest",
                "mean",
                "samples",
                "smallest",
                "sweep",
                "values_at",
            ],
            "zeromass.expression": ["c_code", "latex"],
            "zeromass.integrate.wasm": ["wasm"],
            "zeromass.model": [
                "Box",
                "Control",
                "Diagnosis",
                "Dot",
                "Drawing",
                "Mesh",
                "Rod",
                "Wheel",
                "with_feedback",
            ],
            "zeromass.report": ["FileError", "plot_roots", "plot_study", "view"],
            "zeromass.report.viewer.living": ["PageLimited"],
        },
    )

    def __getattr__(name: str) -> _typing.Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("zeromass")
        if name in ("analysis", "report"):
            return _importlib.import_module(f"zeromass.{name}")
        return _found(name)


def __dir__() -> list[str]:
    return list(__all__)
