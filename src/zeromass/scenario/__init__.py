"""TOML scenario files and their safe formula language."""

from zeromass.scenario.errors import FormulaError, ScenarioError
from zeromass.scenario.formula import formula
from zeromass.scenario.scenario import (
    Scenario,
    load_scenario,
    parse_scenario,
    shipped_scenarios,
)

__all__ = [
    "FormulaError",
    "Scenario",
    "ScenarioError",
    "formula",
    "load_scenario",
    "parse_scenario",
    "shipped_scenarios",
]
