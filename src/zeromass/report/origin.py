"""Where a run comes from and how far it can be trusted: what its files and datasets tell beside the numbers."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zeromass.integrate import Course

PACKAGES = ("zeromass", "numpy", "scipy", "llvmlite")
"""Those that decide the numbers of a run."""


@dataclass(frozen=True)
class Origin:
    """What is known of a run beside its numbers; "" of what is not.

    scenario, case  text of the scenario file, and which of its cases was run
    versions        of Python and of the packages that computed it
    certificate     in words, where the run was read from a file that has it

    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(swing, swing.start({x: 1.0}), until=1.0).from_scenario("name = 'swing'")
    >>> run.origin.scenario
    "name = 'swing'"
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


def here() -> Origin:
    """The origin of a run made here and now, without a scenario."""
    from importlib.metadata import version  # brings the mail package with it

    return Origin({"python": platform.python_version(), **{name: version(name) for name in PACKAGES}})


def attributes(
    run: Course, origin: Origin, *, certificate: str = "", scenario: str | None = None
) -> dict[str, str | float]:
    """Outcome, cost, settings, parameters, versions, scenario and certificate of a run, by name.

    certificate  in words
    scenario     text of the scenario file, where the origin does not know it
    """
    return {
        "outcome": str(run.outcome),
        "statistics": str(run.statistics),
        "settings": json.dumps(run.settings.as_dict()),
        "scenario": origin.scenario if scenario is None else scenario,
        "scenario_case": origin.case,
        "certificate": certificate,
        **{f"{name}_version": number for name, number in origin.versions.items()},
        **{f"parameter {p.name}": float(value) for p, value in run.parameters.items()},
    }
