"""zeromass: mechanics as written on paper, as explicit equations of motion.

    what one writes        what is derived           what is run                 what one sees
    ───────────────        ───────────────           ───────────                 ─────────────
    parts, surfaces   ──►  M q̈ = Q + C + Aᵀλ   ──►   elimination, machine  ──►   trajectory, reactions,
    constraints, forces    A q̈ = b                   code, steps in time         certificate, plots, viewer

Masses may be zero, coordinates too many, constraints redundant. The most used names are here, the others in namespaces:

    zm.joints      joints, gears, ropes, wheels       zm.analysis    linear systems, periodic orbits, fits
    zm.bodies      balls, discs, any convex body      zm.study       what `zm.sweep` keeps, samples, clusters
    zm.shapes      shapes of contacts                 zm.plot        figures of several runs and of studies
    zm.surfaces    planes, bowls, cylinders           zm.export      C, LaTeX, SymPy, WebAssembly
    zm.control     controllers, feedback              zm.expression  derivatives and values of formulas
                                                      zm.errors      errors and warnings

A package imports only from packages to its left:

    errors ─► expression ─► equation ─► model ─► mechanism ─► contact ─► compile ─► integrate
        ─► analysis ─► report ─► run ─► study ─► scenario ─► papers ─► cli
"""

import zeromass.search_path as _search_path  # noqa: F401  (before anything else is imported)

# isort: split
from zeromass.lazy import attach as _attach
from zeromass.renamed import advice as _advice

_attach(__name__, missing=_advice)
