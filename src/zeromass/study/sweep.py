"""Studies: the same motion for many values of parameters, as a labelled Dataset.

members ─► chunks ─► executor ─► collected results
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from zeromass.compile.program import Program
from zeromass.errors import RunStopped, shown
from zeromass.integrate import Limits, Settings
from zeromass.integrate.course import Events, asked_events
from zeromass.model import ModelError, State, System
from zeromass.model.given import by_parameter, given_choice, given_kind, given_mapping, given_real
from zeromass.study.chunk import Study, Work
from zeromass.study.dispatch import Dispatch, Pool, here
from zeromass.study.gathered import Gathered
from zeromass.study.keep import check_kept, kept_by_name
from zeromass.study.labels import check_names
from zeromass.study.members import Axes, Members, StartOf, axes_of
from zeromass.study.starts import Starts
from zeromass.study.telling import Tell, telling
from zeromass.study.workers import Bounds

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import xarray

    from zeromass.study.cluster import Ray
    from zeromass.study.store import Store

On: TypeAlias = "Literal['lanes', 'cores', 'gpu', 'ray'] | int | Executor | Ray"
"""Where members are moved."""

States: TypeAlias = Literal["all", "least"]
"""What is integrated of a member."""


def sweep(
    system: System | Program,
    start: StartOf,
    *,
    over: Mapping[Any, Any],
    keep: Mapping[str, Any] | Sequence[Any],
    until: float,
    rtol: float = 1e-10,
    atol: float = 1e-13,
    method: Literal["dop853"] = "dop853",
    events: Events = None,
    project: bool = True,
    longest_step: float = np.inf,
    transitions: bool = True,
    limits: Limits | None = None,
    states: States = "all",
    on: On = "lanes",
    store: Any = None,
    patience: float | None = None,
    memory: float | None = None,
    progress: bool | Callable[[int, int], None] = False,
) -> xarray.Dataset:
    """Parameter study: motions for many values of parameters of the system and of its start, as a Dataset.

    start     as `system.start` gave it, where prescribed values may be formulas of zm.parameters: it is made again for each
              member; or a function that gives a start from the values of the parameters, by their names
    over      {parameter: values}, a grid of all combinations; or values from `samples`
    keep      {name: what}, or several without names, which are then called by their formulas: an expression or an array of
              them at the end, or `largest`, `smallest`, `mean`, `integral`, `values_at`, `first_time` of one
    states    "all": every coordinate and its rate are integrated, as `simulate` does it; "least": as far as constraints tell
              them, independent positions and speeds alone, which is two to three times as fast and closer to the truth, but
              not bit for bit what `simulate` gives
    on        "lanes": this process, members side by side in SIMD lanes; "cores", or a number of them: processes that do the
              same; an executor of `concurrent.futures`; "ray" or `zm.study.Ray(…)`: a cluster; "gpu": a graphics card, one
              member in each of its threads. Numbers do not depend on it
    store     a folder such as "study.zarr", a URL that zarr and fsspec know, or a store of zarr: results go there, and the
              same call goes on where it stopped. In memory without
    patience  seconds that a chunk of members may take, other than in this process, before it is given up and done again, a
              part at a time: a member that hangs is then found, and has failed
    memory    bytes that the members of a chunk may take; by default a quarter of the machine's, and no more than their share
              of it on several cores. A member that needs more ends with the outcome "out of memory", or "interrupted"
    progress  a bar on the terminal, or a function of how many members are done, of how many

    The other options are those of `simulate`. The coordinates of the Dataset are the parameters. Its variables are what is
    kept, and for each member `outcome` and `message`, the last time `end_time`, `steps`, `rejected` and `evaluations`. A
    member that can not begin or go on has its outcome and no numbers, or those up to there; none stops the study. Ctrl-C
    ends it: members that were not reached have the outcome "interrupted".

    A fault of the machine is no result: where files, memory or processes were not to be had, a member is moved again. One
    that has met such faults several times is "interrupted", with the reason in its message and in a warning; it and members
    that are "out of memory" are computed again by the next call with the same store.

    Members of a large system, whose code is rolled (see `Program.code`), move one after another with all their states,
    wherever that is.

    The equations are compiled at the start of the first member that can begin. Each member is, to the last bit, what
    `simulate(program, start, method="dop853", …)` gives for that program and its start, unless `states="least"`. What
    `run.remarks` would say of a finished motion is not looked for.

    >>> theta, length, angle = zm.coordinate("theta"), zm.parameter("length", 1.0), zm.parameter("angle", 0.1)
    >>> pendulum = zm.System(kinetic=length**2 * zm.rate(theta) ** 2 / 2, potential=-9.81 * length * np.cos(theta))
    >>> start = pendulum.start({theta: angle})
    >>> study = zm.sweep(pendulum, start, until=2.0, over={length: [0.5, 1.0], angle: [0.1, 0.2, 0.3]},
    ...                  keep={"end": theta, "fastest": zm.study.largest(zm.rate(theta))})
    >>> study.end.dims, study.outcome.item(0), study.end.sel(length=1.0, angle=0.2).item() < 0.2
    (('length', 'angle'), 'finished', True)
    """
    if not (isinstance(method, str) and method == "dop853"):
        raise ModelError(f"method={shown(method)}: members move side by side with method='dop853'")
    program, moving = (system, system.system) if isinstance(system, Program) else (None, system)
    given_kind(moving, System, "what moves", "a zm.System or its program, zm.compile(…)")
    settings = Settings(
        rtol, atol, method, project, None, longest_step, transitions, Limits() if limits is None else limits, memory
    )
    until = given_real(until, "until")
    if not np.isfinite(until):
        raise ModelError(f"until = {until}: a run needs a finite end")
    if not isinstance(start, State) and not callable(start):
        raise ModelError(f"start is {shown(start)}; it is what system.start(…) gives, or a function that gives one")
    axes = axes_of(_by_parameter(over, moving, start))
    members = Members(moving, start, list(axes.values), axes)
    wanted = kept_by_name(keep)
    check_names(axes, wanted)
    check_kept(wanted, (moving, members.first.system))
    program = program or members.compiled()
    first = Starts.of([members.first])
    given_choice(states, "states", ("all", "least"))
    if isinstance(on, np.ndarray):  # which is compared with words element by element
        raise _nowhere(on)
    if states == "least" and on == "gpu":
        raise ModelError("states='least' and on='gpu': a graphics card integrates all states; leave one of the two out")
    if program.code == "rolled" and on == "gpu":
        raise ModelError("on='gpu': a graphics card moves small systems; take on='cores' for a large one")
    work = Work(
        program, float(until), settings, tuple(asked_events(events)), wanted, first, on == "gpu", states == "least"
    )
    study = Study(members, work)
    place = Gathered(axes, study) if store is None else _store(store, axes, start, study)
    try:
        with telling(progress, len(members)) as tell:
            if place.done:
                tell(place.done, 0)
            stopped = _done(study, place, on, Bounds(patience, memory), tell)
    finally:
        place.close()
    from zeromass.study.accessor import known_to  # xarray is there by now

    found = known_to(place.dataset(), axes, study)
    if stopped:
        warnings.warn(stopped, RunStopped, stacklevel=2)
    return found


def _by_parameter(over: Any, system: System, start: StartOf) -> Any:
    """What varies, with parameters instead of their names."""
    made_of = start.made_of if isinstance(start, State) else None
    given = given_mapping(over, "over", "{parameter: values}")
    known = [*system.parameters, *(made_of.parameters if made_of else ())]
    return by_parameter(given, known)


def _store(place: Any, axes: Axes, start: StartOf, study: Study) -> Store:
    from zeromass.study.fingerprint import fingerprint
    from zeromass.study.store import Store

    return Store(place, axes, study, fingerprint(axes, start, study))


def _done(study: Study, place: Gathered | Store, on: On, bounds: Bounds, tell: Tell) -> str:
    """Fills the place of a study; in words why it ended before, if it did."""
    try:
        if on == "lanes":
            return _unfinished(here(study, place, tell))
        if on == "gpu":
            from zeromass.study.gpu import on_gpu

            on_gpu(study, place, tell)
            return ""
        with _pool(study.work, on, bounds) as pool:
            dispatch = Dispatch(study, place, pool, tell)
            dispatch.run()
        return _unfinished(dispatch.stopped)
    except KeyboardInterrupt:
        return ""


def _unfinished(why: str) -> str:
    """What a study says that the machine kept from its end; nothing where it came there."""
    return (
        why
        and f"the study was not finished: what it ran on broke ({why}); the same call goes on where a store is given"
    )


def _pool(work: Work, on: On, bounds: Bounds) -> Pool:
    from concurrent.futures import Executor

    from zeromass.study.cluster import Nodes, Ray

    if on == "cores" or (isinstance(on, int) and not isinstance(on, bool)):
        from zeromass.study.cores import Cores

        return Cores(work, on if isinstance(on, int) else None, bounds)
    if isinstance(on, Executor):
        from zeromass.study.executors import Places

        return Places(work, on, bounds)
    if on == "ray" or isinstance(on, Ray):
        return Nodes(work, on if isinstance(on, Ray) else Ray(), bounds)
    raise _nowhere(on)


def _nowhere(on: Any) -> ModelError:
    ways = "'lanes', 'cores', a number of cores, 'gpu', 'ray', zm.study.Ray(…), or an executor"
    return ModelError(f"on = {shown(on)}: give {ways}")
