"""A page that is alive: its sliders make the motion anew, in the page, by a module of WebAssembly."""

from __future__ import annotations

import base64
import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from zeromass.expression import Expression, Symbol, expressions, parameter, symbols
from zeromass.integrate import Course, Settings, course
from zeromass.integrate.outcome import Ending
from zeromass.integrate.pace import pace
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.terms import terms_of_time
from zeromass.integrate.wasm import wasm
from zeromass.model import ModelError, StartError, State
from zeromass.model.prescription import Prescription, single
from zeromass.report.viewer.live import LiveCourse
from zeromass.report.viewer.shapes import described

STATIC = Path(__file__).parent / "static"

CORNERS = 4
"""Sliders of which all ends are tried together before the page is written; of more, those of one after the other."""

SAME = 1e-9
"""How well a start is to be found again, relative to 1 and the state."""

Sliders = Mapping[Any, tuple[float, float]]
"""{parameter, or what the start prescribes: (from, to)}."""


class PageLimited(UserWarning):
    """A page can not do all that Python does with this run; it says so itself, in the same words.

    >>> issubclass(zm.PageLimited, UserWarning)
    True
    """


@dataclass(frozen=True)
class Slider:
    """One slider: the parameter, its name in the page, its ends, and its value at first."""

    symbol: Symbol
    name: str
    low: float
    high: float
    value: float


class Living:
    """A run whose page is alive.

    course  that notes what it is asked for
    reach   motions at the ends of the sliders: what is drawn below them must reach as far
    """

    course: LiveCourse
    reach: list[Course]

    def __init__(self, run: Course, sliders: Sliders, source: str | None = None) -> None:
        self._run, self._source = run, source
        self.remarks: list[str] = []
        self.start, self.sliders = _sliders(run, sliders)
        self.settings: Settings = replace(run.settings, method="dop853", step=None)
        self.until = float(run.t[-1])
        _check(run, self.start, self.settings, self.until)
        self.course = LiveCourse(run.segments)
        self.reach = self._corners()
        self._look()

    def _say(self, words: str) -> None:
        """Tells what the page can not do, here and there."""
        self.remarks.append(words)
        warnings.warn(words, PageLimited, stacklevel=5)

    def _corners(self) -> list[Course]:
        """Motions at the ends of the sliders, as far as there are any."""
        ends = [(s.low, s.high) for s in self.sliders]
        all_ = [dict(zip(self.sliders, values, strict=True)) for values in itertools.product(*ends)]
        if len(self.sliders) > CORNERS:
            all_ = [{s: end} for s, pair in zip(self.sliders, ends, strict=True) for end in pair]
        found, vain, inside = [], [], []
        for values in all_:
            wanted = {s.symbol: values.get(s, s.value) for s in self.sliders}
            words = ", ".join(f"{s.name} = {wanted[s.symbol]:g}" for s in self.sliders)
            try:
                start = self.start.again(wanted)
                moved = course(start.system, start, self.until, replace(self.settings, transitions=False))
            except (StartError, ModelError) as error:
                vain.append(f"{words} ({error})")
                continue
            if len(moved.t) > 1:
                found.append(moved)
            inside += [f"{words}: {said}" for said in moved.remarks]
            if moved.outcome.ending not in (Ending.FINISHED, Ending.EVENT):
                vain.append(f"{words} ({moved.outcome})")
        if inside:
            self._say(f"with {inside[0]}; the page does not look for that")
        if vain:
            more = f", and {len(vain) - 1} other ends" if len(vain) > 1 else ""
            self._say(f"no whole motion with {vain[0]}{more}; the page says so there and shows the last good one")
        return found

    def _look(self) -> None:
        """What of the picture can not follow the sliders."""
        system, values = self._run.system, self._run.parameters
        own = {s.symbol: s.name for s in self.sliders if s.symbol in system.parameters}
        ground = system.drawing.ground
        if ground is not None and own:
            moving = [ground.f, *ground.shift, *([] if ground.rotation is None else ground.rotation.ravel())]
            names = [own[p] for p in symbols(expressions(moving)) if p in own]
            if names:
                self.reach = []
                self._say(
                    f"the surface '{ground.name}' changes with {', '.join(names)}: the motion follows, its picture does not"
                )
        shapes = [[described(b.shape) for b in system.drawing_at(values).bodies if b.shape is not None]]
        for s in self.sliders:
            if s.symbol in own:
                other = system.drawing_at({**values, s.symbol: s.high})
                if [described(b.shape) for b in other.bodies if b.shape is not None] != shapes[0]:
                    self._say(f"a body's shape changes with {s.name}: the motion follows, its picture does not")
        if len(self._run.kinds) > 1:
            kinds = " – ".join(self._run.kinds)
            self._say(
                f"the run changes its kind ({kinds}): with the sliders, the page shows its first kind until that ends"
            )
        elif self._run.outcome.ending is not Ending.FINISHED:
            self._say(f"the run ends early ({self._run.outcome}): motions in the page are not followed further")

    def data(self, drawn: Mapping[str, Any]) -> dict[str, Any]:
        """What the page needs to make motions, once what is drawn was made from `course`."""
        run, asked = self._run, self.course.asked
        if not _alive(drawn, drawn["t"][2]):
            self._say("a part of the picture can not be made anew in the page, and stays as it was in the run")
        outputs = {"shown": list(asked.outputs), "residuals": _zeros(run)}
        module = wasm(
            run.program,
            self.start,
            outputs={name: np.array(some, dtype=object) for name, some in outputs.items() if some},
            events=run.system.events,
            project=run.settings.project,
            limits=run.settings.limits,
        )
        settings = self.settings
        return {
            "module": base64.b64encode(module).decode("ascii"),
            "worker": "\n".join((STATIC / name).read_text("utf-8") for name in ("motion.js", "worker.js")),
            "sliders": [_told(s) for s in self.sliders],
            "clocks": [_clock(times) for times in asked.clocks],
            "shown": len(asked.outputs),
            "violation": settings.limits.violation,
            "settings": {
                "until": self.until,
                "rtol": settings.rtol,
                "atol": settings.atol,
                "longest": settings.longest_step if np.isfinite(settings.longest_step) else None,
            },
            "goes on": {e.name: _following(run, e.name) for e in run.system.events if e.terminal},
            "program": self._program(),
            "source": self._source,
            "remarks": self.remarks,
        }

    def _program(self) -> str:
        """The program that makes a motion of the page from the run, with «values» in its place."""
        s = self.settings
        longest = f", longest_step={s.longest_step!r}" if np.isfinite(s.longest_step) else ""
        project = "" if s.project else ", project=False"
        return (
            "# run: the one that this page was made from\n"
            "start = run.start.again({«values»})\n"
            f"run = zm.simulate(run.program, start, until={self.until!r}, rtol={s.rtol!r}, atol={s.atol!r}, "
            f'method="dop853"{longest}{project})\n'
        )


