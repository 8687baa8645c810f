"""The card of a run, for notebooks: how it ended, what it cost, and its curves at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression.card import card, soft, symbol, table, text, told
from zeromass.report.palette import INK, color
from zeromass.report.scales import scales

if TYPE_CHECKING:
    from zeromass.integrate import Course

SAMPLES = 240
"""Times at which a curve is drawn."""

CURVES = 8
"""Most curves of a card."""

WIDE, HIGH = 200, 24
"""Pixels of a curve."""

LEVEL = 1e-6
"""Part of its size by which a quantity must change to be seen."""

KNOWN = ("normal force", "friction force", "friction ratio", "spin", "energy")
"""Quantities that are drawn before coordinates, where the system has them."""


def run_card(run: Course) -> str:
    """Outcome, figures, and small curves: of the path where a body touches a surface, and of what changes in time."""
    outcome = run.outcome
    ended = told(outcome.ending.value, good=outcome.complete) + text(f" at t = {outcome.t:.6g} s")
    rows = [["outcome", ended], ["steps", _steps(run)]]
    if not outcome.complete:
        rows.append(["", text(outcome.message)])
    if len(run.modes) > 1:
        rows.append(["modes of motion", text(_modes(run.modes))])
    if run.switches:
        rows.append(["switches", str(len(run.switches))])
    if run.events:
        names = list(dict.fromkeys(event.name for event in run.events))
        rows.append(["events", text(f"{len(run.events)}: {', '.join(names[:6])}{' …' if len(names) > 6 else ''}")])
    known = run.__dict__.get("_certificate")
    if known is not None:
        rows.append(["digits to trust", text(f"{known.digits:.1f}, limited by {known.limited_by}")])
    rows += [[text(words), ""] for words in run.remarks]
    span = f"{run.t[0]:g} … {run.t[-1]:g} s"
    if len(run) < 2:
        return card("Run", table(rows), note=span)
    sampled = run.at(np.linspace(run.t[0], run.t[-1], SAMPLES))
    curves = table(_curves(run, sampled))
    path = _path(run, sampled)
    beside = f'<td style="border:0;background:none;vertical-align:top;padding:0 18px 0 0">{path}</td>' if path else ""
    cell = f'<td style="border:0;background:none;vertical-align:top;padding:0;text-align:left">{curves}</td>'
    shown = f'<table style="border-collapse:collapse;border:0"><tr>{beside}{cell}</tr></table>'
    return card("Run", table(rows), shown, note=span)


def _steps(run: Course) -> str:
    cost = run.statistics
    return text(f"{cost.steps}, {cost.rejected} rejected, {cost.evaluations} evaluations") + soft(
        f"  {run.settings.method}, rtol {run.settings.rtol:g}"
    )


def _modes(kinds: tuple[str, ...]) -> str:
    return " – ".join(kinds) if len(kinds) <= 5 else f"{kinds[0]} – … – {kinds[-1]}, {len(kinds)} segments"


def _curves(run: Course, sampled: Any) -> list[list[str]]:
    """Name, curve, least and largest value of each."""
    quantities = run.system.quantities
    found: list[tuple[str, str, Any, str]] = [
        (name, text(name), quantities[name].expression, quantities[name].unit) for name in KNOWN if name in quantities
    ]
    contacts = "contact" in quantities
    rest = (
        []
        if contacts
        else [
            (name, symbol(x) if name == x.name else text(name), x, "")
            for name, x in zip(run.system.names, run.system.coordinates, strict=True)
        ]
    )
    chosen = (rest + found if rest else found)[:CURVES]
    rows, large = [], scales(run)
    for k, (name, label, expression, unit) in enumerate(chosen):
        values = np.asarray(sampled[expression], dtype=float)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        level = not high - low > LEVEL * max(abs(low), abs(high), large.get(unit, 0.0))
        span = f"{low if abs(low) > LEVEL * large.get(unit, 0.0) else 0.0:.4g}" if level else f"{low:.4g} … {high:.4g}"
        rows.append(
            [
                label,
                curve(values, _stroke(name, k), level=level),
                _in_one_line(f"{span} {'' if unit == '1' else unit}".rstrip()),
            ]
        )
    return rows


def _in_one_line(words: str) -> str:
    """Numbers, of which a narrow window must not break off the unit."""
    return f'<span style="white-space:nowrap">{soft(words)}</span>'


def _stroke(name: str, k: int) -> str:
    """The colour of a curve; ink is that of the notebook's own words, light or dark."""
    found = color(name, k)
    return "currentColor" if found == INK["light"] else found


def curve(values: np.ndarray, stroke: str, *, level: bool = False) -> str:
    """Values at even times as a small curve; a level line of what does not change to the eye, gaps where it is infinite."""
    values = np.where(np.isfinite(values), values, np.nan)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    y = np.full(len(values), HIGH / 2) if level else HIGH - 2 - (values - low) / (high - low) * (HIGH - 4)
    x = np.linspace(1, WIDE - 1, len(values))
    return f'<svg width="{WIDE}" height="{HIGH}" style="vertical-align:middle">{_line(x, y, stroke)}</svg>'


def _line(x: np.ndarray, y: np.ndarray, stroke: str, width: float = 1.3) -> str:
    good = np.isfinite(x) & np.isfinite(y)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[good], y[good], strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{stroke}" stroke-width="{width}" stroke-linejoin="round"/>'


def _path(run: Course, sampled: Any, side: float = 150.0) -> str:
    """The path of the contact seen from above, to scale."""
    quantities = run.system.quantities
    if "contact" not in quantities:
        return ""
    X, Y, *_ = sampled[quantities["contact"].expression].T
    scale = (side - 12) / max(np.ptp(X), np.ptp(Y), np.finfo(float).tiny)
    x = 6 + (X - X.min()) * scale
    high = max(24.0, 12 + float(np.ptp(Y)) * scale)
    y = high - 6 - (Y - Y.min()) * scale
    dot = f'<circle cx="{x[0]:.1f}" cy="{y[0]:.1f}" r="3" fill="{color("centre")}"/>'
    words = "path of the contact from above"
    return (
        f'<svg width="{side:.0f}" height="{high:.0f}" role="img" aria-label="{words}"><title>{words}</title>'
        f"{_line(x, y, 'currentColor')}{dot}</svg>"
    )
