"""zeromass: mechanics as written on paper, as explicit equations of motion.

    what one writes        what is derived           what is run                 what one sees
    ───────────────        ───────────────           ───────────                 ─────────────
    parts, surfaces   ──►  M q̈ = Q + C + Aᵀλ   ──►   elimination, machine  ──►   trajectory, reactions,
    constraints, forces    A q̈ = b                   code, steps in time         certificate, plots, viewer

    expression ─► equation ─► model ─► contact ─► compile ─► integrate ─► analysis ─► report ─► scenario ─► papers ─► cli

A package imports only from packages to its left. Masses may be zero, coordinates too many, constraints redundant.
What a run does not need to be computed, analysis and report, is imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from zeromass.contact import Rolling, SphericalBody, Surface, ball, shell, surfaces, two_material_shell
from zeromass.equation import EquationError, Motion, Verdict, solve
from zeromass.expression import (
    Expression,
    ExpressionError,
    acceleration,
    c_code,
    coordinate,
    coordinates,
    derivative,
    directional,
    evaluate,
    gradient,
    jacobian,
    latex,
    parameter,
    rate,
    substitute,
    t,
    to_sympy,
    where,
)
from zeromass.integrate import Outcome, Phases, RunStopped, Trajectory, simulate, simulate_phases
from zeromass.model import (
    Damper,
    Diagnosis,
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

if TYPE_CHECKING:
    from zeromass.analysis import Certificate, certificate, lyapunov_exponent, sensitivity
    from zeromass.report import Box, Dot, Rod, Wheel, load, view

__all__ = [
    "Box",
    "Certificate",
    "Damper",
    "Diagnosis",
    "Dot",
    "EquationError",
    "Event",
    "Expression",
    "ExpressionError",
    "Force",
    "ModelError",
    "Motion",
    "Outcome",
    "Particle",
    "Phases",
    "RigidBody",
    "Rod",
    "Rolling",
    "RunStopped",
    "SphericalBody",
    "Spring",
    "StartError",
    "State",
    "Surface",
    "System",
    "Torque",
    "Trajectory",
    "Verdict",
    "Wheel",
    "acceleration",
    "ball",
    "c_code",
    "certificate",
    "coordinate",
    "coordinates",
    "derivative",
    "directional",
    "evaluate",
    "gradient",
    "jacobian",
    "join",
    "latex",
    "load",
    "lyapunov_exponent",
    "parameter",
    "rate",
    "sensitivity",
    "shell",
    "simulate",
    "simulate_phases",
    "solve",
    "substitute",
    "surfaces",
    "t",
    "to_sympy",
    "two_material_shell",
    "view",
    "where",
]

_LATER = {
    "zeromass.analysis": ("Certificate", "certificate", "lyapunov_exponent", "sensitivity"),
    "zeromass.report": ("Box", "Dot", "Rod", "Wheel", "load", "view"),
}
"""Public names of the packages that are imported when first asked for."""

_VERBS = {
    "zeromass.analysis": (
        "certificate",
        "work",
        "sensitivity",
        "lyapunov_exponent",
        "required_friction",
        "pulling",
        "maximum",
        "minimum",
    ),
    "zeromass.report": ("view", "movie", "save", "plot", "to_csv", "to_parquet", "to_xarray"),
}
"""What these packages make of a run: methods that they attach to `Trajectory` when they are imported."""


def __getattr__(name: str) -> Any:
    for package, names in _LATER.items():
        if name in names:
            return getattr(import_module(package), name)
        if package == f"zeromass.{name}":
            return import_module(package)
    raise AttributeError(f"module 'zeromass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Verb:
    """Stands for a method of a run until the package that has it is imported, which puts the method in its place."""

    def __init__(self, package: str, name: str) -> None:
        self._package, self._name = package, name

    def __get__(self, run: Trajectory | None, kind: type[Trajectory]) -> Any:
        import_module(self._package)
        return getattr(kind if run is None else run, self._name)


for _package, _names in _VERBS.items():
    for _name in _names:
        setattr(Trajectory, _name, _Verb(_package, _name))
