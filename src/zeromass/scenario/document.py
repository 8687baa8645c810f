"""A whole scenario file: its tables, what is wrong with them, and the cases that change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from zeromass.integrate import METHODS
from zeromass.model import Event
from zeromass.run import simulate
from zeromass.scenario import contacts, output, rolling, sliding, sweep, system
from zeromass.scenario.errors import ScenarioError, listed, nearest, together
from zeromass.scenario.kinds import Choice, Numbers, Problem, Words
from zeromass.scenario.signatures import table
from zeromass.scenario.source import Source
from zeromass.scenario.tables import Argument, Items, Named, Table, spelled
from zeromass.scenario.unread import unreadable

MODELS = {"rolling": rolling, "contacts": contacts, "sliding": sliding, "system": system}
"""The tables that describe a model, and the modules that read them; a scenario has one."""


def _about(name: str = "scenario", description: str = "") -> None:
    """What a scenario is called.

    name         in titles
    description  for readers
    """


ABOUT = table(_about, said={"description": Words(longest=10_000, shortest=0)})
RUN = table(
    simulate,
    without=("system", "start", "events", "progress"),
    said={"method": Choice(tuple(METHODS))},
    more={"t0": Argument(Numbers())},
)
EVENT = table(Event, without=("guard", "message", "detail"), said={"name": Words(), "direction": Choice((-1, 0, 1))})


def _one_model(given: dict[str, Any]) -> Iterator[Problem]:
    if len(MODELS.keys() & given.keys()) != 1:
        yield (), "a scenario has one model: a table [rolling], [contacts], [sliding] or [system]"
    elif given.get("output", {}).get("shapes") and ("rolling" in given or "contacts" in given):
        yield ("output", "shapes"), "a rolling body is drawn as it is; shapes are for a [system]"


TABLE = Table(
    {
        "scenario": Argument(ABOUT, words=ABOUT.words),
        "parameters": Argument(Named(Numbers(), system.NAME), words="Numbers with names, for use in formulas."),
        "let": Argument(
            Named(Numbers("names"), system.NAME),
            words="Formulas with names, for use in others: of parameters, t, names of the model, and those above.",
        ),
        **{name: Argument(model.TABLE, words=model.TABLE.words) for name, model in MODELS.items()},
        "run": Argument(RUN, required=True, words=RUN.words),
        "events": Argument(Items(EVENT), words=EVENT.words),
        "output": Argument(output.TABLE, words=output.TABLE.words),
        "sweep": Argument(sweep.TABLE, words=sweep.TABLE.words),
    },
    rule=_one_model,
    beside=("cases",),
    words="A scenario of zeromass: a model, its start, what is run and what is written.",
)


def document(source: Source, case: str | None) -> tuple[dict[str, Any], Source, list[str]]:
    """The data of a source with the changes of one of its cases, where their keys stand, and the names of its cases."""
    data = dict(source.data)
    cases = data.pop("cases", {})
    if not isinstance(cases, dict) or not all(isinstance(changes, dict) for changes in cases.values()):
        raise source.error("cases are tables: [cases.NAME.…] changes what stands above", ("cases",))
    if case is not None:
        if case not in cases:
            words = nearest(case, cases) or (f"; there are: {listed(cases)}" if cases else "; it has none")
            raise ScenarioError(f"the scenario has no case '{case}'{words}", file=source.name)
        data = _merged(data, cases[case])
        own = {key[2:]: line for key, line in source.lines.items() if key[:2] == ("cases", case) and len(key) > 2}
        source = replace(source, lines={**source.lines, **own})
    _check(source, data)
    return data, source, list(cases)


def _merged(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(data)
    for key, value in changes.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, dict) and _kind(value, old) == _kind(old, {}):
            result[key] = _merged(old, value)
        else:
            result[key] = value  # another kind has other keys
    return result


def _kind(given: Mapping[str, Any], otherwise: Mapping[str, Any]) -> str:
    return spelled(str(given.get("kind", otherwise.get("kind"))))


def _check(source: Source, data: dict[str, Any]) -> None:
    """Raises all that is wrong with keys and, where something is, with what formulas are made of."""
    problems = dict.fromkeys(TABLE.problems(data, ()))
    if not problems:
        return
    unread = [unreadable(source, text, key) for key, text in TABLE.formulas(data, ())]
    raise together([source.error(message, key) for key, message in problems] + [one for one in unread if one])
