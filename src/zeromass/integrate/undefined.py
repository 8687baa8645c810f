"""Events that are not seen as one may think: without a value, as √x for x < 0, or of forces that no motion determines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.expression import expressions, symbols
from zeromass.integrate.course import Course
from zeromass.integrate.segment import Samples
from zeromass.integrate.stepping.kinks import borders
from zeromass.model import Event


def without_value(course: Course, events: Sequence[Event]) -> list[str]:
    """Which of some events have no value at a step of a motion, or halfway between two, and since when, in words.

    >>> from zeromass.integrate.undefined import without_value
    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=2.0)
    >>> [words[:26] for words in without_value(run, [zm.Event("gone", np.sqrt(x) - 0.1)])]
    ["event 'gone' has no value "]
    """
    asked = [event for event in events if borders([event.zero])]
    if not asked:
        return []
    times = np.concatenate([course.t, (course.t[1:] + course.t[:-1]) / 2])
    times = times[np.argsort(np.abs(times - course.t[0]), kind="stable")]
    with np.errstate(all="ignore"):
        seen = [(event, np.isnan(course.at(times)[event.zero])) for event in asked]
    words = "event '{}' has no value at t = {:.6g} s, or about there: its zeros are not seen where it has none"
    return [words.format(event.name, times[np.argmax(nan)]) for event, nan in seen if nan.any()]


def of_shared_forces(course: Course, events: Sequence[Event]) -> list[str]:
    """Which of some events watch a force that redundant constraints share in any way, in words.

    A motion is stepped with one share, and what a run tells is another, the shortest.

    >>> from zeromass.integrate.undefined import of_shared_forces
    >>> beam = zm.RigidBody("beam", mass=3.0, inertia=(1, 1, 1))
    >>> PointOnPlane, places = zm.joints.PointOnPlane, {f"pin {x}": (x, 0, 0) for x in (-1, 0, 1)}
    >>> pins = [PointOnPlane(zm.Ground(), beam, at=at, normal=(0, 0, 1), name=name) for name, at in places.items()]
    >>> system = zm.System([beam], gravity=9.81, joints=pins)
    >>> run = zm.simulate(system, system.start(), until=0.1)
    >>> [words[:45] for words in of_shared_forces(run, [zm.Event("hard", pins[0].force[2] - 20.0)])]
    ["event 'hard' watches a force that the motion "]
    """
    found: dict[str, str] = {}
    for event in events:
        if not any(leaf.kind == "multiplier" for leaf in symbols(event.zero)):
            continue
        for segment in course.segments:
            if segment.program is not None and event.name not in found:
                first = Samples(segment, segment.t[:1], segment.y[:1])
                groups = first.sharing(segment.meant(expressions([event.zero])))
                if groups:
                    names = ", ".join(f"'{name}'" for name in groups)
                    found[event.name] = (
                        f"event '{event.name}' watches a force that the motion does not determine: {names} share it in any "
                        "way, and it is watched in another share than the run tells; watch what they carry together, or "
                        "leave one of them out"
                    )
    return list(found.values())
