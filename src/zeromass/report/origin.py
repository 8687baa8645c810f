"""Where a run comes from and how far it can be trusted: what its files and datasets tell beside the numbers."""

from __future__ import annotations

import copy
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from zeromass.analysis import Certificate
from zeromass.integrate import Course

PACKAGES = ("zeromass", "numpy", "scipy", "llvmlite")
"""Those that decide the numbers of a run."""


@dataclass(frozen=True)
class Origin:
    """What is known of a run beside its numbers; "" of what is not.

    scenario, case  text of the scenario file, and which of its cases was run
    versions        of Python and of the packages that computed it
    certificate     in words, where the run was read from a file that has it
    """

    versions: Mapping[str, str]
    scenario: str = ""
    case: str = ""
    certificate: str = ""

    @classmethod
    def from_attributes(cls, attributes: Mapping[str, Any]) -> Origin:
        """The origin of a run that was read from a file with these attributes."""
        told = [name for name in ("python", *PACKAGES) if f"{name}_version" in attributes]
        versions = {name: str(attributes[f"{name}_version"]) for name in told}
        words = [str(attributes.get(name, "")) for name in ("scenario", "scenario_case", "certificate")]
        return cls(versions, *words)


def origin(run: Course) -> Origin:
    """The origin that a run was given; of others that of a run made here and now, without a scenario."""
    here = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    return run.__dict__.get("_origin") or Origin(here)


def with_origin(run: Course, given: Origin) -> Course:
    """The same run, which knows where it comes from."""
    same = copy.copy(run)
    same.__dict__["_origin"] = given
    return same


def from_scenario(run: Course, text: str, case: str | None = None) -> Course:
    """The same run, which knows the text of the scenario that it came from, and which of its cases.

    >>> from zeromass.report import from_scenario
    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> run = from_scenario(zm.simulate(swing, swing.start({x: 1.0}), until=1.0), "name = 'swing'")
    >>> run.to_xarray(certificate=False).attrs["scenario"]
    "name = 'swing'"
    """
    return with_origin(run, replace(origin(run), scenario=text, case=case or ""))


def attributes(
    run: Course, *, certificate: Certificate | bool | None = True, scenario: str | None = None
) -> dict[str, str | float]:
    """Outcome, cost, settings, parameters, versions, scenario and certificate of a run, by name.

    certificate  True: that of the run, for which a second run is made unless it is known; False or None: none;
                 or a certificate
    scenario     text of the scenario file, where the run does not know it
    """
    known = origin(run)
    return {
        "outcome": str(run.outcome),
        "statistics": str(run.statistics),
        "settings": json.dumps(dict(run.settings)),
        "scenario": known.scenario if scenario is None else scenario,
        "scenario_case": known.case,
        "certificate": _words(run, certificate),
        **{f"{name}_version": number for name, number in known.versions.items()},
        **{f"parameter {p.name}": float(value) for p, value in run.parameters.items()},
    }


def _words(run: Course, certificate: Certificate | bool | None) -> str:
    if isinstance(certificate, Certificate):
        return str(certificate)
    if not certificate or len(run) < 2:  # a run that could not begin has nothing to be measured
        return ""
    return origin(run).certificate or str(run.certificate())
