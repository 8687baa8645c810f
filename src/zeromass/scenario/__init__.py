"""TOML scenario files and their safe formula language."""

from zeromass.scenario.errors import FormulaError, ScenarioError
from zeromass.scenario.formula import formula
from zeromass.scenario.scenario import (
    Scenario,
    load_scenario,
    parse_scenario,
    shipped_scenarios,
)
from zeromass.scenario.schema import scenario_schema

__all__ = [
    "FormulaError",
    "Scenario",
    "ScenarioError",
    "formula",
    "load_scenario",
    "parse_scenario",
    "scenario_schema",
    "shipped_scenarios",
]