def _alive(item: Any, count: int) -> bool:
    """Whether all packed arrays that have a value at each time can be made anew."""
    if isinstance(item, Mapping) and "data" in item and "shape" in item:
        return "live" in item or not item["shape"] or item["shape"][0] != count
    inner = item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ()
    return all(_alive(x, count) for x in inner)


def _told(slider: Slider) -> dict[str, Any]:
    """A slider as the page reads it."""
    ends = {"low": slider.low, "high": slider.high, "value": slider.value}
    return {"name": slider.name, "parameter": slider.symbol.name, **ends}


def _sliders(run: Course, sliders: Sliders) -> tuple[State, list[Slider]]:
    """The start with a parameter for each slider, and the sliders."""
    start, found = run.start, []
    made_of = start.made_of
    known = [*run.system.parameters, *(made_of.parameters if made_of else ())]
    pairs = dict(single(made_of.pairs)) if made_of else {}
    for key, ends in sliders.items():
        try:
            low, high = (float(x) for x in ends)
        except (TypeError, ValueError):
            raise ModelError(f"sliders: {key!r} has {ends!r}; give {{parameter: (from, to)}}") from None
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ModelError(f"sliders: {key!r} goes from {low:g} to {high:g}; give two finite numbers in order")
        if isinstance(key, Symbol) and key.kind == "parameter" and key in known:
            value = float(start.parameters.get(key, key.default or 0.0))
            found.append(Slider(key, key.name, low, high, value))
        elif isinstance(key, Expression) and key in pairs and not symbols(expressions(pairs[key])):
            name = repr(key)
            symbol = parameter("start_" + "".join(c if c.isalnum() else "_" for c in name), float(pairs[key]))
            pairs[key] = symbol
            found.append(Slider(symbol, name, low, high, float(symbol.default or 0.0)))
        else:
            there = ", ".join([*[p.name for p in known], *[repr(e) for e in pairs]]) or "nothing"
            raise ModelError(
                f"sliders: '{key!r}' is neither a zm.parameter of the model or the start nor a number that the start was "
                f"given; there is: {there}"
            )
    if made_of is not None:
        own = tuple(
            dict.fromkeys([*made_of.parameters, *[s.symbol for s in found if s.symbol not in run.system.parameters]])
        )
        start = replace(start, made_of=Prescription(tuple(pairs.items()), made_of.t, made_of.guess, own))
    return start, found


def _check(run: Course, start: State, settings: Settings, until: float) -> None:
    """That the page can make motions of a run."""
    from zeromass.compile.newton import NewtonSteps

    system = run.system
    if system.pieces is not None:
        raise ModelError(
            f"sliders: formulas of the system switch ('{system.pieces.switches[0].said!r}'), and a page does not locate "
            "switches; leave the sliders out"
        )
    if start.made_of is not None and not NewtonSteps.possible(start):
        raise ModelError(
            "sliders: prescribed values and constraints do not determine the start (left free: "
            f"{', '.join(start.free)}), so a page can not solve for it; prescribe more of it"
        )
    if start.made_of is not None:
        off = np.abs(np.concatenate([start.again({}).q - start.q, start.again({}).v - start.v])).max()
        if off > SAME * max(1.0, np.abs([*start.q, *start.v]).max()):
            raise ModelError(
                "sliders: the start was made with other values than those that its parameters have by themselves; give "
                "these to zm.parameter(…) instead"
            )
    if system.stiff is not None:
        raise ModelError(f"sliders: a {system.kind} motion is stiff, and a page has no method for that; leave them out")
    if terms_of_time(system):
        found = pace(system, start.parameters, start.t, until)
        if found is not None and Ahead(found).matters:
            raise ModelError(
                "sliders: steps of this run are limited by what depends on time alone, which a page does not look ahead "
                "for; leave the sliders out, or give the run longest_step=… and a formula that is smooth"
            )


def _zeros(run: Course) -> list[Expression]:
    """The constraints of positions and of velocities, as in `system.residuals`."""
    system = run.system
    return [zero for level in range(2) for _, zero in system.zeros(level)]


def _clock(times: np.ndarray) -> list[float]:
    return [float(times[0]), float(times[-1]), len(times)]


def _following(run: Course, event: str) -> bool:
    """Whether Python goes on after an event, as another kind of motion."""
    try:
        return run.system.goes_on_as(event, run.start) is not None
    except ModelError:
        return False
