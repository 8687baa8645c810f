"""A page that is alive: its sliders make the motion anew, in the page, by a module of WebAssembly."""

from __future__ import annotations

import base64
import itertools
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.errors import PageLimited
from zeromass.expression import Expression, heading
from zeromass.integrate import Course, Settings, course
from zeromass.integrate.alone.pieced import Pieced
from zeromass.integrate.outcome import Ending
from zeromass.integrate.terms import lengths_in
from zeromass.integrate.wasm import switched_modules, wasm
from zeromass.model import ModelError, StartError, State
from zeromass.report.viewer.live import LiveCourse
from zeromass.report.viewer.living_ground import LiveGrounds
from zeromass.report.viewer.pull import Pull
from zeromass.report.viewer.shapes import described
from zeromass.report.viewer.sliders import (
    BOUND,
    STIFF,
    Slider,
    Sliders,
    check,
    only_explicit,
    sliders_of,
    told,
)

STATIC = Path(__file__).parent / "static"

SCRIPTS: dict[str, tuple[str, ...]] = {
    "": ("motion.js",),
    "switches": ("motion.js", "timetable.js", "hybrid.js"),
}
"""Scripts that make motions, in their order: of one module, and over switches, modes of contacts and other pivots."""

MET = 9
"""States of each segment of a motion, whose pivots changed, at which it is looked which ones are best."""

CORNERS = 4
"""Sliders of which all ends are tried together before the page is written; of more, those of one after the other."""


class _Code(NamedTuple):
    """Modules of WebAssembly that make motions, what drives them, and what that is told."""

    modules: list[bytes]
    driver: str
    driven: dict[str, Any] | None

    @property
    def data(self) -> dict[str, Any]:
        """It as the page reads it."""
        packed = [base64.b64encode(module).decode("ascii") for module in self.modules]
        return {"modules": packed, "driver": self.driver, "driven": self.driven}


