"""What to write instead of a name that `zm` had, or that is in one of its namespaces."""

from __future__ import annotations

import importlib

NAMESPACES = (
    "joints",
    "bodies",
    "shapes",
    "surfaces",
    "control",
    "analysis",
    "study",
    "plot",
    "export",
    "expression",
    "errors",
)

RENAMED = {
    "Box": "zm.shapes.box",
    "Branch": "zm.analysis.EquilibriumBranch",
    "ContactPoint": "zeromass.model.ContactPoint",
    "Control": "zeromass.model.Control",
    "ConvexBody": "zeromass.contact.ConvexBody",
    "Diagnosis": "zeromass.model.Diagnosis",
    "Disc": "zm.shapes.disc",
    "Dot": "zm.shapes.sphere",
    "Drawing": "zeromass.model.Drawing",
    "Effort": "zm.analysis.InverseDynamicsResult",
    "Ellipsoid": "zm.shapes.ellipsoid",
    "Ending": "zeromass.integrate.Ending",
    "Fit": "zm.analysis.FitResult",
    "ImplicitBody": "zeromass.contact.ImplicitBody",
    "Impulse": "zeromass.integrate.Impulse",
    "METHODS": "zeromass.integrate.METHODS",
    "Method": "zeromass.integrate.Method",
    "Motion": "zeromass.equation.Motion",
    "Occurrence": "zeromass.integrate.Occurrence",
    "Outcome": "zeromass.integrate.Outcome",
    "Pair": "zeromass.contact.Pair",
    "Periodic": "zm.analysis.PeriodicOrbit",
    "Program": "zeromass.compile.Program",
    "Ring": "zm.shapes.ring",
    "Rod": "zm.shapes.cylinder",
    "Roller": "zeromass.contact.Roller",
    "Segment": "zeromass.integrate.Segment",
    "Settings": "zeromass.integrate.Settings",
    "Special": "zm.analysis.SpecialPoint",
    "Switching": "zeromass.integrate.Switching",
    "Verdict": "zeromass.equation.Verdict",
    "Wheel": "zm.shapes.wheel",
    "adjoint": "run.adjoint(expression)",
    "certificate": "run.certificate()",
    "equilibrium": "system.equilibrium()",
    "lyapunov_exponent": "run.lyapunov_exponent()",
    "lyapunov_spectrum": "run.lyapunov_spectrum()",
    "plot_roots": "zm.plot.roots",
    "plot_study": "zm.plot.study",
    "sensitivity": "run.sensitivity()",
    "to_sympy": "zm.export.sympy",
    "view": "run.view(path, others=[…])",
}
"""{old name: what it is now}, where more than the namespace has changed."""


def advice(name: str) -> str | None:
    """What to write instead of `zm.name`; None if nothing of zeromass has that name."""
    if name in RENAMED:
        return f"zm.{name} is now {RENAMED[name]}"
    spaces = [space for space in NAMESPACES if name in dir(importlib.import_module(f"zeromass.{space}"))]
    if not spaces:
        return None
    first, *others = (f"zm.{space}.{name}" for space in spaces)
    return f"zm.{name} is now {first}" + (f"; there are also {' and '.join(others)}" if others else "")
