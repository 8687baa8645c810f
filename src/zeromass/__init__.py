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
from zeromass.contact import Rolling, Slipping, SphericalBody, Surface, ball, shell, surfaces, two_material_shell
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
    from zeromass.analysis import Certificate, FewDigits, certificate, lyapunov_exponent, sensitivity
    from zeromass.ensemble import Ray, first_time, integral, largest, mean, samples, smallest, sweep, values_at
    from zeromass.expression import c_code, latex
    from zeromass.model import Box, Diagnosis, Disc, Dot, Drawing, Ellipsoid, Ring, Rod, Wheel
    from zeromass.report import FileError, plot_study, view

    __version__: str

__all__ = [
    "Box",
    "Certificate",
    "Contact",
    "Damper",
    "Diagnosis",
    "Disc",
    "Dot",
    "Drawing",
    "Ellipsoid",
    "Ending",
    "EquationError",
    "Event",
    "Expression",
    "ExpressionError",
    "FewDigits",
    "FileError",
    "Force",
    "Impulse",
    "Limits",
    "METHODS",
    "Method",
    "ModelError",
    "Motion",
    "Occurrence",
    "Outcome",
    "Particle",
    "Program",
    "Ray",
    "RigidBody",
    "Ring",
    "Rod",
    "Rolling",
    "Run",
    "RunDoubtful",
    "RunStopped",
    "Segment",
    "Settings",
    "Slipping",
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
    "ball",
    "c_code",
    "certificate",
    "compile",
    "coordinate",
    "coordinates",
    "derivative",
    "directional",
    "evaluate",
    "first_time",
    "gradient",
    "host",
    "integral",
    "jacobian",
    "join",
    "largest",
    "latex",
    "load",
    "lyapunov_exponent",
    "mean",
    "parameter",
    "plot_study",
    "rate",
    "samples",
    "sensitivity",
    "shell",
    "simulate",
    "smallest",
    "solve",
    "substitute",
    "surfaces",
    "sweep",
    "t",
    "to_sympy",
    "two_material_shell",
    "values_at",
    "view",
    "where",
    "__version__",
]

if not _typing.TYPE_CHECKING:  # type checkers know all names, and that there is no other
    _found = _later(
        __name__,
        {
            "zeromass.analysis": ["Certificate", "FewDigits", "certificate", "lyapunov_exponent", "sensitivity"],
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
            "zeromass.model": ["Box", "Diagnosis", "Disc", "Dot", "Drawing", "Ellipsoid", "Ring", "Rod", "Wheel"],
            "zeromass.report": ["FileError", "plot_study", "view"],
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
