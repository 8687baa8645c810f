"""A study on a cluster, through Ray: the same program, the same store, nodes that may be lost."""

from __future__ import annotations

import importlib
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from zeromass.integrate.memory import usual_memory
from zeromass.model import ModelError
from zeromass.study.chunk import Work
from zeromass.study.executors import guarded
from zeromass.study.starts import Starts
from zeromass.study.workers import Bounds, payload_of


@dataclass(frozen=True)
class Ray:
    """Ray cluster, for `zm.sweep(on=…)`; `on="ray"` is one with these defaults.

    address  of its head, "auto" for one that runs on this machine; None: as Ray itself decides, which starts one here where
             there is none
    options  of each task, such as {"resources": {"fast": 1}} or {"num_cpus": 0.5}

    Every node needs zeromass. A node that is lost loses nothing: its chunks are done again by others.

    >>> from zeromass.study import Ray
    >>> Ray("10.0.0.1:6379").address
    '10.0.0.1:6379'
    """

    address: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


class Nodes:
    """The nodes of a cluster; each task has one core of one of them."""

    def __init__(self, work: Work, chosen: Ray, bounds: Bounds) -> None:
        self._chosen, self._work, self._bounds = chosen, work, bounds
        self._refs: dict[int, Any] = {}
        self._own = False

    def __enter__(self) -> Nodes:
        ray = _ray()
        if not ray.is_initialized():
            ray.init(address=self._chosen.address, log_to_driver=False, include_dashboard=False, logging_level=40)
            self._own = True
        memory = usual_memory() if self._bounds.memory is None else self._bounds.memory
        self._bounds = Bounds(self._bounds.patience, memory)
        self._payload = ray.put(payload_of(self._work))
        # a task that is lost comes back to the study, which counts it
        self._task = ray.remote(**{"num_cpus": 1, "max_retries": 0, **self._chosen.options})(guarded)
        return self

    @property
    def hands(self) -> int:
        """Cores of all nodes, as many as there are now."""
        ray = _ray()
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    @property
    def room(self) -> int:
        return 2 * self.hands

    def submit(self, starts: Starts) -> Future[Any]:
        ref = self._task.remote(self._payload, starts, self._bounds)
        key = id(ref)
        self._refs[key] = ref
        future: Future[Any] = ref.future()
        future.add_done_callback(lambda done: self._refs.pop(key, None))
        return future

    def __exit__(self, *what: object) -> None:
        ray = _ray()
        for ref in list(self._refs.values()):
            ray.cancel(ref, force=True)
        if self._own:
            ray.shutdown()


def _ray() -> Any:
    """The package, which few have."""
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ModelError("on='ray' needs Ray: pip install 'zeromass[ray]'") from None
