"""Cards of systems, states and diagnoses, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeromass.errors import ZeromassError, listed
from zeromass.expression import Expression
from zeromass.expression.card import card, math, soft, symbol, table, text, told
from zeromass.expression.text import written
from zeromass.expression.tidy import Tidy
from zeromass.expression.typeset import Typesetter

if TYPE_CHECKING:
    from zeromass.model.check import Diagnosis
    from zeromass.model.state import State
    from zeromass.model.system import System

SHOWN, READ = 44, 2000
"""Signs of a formula that a card shows, and operations of one that it reads at all; `zm.export.latex` shows the others."""

MOST = 24
"""Rows of a table."""

LARGE = 60
"""Coordinates of a system that is examined before it is shown: of a larger one that takes longer than a look."""


def system_card(system: System) -> str:
    """Coordinates, constraints and the verdict at a state that satisfies these."""
    rows = [["coordinates", _listed([symbol(x) for x in system.coordinates])]]
    if system.parameters:
        names = [f"{symbol(p)} = {p.default:g}" for p in system.parameters if p.default is not None]
        rows.append(["parameters", _listed(names)])
    for name in ("kinetic", "potential"):
        energy = getattr(system._free, name)
        words = None if energy is None else _short(energy)
        if words is not None:
            rows.append([f"{name} energy", math(words)])
    verdict, kinds = _judged(system)
    rows += [[f"constraint {text(row.name)}", _zero(row.zero, kinds.get(row.group, ""))] for row in system.rows[:MOST]]
    if len(system.rows) > MOST:
        rows.append(["", soft(f"and {len(system.rows) - MOST} more")])
    rows.append(["motion", verdict])
    return card(type(system).__name__, table(rows), note=_count(system))


def _judged(system: System) -> tuple[str, dict[str, str]]:
    """The verdict at a start of the system's own, and the kinds of its constraints."""
    if len(system.coordinates) > LARGE:
        return soft("system.check() says whether it is unique"), {}
    try:
        found = system.check()
    except ZeromassError as error:
        return soft(f"not known at a start of its own: {str(error).splitlines()[0]}"), {}
    return _verdict(found), found.kinds


def _count(system: System) -> str:
    return f"{len(system.coordinates)} coordinates, {len(system.rows)} constraint rows"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:MOST])
    return shown + (soft(f" and {len(names) - MOST} more") if len(names) > MOST else "")


def _zero(zero: Expression, kind: str) -> str:
    words, found = soft(f" {kind}") if kind else "", _short(zero)
    return (soft(f"of {written(zero)} operations") if found is None else math(f"{found} = 0")) + words


def _short(e: Expression) -> str | None:
    """A formula that fits into a line; None of others."""
    board = Tidy()
    if written(e) > READ or board.size(found := board(e)) > SHOWN:
        return None
    return Typesetter(board, 6).words(found)


def _verdict(found: Diagnosis) -> str:
    words = told(found.verdict.value, good=found.unique)
    parts = [f"rank of [M; A] is {found.rank} of {found.coordinates}", f"{found.degrees_of_freedom} degrees of freedom"]
    if found.redundant:
        parts.append(f"{listed(found.redundant, 6)} redundant")
    return words + soft(": " + ", ".join(parts))


def state_card(state: State) -> str:
    """Values of coordinates and their rates."""
    rows = [
        [symbol(x), f"{q:.9g}", f"{v:.9g}"] for x, q, v in zip(state.system.coordinates, state.q, state.v, strict=True)
    ]
    shown = table(rows[:MOST], ("coordinate", "value", "rate"))
    more = soft(f"and {len(rows) - MOST} more") if len(rows) > MOST else ""
    named = [f"{symbol(p)} = {value:g}" for p, value in state.parameters.items()]
    free = soft(f"left free: {', '.join(state.free)}") if state.free else ""
    return card("State", shown, more, _listed(named) if named else "", free, note=f"at t = {state.t:g} s")


def diagnosis_card(found: Diagnosis) -> str:
    """The verdict, and what is missing or too much."""
    rows = [
        ["motion", told(found.verdict.value, good=found.unique)],
        [
            "rank of [M; A]",
            f"{found.rank} of {found.coordinates} coordinates, margin {found.margin:.1e}{text(found.light)}",
        ],
        ["constraints", f"{found.constraint_rows} rows of rank {found.constraint_rank}"],
        ["degrees of freedom", str(found.degrees_of_freedom)],
    ]
    rows += [["", f"{text(name)}: {text(kind)}"] for name, kind in found.kinds.items()]
    rows += [
        ["undetermined", text(f"acceleration of {listed(u.direction, 6)}; {u.remedy}")] for u in found.undetermined
    ]
    rows += [["redundant", text(f"'{row}' follows from {_quoted(of)}")] for row, of in found.redundant.items()]
    rows += [["contradictory", text(f"'{row}' contradicts {_quoted(of)}")] for row, of in found.contradictory.items()]
    if found.inseparable:
        rows.append(["reactions", text(f"not determined one by one: {', '.join(found.inseparable)}")])
    rows += [["lost", text(words)] for words in found.lost]
    return card("Diagnosis", table(rows))


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "nothing"
