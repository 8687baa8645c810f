"""A whole scenario file: its tables, what is wrong with them, and the cases that change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from zeromass.errors import listed, nearest
from zeromass.integrate import METHODS
from zeromass.model import Event
from zeromass.run import simulate
from zeromass.scenario import contacts, output, rolling, sliding, sweep, system
from zeromass.scenario.errors import ScenarioError
from zeromass.scenario.kinds import Choice, Numbers, Problem, Words
from zeromass.scenario.mending import Changes, mended
from zeromass.scenario.reading import Reader
from zeromass.scenario.signatures import table
from zeromass.scenario.source import Key, Source
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
EVENT = table(
    Event, without=("guard", "message", "detail", "margin"), said={"name": Words(), "direction": Choice((-1, 0, 1))}
)


def _one_model(given: dict[str, Any]) -> Iterator[Problem]:
    if len(MODELS.keys() & given.keys()) != 1:
        yield (), "a scenario has one model: a table [rolling], [contacts], [sliding] or [system]"
    else:
        yield from _at_most_one(given)


def _at_most_one(given: dict[str, Any]) -> Iterator[Problem]:
    """The same, where a scenario without a model is read as far as it goes."""
    for other in [name for name in MODELS if name in given][1:]:
        yield (other,), "a scenario has one model"
    if given.get("output", {}).get("shapes") and ("rolling" in given or "contacts" in given):
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


@dataclass(frozen=True)
class Document:
    """The data of a source with the changes of one of its cases, where their keys stand, and the names of its cases.

    errors    what is wrong with keys and, where something is, with what formulas are made of
    replaced  keys where something else stands than in the file, as those have it that are wrong: see `mending`
    """

    data: dict[str, Any]
    source: Source
    cases: tuple[str, ...]
    errors: tuple[ScenarioError, ...] = ()
    replaced: frozenset[Key] = frozenset()

    @property
    def kind(self) -> str | None:
        """The table of its model."""
        return next((kind for kind in MODELS if kind in self.data), None)

    def reader(self) -> Reader:
        """What reads its formulas, and knows what is wrong with it already."""
        given, found = self.data, {"found": self.errors, "replaced": self.replaced}
        return Reader(self.source, given.get("parameters", {}), sweep.swept(given), given.get("let"), **found)


def document(source: Source, case: str | None) -> Document:
    """What a source says, and what is wrong with its keys."""
    data, errors = dict(source.data), []
    cases = data.pop("cases", {})
    if not isinstance(cases, dict) or not all(isinstance(changes, dict) for changes in cases.values()):
        errors.append(source.error("cases are tables: [cases.NAME.…] changes what stands above", ("cases",)))
        cases = {}
    if case is not None:
        if case not in cases:
            words = nearest(case, cases) or (f"; there are: {listed(cases)}" if cases else "; it has none")
            raise ScenarioError(f"the scenario has no case '{case}'{words}", file=source.name)
        data = _merged(data, cases[case])
        own = {key[2:]: line for key, line in source.lines.items() if key[:2] == ("cases", case) and len(key) > 2}
        source = replace(source, lines={**source.lines, **own})
    return _checked(Document(data, source, tuple(cases), tuple(errors)))


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


def _checked(whole: Document) -> Document:
    """The same with all that is wrong with keys, and without it in the data."""
    source, data, changes = whole.source, whole.data, Changes()
    problems = dict.fromkeys(TABLE.problems(data, ()))
    if not problems:
        return whole
    unread = [unreadable(source, text, key) for key, text in TABLE.formulas(data, ())]
    new = mended(replace(TABLE, rule=_at_most_one), deepcopy(data), (), changes)
    errors = [source.error(message, key) for key, message in (*problems, *changes.broken)]
    errors += [one for one in unread if one]
    meant = {key: source.lines[there] for key, there in changes.meant.items() if there in source.lines}
    source = replace(source, lines={**meant, **source.lines})
    return replace(
        whole, data=new, source=source, errors=(*whole.errors, *errors), replaced=frozenset(changes.replaced)
    )
