"""Studies on a cluster of Ray: two nodes on this machine, one of which is lost; and bad members there."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from study.poison import BAD, COUNT, MEMORY, WORDS, ended, is_named_and_left_out, poisoned, spring, stiffness
from zeromass.study import Ray, sweep
from zeromass.study.cluster import Nodes
from zeromass.study.workers import Bounds

ray = pytest.importorskip("ray", reason="Ray is not installed")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head without cores for tasks, and two nodes with one each, which know what the tests know."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.nodes = [made.add_node(num_cpus=1) for _ in range(2)]
    made.wait_for_nodes()
    ray.init(address=made.address, log_to_driver=False, logging_level=40)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.mark.usefixtures("cluster")
def test_a_cluster_changes_nothing(tmp_path: Path) -> None:
    system, start, k, x = spring()
    study: dict[str, Any] = {"over": {k: stiffness()}, "keep": {"x": x}, "until": 2.0}
    expected = sweep(system, start, **study)
    assert sweep(system, start, **study, on="ray").identical(expected)
    pytest.importorskip("zarr")
    found = sweep(system, start, **study, on=Ray(), store=tmp_path / "study.zarr")
    assert found.load().identical(expected)


@pytest.mark.slow
def test_a_lost_node_loses_nothing(cluster: Any) -> None:
    """One of two nodes is killed with the chunks that it has; the other one does them again."""
    count = 400
    study = poisoned(count, slow=0.02)
    expected = poisoned(count).results(np.arange(count))
    gone = threading.Event()

    def lose() -> None:
        time.sleep(6.0)
        cluster.remove_node(cluster.nodes[0], allow_graceful=False)
        gone.set()

    losing = threading.Thread(target=lose)
    losing.start()
    found = ended(study, Nodes(study.work, Ray(), Bounds(None, MEMORY)))
    early = not gone.is_set()
    losing.join()
    assert not early, "the study was over before the node was lost"
    for name, values in expected.items():
        assert np.array_equal(found[name], values), name


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_bad_members_are_named_and_left_out() -> None:
    good = poisoned().results(np.arange(COUNT))
    for how in WORDS:
        study = poisoned(**{how: BAD + 1.0})
        found = ended(study, Nodes(study.work, Ray(), Bounds(1.5 if how == "hangs" else None, MEMORY)))
        is_named_and_left_out(found, how, good)