class Living:
    """A run whose page is alive.

    course  that notes what it is asked for
    reach   motions at the ends of the sliders: what is drawn below them must reach as far
    """

    course: LiveCourse
    reach: list[Course]
    remarks: list[str]
    start: State
    sliders: list[Slider]
    settings: Settings
    until: float

    def __init__(self, run: Course, sliders: Sliders, source: str | None = None) -> None:
        self._run, self._source = run, source
        self.remarks = []
        self.start, self.sliders = sliders_of(run, sliders)
        self.settings = replace(run.settings, method="dop853", step=None)
        self.until = float(run.t[-1])
        self._turned = False
        check(run, self.start, self.sliders)
        if run.settings.method in STIFF and only_explicit(run) is None:
            self.settings = replace(self.settings, method="radau")
        self.course = LiveCourse(run.segments)
        self.reach = self._corners()
        self._turned = any(motion.statistics.repivots for motion in (run, *self.reach)) and not run.system.large
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
                moved = course(start.system, start, self.until, self._tried)
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

    @property
    def _tried(self) -> Settings:
        """Of motions that are made to see whether the page can: not too long where they may be stiff."""
        explicit = self.settings.method not in STIFF and self._run.settings.method in STIFF
        return replace(self.settings, memory=BOUND) if explicit else self.settings

    def _look(self) -> None:
        """What of the picture can not follow the sliders."""
        system, values = self._run.system, self._run.parameters
        own = {s.symbol: s.name for s in self.sliders if s.symbol in system.parameters}
        shapes = [[described(b.shape) for b in system.drawing_at(values).bodies if b.shape is not None]]
        for s in self.sliders:
            if s.symbol in own:
                other = system.drawing_at({**values, s.symbol: s.high})
                if [described(b.shape) for b in other.bodies if b.shape is not None] != shapes[0]:
                    self._say(f"a body's shape changes with {s.name}: the motion follows, its picture does not")
        watched = {e.name for e in system.events}
        watched |= {words for one in system.unilaterals for words in one.event_names}
        strangers = {e.name for e in self._run.events} - watched
        if strangers:
            names = ", ".join(sorted(f"'{name}'" for name in strangers))
            self._say(f"the page watches what the system watches, and not {names}, which the run was asked for")
        if system.unilaterals and not self._run.settings.transitions:
            self._say("the page goes on where contact modes change, and the run ends there (transitions=False)")
        if self._run.outcome.ending is not Ending.FINISHED:
            self._say(f"the run ends early ({self._run.outcome}): motions in the page are not followed further")

    def data(self, scene: Mapping[str, Any]) -> dict[str, Any]:
        """What the page needs to make motions, once the scene was made from `course`."""
        run, asked, drawn = self._run, self.course.asked, scene["runs"][0]
        grounds = LiveGrounds(run.system.drawing, [s.symbol for s in self.sliders])
        surfaces = grounds.data(drawn, scene["surfaces"])
        for name, why in grounds.stays:
            self._say(f"the surface '{name}' changes with {', '.join(why)}: the motion follows, its picture does not")
        if not _alive(drawn, drawn["t"][2]):
            self._say("a part of the picture can not be made anew in the page, and stays as it was in the run")
        settings, code = self.settings, self._motion(grounds)
        scripts = (*SCRIPTS[code.driver], "lengths.js", "worker.js")
        lengths = self._lengths
        return {
            **code.data,
            "pull": self._pull(drawn, grounds),
            "worker": "\n".join((STATIC / name).read_text("utf-8") for name in scripts),
            "sliders": [told(s) for s in self.sliders],
            "clocks": [_clock(times) for times in asked.clocks],
            "shown": len(asked.outputs) + sum(len(some) for _, some in lengths),
            "lengths": {
                "first": len(asked.outputs),
                "sizes": [len(some) for _, some in lengths],
                "said": [said for said, _ in lengths],
            },
            "grounds": surfaces,
            "violation": settings.limits.violation if settings.project else None,
            "settings": {
                "until": self.until,
                "rtol": settings.rtol,
                "atol": settings.atol,
                "longest": settings.longest_step if np.isfinite(settings.longest_step) else None,
            },
            "program": self._program(),
            "source": self._source,
            "remarks": self.remarks,
        }

    @cached_property
    def _lengths(self) -> list[tuple[str, list[Expression]]]:
        """Lengths whose passages through zero the page looks for: as they were written, and what it samples of them."""
        system = self._run.system
        if not lengths_in(system):
            return []
        from zeromass.integrate.lengths import lengths_of  # few systems have any that may vanish

        return [(heading(length.said), some) for length, some in lengths_of(system).sampled]

    def _motion(self, grounds: LiveGrounds) -> _Code:
        """The code of the motion."""
        run = self._run
        plain = run.system.pieces is None and not self._turned
        return self._code(self.start, run.program if plain else None, grounds, () if plain else self._met())

    def _pulled(self, pull: Pull, grounds: LiveGrounds) -> _Code:
        """The same with a force on each body, which goes on from any state."""
        system = pull.system
        plain = system.pieces is None and not self._turned
        met = () if plain or system.pieces is not None else tuple(map(pull.state, self._met()))
        return self._code(pull.start, program_at(system, pull.start) if plain else None, grounds, met)

    def _code(self, start: State, program: Program | None, grounds: LiveGrounds, met: tuple[State, ...]) -> _Code:
        """The code of motions: of one program, or over switches and pivots."""
        run, settings, events = self._run, self.settings, tuple(self._run.system.events)
        shown = [*self.course.asked.outputs, *[e for _, some in self._lengths for e in some]]
        outputs = {"shown": shown, "residuals": _zeros(run)}
        field = (grounds.place, grounds.fields) if grounds.fields else None
        if program is not None:
            module = wasm(
                program,
                start,
                outputs={name: np.array(some, dtype=object) for name, some in outputs.items() if some},
                events=events,
                until=self.until,
                project=run.settings.project,
                limits=run.settings.limits,
                field=field,
                method="radau" if settings.method in STIFF else "dop853",
            )
            return _Code([module], "", None)
        motion = Pieced(
            start,
            events,
            tuple(e for some in outputs.values() for e in some),
            self.until,
            settings,
            [s.symbol for s in self.sliders],
            tuple(field[0]) if field else (),
            tuple(field[1]) if field else (),
            met,
        )
        modules, driven = switched_modules(motion, {name: [len(some)] for name, some in outputs.items() if some})
        return _Code(modules, "switches", driven)

    def _met(self) -> tuple[State, ...]:
        """Where the run and the motions at the ends of the sliders come to other pieces of formulas, or other pivots."""
        found, pieces = [], self._run.system.pieces
        for segment in (segment for motion in (self._run, *self.reach) for segment in motion.segments):
            n, count = len(segment.start.q), MET if segment.statistics.repivots else 1
            for k in np.unique(np.linspace(0, len(segment.t) - 1, count).astype(int)).tolist():
                y = segment.y[k]
                here = State(segment.system, float(segment.t[k]), y[:n], y[n:], segment.parameters)
                modes = {} if segment.piece is None else segment.piece.modes
                found.append(here if pieces is None else pieces.state(here, modes))
        return tuple(found)

    def _pull(self, drawn: Mapping[str, Any], grounds: LiveGrounds) -> dict[str, Any]:
        """What the page needs so that bodies can be pulled, or why they can not."""
        outputs = list(self.course.asked.outputs)

        def formulas(body: Mapping[str, Any]) -> tuple[Expression, ...]:
            lives = [body.get(name, {}).get("live", {}) for name in ("position", "quaternion")]
            return tuple(outputs[k] for live in lives for k in live.get("values", ()))

        pull = Pull(self.start, [() if body.get("scenery") else formulas(body) for body in drawn["bodies"]])
        if pull.why is not None:
            return {"why": pull.why}
        try:
            return {**pull.data(), **self._pulled(pull, grounds).data}
        except ModelError as error:
            return {"why": f"bodies of this page can not be pulled: {error}"}

    def _program(self) -> str:
        """The program that makes a motion of the page from the run, with «values» in its place."""
        s = self.settings
        longest = f", longest_step={s.longest_step!r}" if np.isfinite(s.longest_step) else ""
        project = "" if s.project else ", project=False"
        made_from = "run.program" if self._run.system.pieces is None else "run.system"
        return (
            "# run: the one that this page was made from\n"
            "start = run.start.again({«values»})\n"
            f"run = zm.simulate({made_from}, start, until={self.until!r}, rtol={s.rtol!r}, atol={s.atol!r}, "
            f'method="{s.method}"{longest}{project})\n'
        )


def _alive(item: Any, count: int) -> bool:
    """Whether all packed arrays that have a value at each time can be made anew."""
    if isinstance(item, Mapping) and "data" in item and "shape" in item:
        return "live" in item or not item["shape"] or item["shape"][0] != count
    inner = item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ()
    return all(_alive(x, count) for x in inner)


def _zeros(run: Course) -> list[Expression]:
    """The constraints of positions and of velocities, as in `system.residuals`."""
    system = run.system
    return [zero for level in range(2) for _, zero in system.zeros(level)]


def _clock(times: np.ndarray) -> list[float]:
    return [float(times[0]), float(times[-1]), len(times)]
